// The audit log: who did what to what, when and from where; a panel shows one event whole.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Download, ScrollText } from "lucide-react";
import type { AuditEntry } from "../kit/server/api.ts";
import { exportAddress, filterOf, type AuditFilter } from "./audit.ts";
import { useCommands } from "../kit/page/commands.ts";
import { useSearchState } from "../kit/page/search.ts";
import { plural } from "../../client/text/words.ts";
import { ChainState } from "./audit-chain.tsx";
import { AuditFilters } from "./audit-filters.tsx";
import { AuditPanel } from "./audit-panel.tsx";
import { AuditTable } from "./audit-table.tsx";
import { Button, buttonClass } from "../kit/page/button.tsx";
import { EmptyState } from "../kit/list/empty-state.tsx";
import { PageHeader } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { auditQueries } from "./queries.ts";

export function Page() {
  const [search, change] = useSearchState();
  const filter = filterOf(search);
  const list = useInfiniteQuery(auditQueries.list(filter));
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const open = (entry: AuditEntry | undefined) => change({ event: entry?.id });
  const at = rows.findIndex(({ id }) => id === search["event"]);
  const step = (by: number) => open(rows[Math.min(Math.max(at + by, 0), rows.length - 1)]);
  useAuditCommands(step, () => open(undefined));

  return (
    <>
      <PageHeader title="Audit log" actions={<Exports filter={filter} />}>
        Every change in this organization, every sign-in, which keys are used, and what was denied;
        newest first.
      </PageHeader>
      <ChainState />
      <AuditFilters search={search} change={change} />
      {list.error !== null && <TroubleBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <RowsSkeleton rows={8} />}
      <div className="grid items-start gap-6 xl:has-[aside]:grid-cols-[minmax(0,1fr)_340px]">
        <div className={`min-w-0 ${list.isPlaceholderData ? "opacity-60" : ""}`}>
          <AuditTable rows={rows} selected={search["event"]} open={open} />
          {list.data !== undefined && rows.length === 0 && (
            <EmptyState icon={ScrollText} title="Nothing here">
              {Object.keys(filter).length === 0
                ? "Nothing was done in this organization yet."
                : "No event fits all of these filters. Words must stand as they were written; of the last one its beginning is enough."}
            </EmptyState>
          )}
          <p role="status" className="mt-3 text-sm text-soft">
            {rows.length > 0 &&
              `${plural(rows.length, "event")}${list.hasNextPage ? " so far" : ""}`}
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
            onFilter={(patch) => change({ ...patch, event: undefined })}
            onClose={() => open(undefined)}
            {...(at > 0 && { onPrevious: () => step(-1) })}
            {...(at < rows.length - 1 && { onNext: () => step(1) })}
          />
        )}
      </div>
    </>
  );
}

/** Of what the filters let through, all of it, however many pages. */
function Exports({ filter }: { filter: AuditFilter }) {
  return (
    <div className="flex flex-wrap gap-2">
      {(["csv", "jsonl"] as const).map((format) => (
        <a key={format} download href={exportAddress(filter, format)} className={buttonClass()}>
          <Download size={16} aria-hidden />
          {format === "csv" ? "CSV" : "JSON lines"}
        </a>
      ))}
    </div>
  );
}

function useAuditCommands(step: (by: number) => void, close: () => void): void {
  const onPage = { group: "This page", inPalette: false } as const;
  useCommands([
    { ...onPage, id: "audit:next", label: "Next event", keys: "j", run: () => step(1) },
    { ...onPage, id: "audit:previous", label: "Previous event", keys: "k", run: () => step(-1) },
    { ...onPage, id: "audit:close", label: "Close the event", keys: "Escape", run: close },
    {
      ...onPage,
      id: "audit:search",
      label: "Search the log",
      keys: "/",
      run: () => document.querySelector<HTMLInputElement>("[data-search]")?.focus(),
    },
  ]);
}
