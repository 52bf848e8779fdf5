// Two versions of an agent beside each other: `?from=2&to=5`. The older one stands left.
import { useQueries, useQuery } from "@tanstack/react-query";
import { FilterSelect } from "../../kit/form/select.tsx";
import { BackLink } from "../../kit/page/detail-page.tsx";
import { useIdOfPage } from "../../kit/page/page-id.ts";
import { PageHeader } from "../../kit/page/page-header.tsx";
import { useSearchState } from "../../kit/page/search.ts";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { queryClient } from "../../kit/server/queries.ts";
import { useWorkspace, useWorkspaceOf } from "../../kit/server/workspace.ts";
import { agentQueries } from "../agent-queries.ts";
import { FieldDiffs } from "./field-diffs.tsx";

export function Page() {
  const id = useIdOfPage();
  const { id: workspace, search: home } = useWorkspace();
  const [search, change] = useSearchState();
  const read = useQuery(agentQueries.one(workspace, id));
  const { isLooking } = useWorkspaceOf(id, read, (other) =>
    queryClient.fetchQuery(agentQueries.one(other, id)),
  );
  const newest = read.data?.version ?? 1;
  const within = (text: string | undefined, otherwise: number) => {
    const version = Number(text);
    return Number.isInteger(version) && version >= 1 && version <= newest ? version : otherwise;
  };
  const to = within(search.to, newest);
  const from = within(search.from, Math.max(1, to - 1));
  const [one, other] = useQueries({
    queries: [from, to].map((version) => ({
      ...agentQueries.one(workspace, id, version),
      enabled: read.data !== undefined,
      // No version ever changes.
      staleTime: Infinity,
    })),
  });
  const error = isLooking ? null : (read.error ?? one?.error ?? other?.error ?? null);
  const isThere = one?.data !== undefined && other?.data !== undefined;
  return (
    <>
      <BackLink to="/agents/$id" params={{ id }} search={home} label={read.data?.name ?? "Agent"} />
      <PageHeader title="What changed">
        {read.data !== undefined && `${read.data.name}, from version ${from} to version ${to}`}
      </PageHeader>
      {read.data !== undefined && (
        <search aria-label="Versions to compare" className="mb-4 flex flex-wrap gap-2">
          <Choice label="From" {...{ newest }} value={from} onChange={(v) => change({ from: v })} />
          <Choice label="To" {...{ newest }} value={to} onChange={(v) => change({ to: v })} />
        </search>
      )}
      {error !== null && <TroubleBox error={error} retry={() => void read.refetch()} />}
      {!isThere && error === null && <RowsSkeleton rows={6} />}
      {isThere && <FieldDiffs before={one.data} after={other.data} />}
    </>
  );
}

function Choice({
  label,
  newest,
  value,
  onChange,
}: {
  label: string;
  newest: number;
  value: number;
  onChange: (version: string) => void;
}) {
  const choices = Array.from({ length: newest }, (_, at) => String(newest - at));
  return (
    <FilterSelect
      label={`${label} version`}
      value={String(value)}
      choices={choices.map((each) => ({ value: each, label: `${label} version ${each}` }))}
      onChange={onChange}
    />
  );
}
