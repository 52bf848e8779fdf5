// What became of the packages that an environment names: on each machine of the server that has needed them.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Section } from "../../kit/page/page-header.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { api, type PackageLayer } from "../../kit/server/api.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";
import { Badge, type Tone } from "../../kit/value/badge.tsx";
import { bytesText } from "../../kit/value/sizes.ts";
import { Time } from "../../kit/value/time.tsx";
import type { Workspace } from "../environments.ts";

const lookEveryMs = 2_000;

export const layersOf = (workspace: Workspace, id: string) =>
  queryOptions({
    queryKey: ["environments", workspace, id, "packages"],
    queryFn: async () => {
      const params = { environment_id: id };
      return (await api.environments.packages({ params, headers: inWorkspace(workspace) })).data;
    },
    refetchInterval: lookEveryMs,
  });

export function EnvironmentPackages({ id, workspace }: { id: string; workspace: Workspace }) {
  const { data, error, refetch } = useQuery(layersOf(workspace, id));
  return (
    <Section
      title="Installed packages"
      note="Installed once on each machine, for all sessions of environments with the same list."
    >
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {data?.length === 0 && (
        <p className="text-soft">
          Waiting: they are installed when the agent of a session first uses a tool.
        </p>
      )}
      {data !== undefined && data.length > 0 && (
        <ul aria-label="Installed packages" className="grid gap-3">
          {data.map((layer) => (
            <li key={layer.host_id} className="min-w-0">
              <Layer layer={layer} isAlone={data.length === 1} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

const states: Record<PackageLayer["state"], { word: string; tone: Tone }> = {
  waiting: { word: "Waiting", tone: "accent" },
  building: { word: "Installing", tone: "accent" },
  built: { word: "Installed", tone: "good" },
  failed: { word: "Failed", tone: "bad" },
};

function Layer({ layer, isAlone }: { layer: PackageLayer; isAlone: boolean }) {
  const { state, words, manager, bytes, began_at: began, ended_at: ended } = layer;
  const at = state === "building" ? began : ended;
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Badge tone={states[state].tone}>{states[state].word}</Badge>
        {at !== null && state !== "waiting" && (
          <span>
            {state === "building" && "since "}
            <Time at={at} />
          </span>
        )}
        {state === "built" && <span className="text-soft">{bytesText(bytes)}</span>}
        {!isAlone && <span className="font-mono text-sm text-soft">{layer.host_id}</span>}
      </p>
      {state === "building" && words !== null && (
        <p className="mt-1 font-mono text-sm wrap-anywhere text-soft">
          {manager}: {words}
        </p>
      )}
      {state === "failed" && (
        <>
          <p className="mt-1 text-sm wrap-anywhere whitespace-pre-wrap">{words}</p>
          <p className="mt-1 text-sm text-soft">The next call of a session tries again.</p>
        </>
      )}
    </>
  );
}
