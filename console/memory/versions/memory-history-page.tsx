// The history of a store, or of one of its memories: every version, newest first; two of them can be compared.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { GitCompareArrows, History } from "lucide-react";
import { useState } from "react";
import { useCommands } from "../../kit/page/commands.ts";
import { BackLink } from "../../kit/page/detail-page.tsx";
import { memoryQueries } from "../memory-queries.ts";
import { isOperation, operations } from "../memory.ts";
import { queryClient } from "../../kit/server/queries.ts";
import { useSearchState, type Search } from "../../kit/page/search.ts";
import { plural } from "../../../client/text/words.ts";
import { useWorkspace, useWorkspaceOf } from "../../kit/server/workspace.ts";
import { Button } from "../../kit/page/button.tsx";
import { Onward } from "../../kit/list/chunk.tsx";
import { EmptyState } from "../../kit/list/empty-state.tsx";
import { FilterSelect } from "../../kit/form/select.tsx";
import { MemoryTimeline } from "./memory-timeline.tsx";
import { PageHeader } from "../../kit/page/page-header.tsx";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { useIdOfPage } from "../../kit/page/page-id.ts";

export function Page() {
  const id = useIdOfPage();
  const { id: workspace, search: home } = useWorkspace();
  const [search, change] = useSearchState();
  const { memory } = search;
  const store = useQuery(memoryQueries.store(workspace, id));
  const { isLooking } = useWorkspaceOf(id, store, (other) =>
    queryClient.fetchQuery(memoryQueries.store(other, id)),
  );
  const list = useInfiniteQuery(memoryQueries.versions(workspace, id, filterOf(search)));
  const versions = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const path = versions.find(({ path }) => path !== null)?.path;
  const { picked, pick, compare } = usePicked(
    id,
    versions.map(({ id }) => id),
  );
  return (
    <>
      <BackLink
        to="/memory/$id"
        params={{ id }}
        search={{ ...home, memory }}
        label={store.data?.name ?? "Memory store"}
      />
      <PageHeader title={memory === undefined ? "History of the store" : "History of a memory"}>
        {memory === undefined ? (
          "Every change of every memory, newest first. Pick two versions to compare them."
        ) : (
          <span className="font-mono text-sm">{path ?? memory}</span>
        )}
      </PageHeader>
      <Filters search={search} change={change} />
      {list.error !== null && !isLooking && (
        <TroubleBox error={list.error} retry={() => void list.refetch()} />
      )}
      {(list.isPending || isLooking) && <RowsSkeleton rows={8} />}
      {versions.length > 0 && (
        <>
          <Picked picked={picked} onCompare={compare} />
          <MemoryTimeline store={id} {...{ memory, versions, picked }} onPick={pick} />
        </>
      )}
      {list.data !== undefined && versions.length === 0 && (
        <EmptyState icon={History} title="No version here">
          {search.operation === undefined && search.until === undefined
            ? "With the first memory the history begins."
            : "None fits the filter."}
        </EmptyState>
      )}
      <p role="status" className="mt-3 text-sm text-soft">
        {versions.length > 0 &&
          `${plural(versions.length, "version")}${list.hasNextPage ? " so far" : ""}`}
      </p>
      {list.hasNextPage && (
        <Onward
          label="Load older versions"
          isBusy={list.isFetchingNextPage}
          onSeen={() => void list.fetchNextPage()}
        />
      )}
    </>
  );
}

export const filterOf = ({ memory, operation, until }: Search) => ({
  memory,
  operation: isOperation(operation) ? operation : undefined,
  until: until !== undefined && /^\d{4}-\d\d-\d\d$/.test(until) ? until : undefined,
});

/** Up to two; a third one takes the place of the first. */
function usePicked(store: string, versions: string[]) {
  const [picked, setPicked] = useState<string[]>([]);
  const { search: home } = useWorkspace();
  const [search] = useSearchState();
  const navigate = useNavigate();
  const pick = (id: string) =>
    setPicked((before) =>
      before.includes(id) ? before.filter((one) => one !== id) : [...before, id].slice(-2),
    );
  const compare = () => {
    const [newer, older] = picked.toSorted(
      (one, other) => versions.indexOf(one) - versions.indexOf(other),
    );
    if (newer === undefined || older === undefined) return;
    void navigate({
      to: "/memory/$id/history/$version",
      params: { id: store, version: newer },
      search: { ...home, memory: search.memory, with: older },
    });
  };
  useCommands([
    {
      id: "history:compare",
      label: "Compare the picked versions",
      group: "This page",
      keys: "c",
      inPalette: false,
      run: compare,
    },
  ]);
  return { picked, pick, compare };
}

function Picked({ picked, onCompare }: { picked: string[]; onCompare: () => void }) {
  return (
    <div className="sticky top-2 z-10 mb-3 flex min-h-10 flex-wrap items-center justify-between gap-3 rounded-lg border border-line bg-surface px-3 py-1 text-sm max-lg:top-16">
      <p role="status" className="text-soft">
        {
          [
            "Pick two versions to compare them, or open one to see what it changed.",
            "One version is picked. Pick another one.",
            "Two versions are picked.",
          ][picked.length]
        }
      </p>
      <Button disabled={picked.length !== 2} onClick={onCompare} title="C">
        <GitCompareArrows size={16} aria-hidden />
        Compare
      </Button>
    </div>
  );
}

function Filters({ search, change }: { search: Search; change: (patch: Search) => void }) {
  const orNothing = (value: string) => (value === "" ? undefined : value);
  return (
    <search aria-label="Filter versions" className="mb-4 flex flex-wrap items-center gap-2">
      <FilterSelect
        label="What was done"
        value={search.operation ?? ""}
        choices={[
          { value: "", label: "Anything done" },
          ...Object.entries(operations).map(([name, { word }]) => ({ value: name, label: word })),
        ]}
        onChange={(operation) => change({ operation: orNothing(operation) })}
      />
      <label className="flex items-center gap-2 text-sm text-soft">
        Until
        <input
          type="date"
          value={search.until ?? ""}
          onChange={({ target }) => change({ until: orNothing(target.value) })}
          className="min-h-9 rounded-md border border-line-strong bg-surface px-2.5 text-ink max-md:min-h-10 md:min-h-8"
        />
      </label>
    </search>
  );
}
