// One agent: what it is made of, at its newest version or at another one, and how it came to be so.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { DetailPage } from "../kit/page/detail-page.tsx";
import { useIdOfPage } from "../kit/page/page-id.ts";
import { useSearchState } from "../kit/page/search.ts";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import type { Agent } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { useWorkspace, useWorkspaceOf } from "../kit/server/workspace.ts";
import { Time } from "../kit/value/time.tsx";
import { agentActs, useAgentPlace } from "./agent-acts.tsx";
import { AgentParts } from "./agent-parts.tsx";
import { agentQueries } from "./agent-queries.ts";
import { AgentVersions } from "./versions/agent-versions.tsx";

export function Page() {
  const id = useIdOfPage();
  const { id: workspace, search: home } = useWorkspace();
  const place = useAgentPlace();
  const read = useQuery(agentQueries.one(workspace, id));
  const { isLooking } = useWorkspaceOf(id, read, (other) =>
    queryClient.fetchQuery(agentQueries.one(other, id)),
  );
  return (
    <DetailPage
      back={{ to: "/agents", search: home, label: "All agents" }}
      noun="Agent"
      read={read}
      isLooking={isLooking}
      titleOf={({ name }) => name}
      aboutOf={({ description }) => description}
      actsOf={(agent) => agentActs(agent, place)}
    >
      {(agent) => <AtVersion newest={agent} />}
    </DetailPage>
  );
}

/** `?version=2`: as it was then. */
function AtVersion({ newest }: { newest: Agent }) {
  const { id: workspace, search: home } = useWorkspace();
  const [search] = useSearchState();
  const version = Number(search.version ?? newest.version);
  const isNewest = version === newest.version;
  const { data, error } = useQuery({
    ...agentQueries.one(workspace, newest.id, version),
    enabled: !isNewest,
  });
  const shown = isNewest ? newest : data;
  return (
    <>
      {!isNewest && (
        <p
          role="status"
          className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-1 rounded-lg bg-accent-soft px-3 py-2"
        >
          <span>
            Version {version} of {newest.version}
            {shown !== undefined && (
              <>
                , saved <Time at={shown.updated_at} />
              </>
            )}
            .
          </span>
          <Link
            to="/agents/$id"
            params={{ id: newest.id }}
            search={home}
            className="font-medium text-accent underline underline-offset-2"
          >
            Show the newest
          </Link>
          <Link
            to="/agents/$id/compare"
            params={{ id: newest.id }}
            search={{ ...home, from: String(version), to: String(newest.version) }}
            className="font-medium text-accent underline underline-offset-2"
          >
            Compare with the newest
          </Link>
        </p>
      )}
      {error !== null && <TroubleBox error={error} />}
      {shown === undefined && error === null && <RowsSkeleton />}
      {shown !== undefined && <AgentParts agent={shown} />}
      <AgentVersions agent={newest} shown={version} />
    </>
  );
}
