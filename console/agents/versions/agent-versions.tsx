// The versions of an agent, newest first: when each was saved, and what it changed. Two of them can be compared.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { GitCompareArrows } from "lucide-react";
import { useState } from "react";
import { Button } from "../../kit/page/button.tsx";
import { useCommands } from "../../kit/page/commands.ts";
import { Section } from "../../kit/page/page-header.tsx";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import type { Agent } from "../../kit/server/api.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { Time } from "../../kit/value/time.tsx";
import { agentQueries } from "../agent-queries.ts";
import { changedFields, fieldWords } from "../agents.ts";

export function AgentVersions({ agent, shown }: { agent: Agent; shown: number }) {
  const { id: workspace } = useWorkspace();
  const list = useInfiniteQuery(agentQueries.versions(workspace, agent.id));
  const versions = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const { picked, pick, compare } = usePicked(agent.id);
  const isAlone = agent.version === 1;
  return (
    <Section
      title="Versions"
      note={isAlone ? undefined : "Pick two to compare them, or open one to see all of it."}
      actions={
        !isAlone && (
          <Button disabled={picked.length !== 2} onClick={compare} title="C">
            <GitCompareArrows size={16} aria-hidden />
            Compare
          </Button>
        )
      }
    >
      {list.error !== null && <TroubleBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <RowsSkeleton rows={2} />}
      {versions.length > 0 && (
        <ol
          aria-label="Versions"
          className="divide-y divide-line rounded-lg border border-line bg-surface"
        >
          {versions.map((version, at) => (
            <Line
              key={version.version}
              agent={version}
              before={versions[at + 1]}
              newest={agent.version}
              isShown={version.version === shown}
              isPicked={picked.includes(version.version)}
              onPick={isAlone ? undefined : () => pick(version.version)}
            />
          ))}
        </ol>
      )}
      {list.hasNextPage && (
        <Button
          className="mt-2"
          busy={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Load older versions
        </Button>
      )}
    </Section>
  );
}

function Line({
  agent,
  before,
  newest,
  isShown,
  isPicked,
  onPick,
}: {
  agent: Agent;
  /** Undefined where it is not loaded, or there is none. */
  before: Agent | undefined;
  newest: number;
  isShown: boolean;
  isPicked: boolean;
  onPick: (() => void) | undefined;
}) {
  const { search } = useWorkspace();
  const { version } = agent;
  const changed = before && changedFields(before, agent).map((field) => fieldWords[field]);
  return (
    <li
      aria-current={isShown || undefined}
      className={`flex flex-wrap items-baseline gap-x-4 gap-y-0.5 px-4 py-2 ${isPicked ? "bg-accent-soft" : ""}`}
    >
      {onPick !== undefined && (
        <input
          type="checkbox"
          checked={isPicked}
          onChange={onPick}
          aria-label={`Compare version ${version}`}
          className="size-4 self-center accent-accent max-md:size-5"
        />
      )}
      <span className="flex items-baseline gap-2 md:w-44">
        <Link
          to="/agents/$id"
          params={{ id: agent.id }}
          search={{ ...search, version: version === newest ? undefined : String(version) }}
          className="font-medium text-accent underline-offset-2 hover:underline"
        >
          Version {version}
        </Link>
        {version === newest && <Badge tone="good">Newest</Badge>}
        {isShown && version !== newest && <Badge>Shown</Badge>}
      </span>
      <span className="min-w-0 flex-1 basis-40 text-soft max-md:order-last max-md:basis-full">
        {version === 1 ? "Made" : changed?.join(", ")}
      </span>
      <span className="text-sm text-soft max-md:ml-auto">
        <Time at={agent.updated_at} isShort />
      </span>
    </li>
  );
}

/** Up to two; a third one takes the place of the first. */
function usePicked(id: string) {
  const [picked, setPicked] = useState<number[]>([]);
  const { search } = useWorkspace();
  const navigate = useNavigate();
  const compare = () => {
    const [from, to] = picked.toSorted((one, other) => one - other);
    if (from === undefined || to === undefined) return;
    void navigate({
      to: "/agents/$id/compare",
      params: { id },
      search: { ...search, from: String(from), to: String(to) },
    });
  };
  useCommands([
    {
      id: "agent:compare",
      label: "Compare the picked versions",
      group: "This page",
      keys: "c",
      inPalette: false,
      run: compare,
    },
  ]);
  return {
    picked,
    compare,
    pick: (version: number) =>
      setPicked((before) =>
        before.includes(version)
          ? before.filter((each) => each !== version)
          : [...before, version].slice(-2),
      ),
  };
}
