// The audit log: who did what to what, when and from where; a panel shows one event whole.
import { useInfiniteQuery } from "@tanstack/react-query";
import { ScrollText } from "lucide-react";
import type { AuditEntry } from "../lib/api.ts";
import { useCommands } from "../lib/commands.ts";
import { queries } from "../lib/queries.ts";
import { useSearchState, type Search } from "../lib/search.ts";
import { plural, spaced } from "../lib/words.ts";
import { actorName } from "../parts/audit-line.tsx";
import { AuditPanel } from "../parts/audit-panel.tsx";
import { Button } from "../parts/button.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { FilterSelect, SearchInput } from "../parts/field.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { RowsSkeleton } from "../parts/skeleton.tsx";
import { Table, type Column } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";

export function Page() {
  const [search, change] = useSearchState();
  const list = useInfiniteQuery(queries.audit(search.action));
  const all = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const rows = all.filter((entry) => mentions(entry, search.q ?? ""));
  const open = (entry: AuditEntry | undefined) => change({ event: entry?.id });
  const at = rows.findIndex(({ id }) => id === search.event);
  const step = (by: number) => open(rows[Math.min(Math.max(at + by, 0), rows.length - 1)]);
  useAuditCommands(step, () => open(undefined));

  return (
    <>
      <PageHeader title="Audit log">
        Every change in this organization and every sign-in, newest first.
      </PageHeader>
      <Filters search={search} change={change} loaded={all} />
      {list.error !== null && <TroubleBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <RowsSkeleton rows={8} />}
      <div className="grid items-start gap-6 xl:has-[aside]:grid-cols-[minmax(0,1fr)_340px]">
        <div className="min-w-0">
          {rows.length > 0 && (
            <Table
              label="Audit log"
              columns={columns(open)}
              rows={rows}
              keyOf={({ id }) => id}
              selected={search.event}
            />
          )}
          {list.data !== undefined && rows.length === 0 && (
            <EmptyState icon={ScrollText} title="Nothing here">
              {all.length === 0
                ? "No event of this kind was recorded."
                : `None of the ${plural(all.length, "loaded event")} mentions that.`}
            </EmptyState>
          )}
          <p role="status" className="mt-3 text-sm text-soft">
            {rows.length < all.length
              ? `${rows.length} of ${plural(all.length, "loaded event")}`
              : rows.length > 0 && plural(rows.length, "event")}
          </p>
          {list.hasNextPage && (
            <Button
              className="mt-2"
              busy={list.isFetchingNextPage}
              onClick={() => void list.fetchNextPage()}
            >
              Load older events
            </Button>
          )}
        </div>
        {rows[at] !== undefined && (
          <AuditPanel
            entry={rows[at]}
            onClose={() => open(undefined)}
            {...(at > 0 && { onPrevious: () => step(-1) })}
            {...(at < rows.length - 1 && { onNext: () => step(1) })}
          />
        )}
      </div>
    </>
  );
}

function mentions(entry: AuditEntry, typed: string): boolean {
  const { action, actor, target, address, request_id } = entry;
  return [action, spaced(action), actor.name, actor.id, target?.id, address, request_id].some(
    (text) => text?.toLowerCase().includes(typed.toLowerCase()) === true,
  );
}

const columns = (open: (entry: AuditEntry) => void): Column<AuditEntry>[] => [
  {
    title: "Action",
    heads: true,
    cell: (entry) => (
      <button
        type="button"
        onClick={() => open(entry)}
        className="text-left font-medium underline-offset-2 hover:underline"
      >
        {spaced(entry.action)}
      </button>
    ),
  },
  {
    title: "Actor",
    cell: (entry) => <span className="wrap-anywhere">{actorName(entry.actor)}</span>,
  },
  {
    title: "Target",
    cell: (entry) =>
      entry.target === null ? (
        <span className="text-soft">None</span>
      ) : (
        <span title={entry.target.id} className="block min-w-0 text-soft">
          {spaced(entry.target.type)}{" "}
          <span className="font-mono text-sm">…{entry.target.id.slice(-6)}</span>
        </span>
      ),
  },
  { title: "Address", cell: (entry) => <span className="text-sm">{entry.address}</span> },
  { title: "Time", cell: (entry) => <Time at={entry.at} /> },
];

function useAuditCommands(step: (by: number) => void, close: () => void): void {
  const onPage = { group: "This page", inPalette: false } as const;
  useCommands([
    { ...onPage, id: "audit:next", label: "Next event", keys: "j", run: () => step(1) },
    { ...onPage, id: "audit:previous", label: "Previous event", keys: "k", run: () => step(-1) },
    { ...onPage, id: "audit:close", label: "Close the event", keys: "Escape", run: close },
    {
      ...onPage,
      id: "audit:search",
      label: "Search the list",
      keys: "/",
      run: () => document.querySelector<HTMLInputElement>("[data-search]")?.focus(),
    },
  ]);
}

function Filters({
  search,
  change,
  loaded,
}: {
  search: Search;
  change: (patch: Search) => void;
  loaded: AuditEntry[];
}) {
  const actions = new Set(loaded.map(({ action }) => action));
  if (search.action !== undefined) actions.add(search.action);
  const orNothing = (value: string) => (value === "" ? undefined : value);
  return (
    <search aria-label="Filter events" className="mb-4 flex flex-wrap gap-2">
      <SearchInput
        label="Search actor, target, address"
        value={search.q ?? ""}
        onChange={(event) => change({ q: orNothing(event.target.value) })}
      />
      <FilterSelect
        label="Action"
        value={search.action ?? ""}
        onChange={(event) => change({ action: orNothing(event.target.value), event: undefined })}
      >
        <option value="">Any action</option>
        {[...actions].sort().map((action) => (
          <option key={action} value={action}>
            {spaced(action)}
          </option>
        ))}
      </FilterSelect>
    </search>
  );
}
