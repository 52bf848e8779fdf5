// The audit log: who did what to what, when and from where; a panel shows one event whole.
import { Download, ScrollText } from "lucide-react";
import type { Filter } from "../kit/list/filters.tsx";
import { ListPage } from "../kit/list/list-page.tsx";
import { usePagedList } from "../kit/list/list.ts";
import { dayText } from "../kit/list/timeline.ts";
import { buttonClass } from "../kit/page/button.tsx";
import { useCommands } from "../kit/page/commands.ts";
import { useSearchState } from "../kit/page/search.ts";
import type { AuditEntry } from "../kit/server/api.ts";
import { ChainState } from "./audit-chain.tsx";
import { auditColumns } from "./audit-columns.tsx";
import { AuditFilters } from "./audit-filters.tsx";
import { AuditPanel } from "./audit-panel.tsx";
import { exportAddress, filterOf, type AuditFilter } from "./audit.ts";
import { auditQueries } from "./queries.ts";

const searched: readonly Filter[] = [
  { kind: "search", name: "q", label: "Search in all fields", maxLength: 200, isAsked: true },
];

const nothingFits = {
  title: "Nothing here",
  children:
    "No event fits all of these filters. Words must stand as they were written; of the last one its beginning is enough.",
};

export function Page() {
  const [search, change] = useSearchState();
  const filter = filterOf(search);
  const list = usePagedList(auditQueries.list(filter));
  const { rows } = list;
  const open = (entry: AuditEntry | undefined) =>
    change({ event: entry?.id }, entry !== undefined && opened === undefined);
  const at = rows.findIndex(({ id }) => id === search["event"]);
  const opened = rows[at];
  const step = (by: number) => open(rows[Math.min(Math.max(at + by, 0), rows.length - 1)]);
  useSteps(step, () => open(undefined));
  return (
    <ListPage
      title="Audit log"
      label="Events"
      about="Every change in this organization, every sign-in, which keys are used, and what was denied; newest first."
      actions={<Exports filter={filter} />}
      above={<ChainState />}
      noun="event"
      icon={ScrollText}
      list={list}
      columns={auditColumns(open)}
      sectionOf={({ at: time }) => dayText(time)}
      filters={searched}
      beside={<AuditFilters search={search} change={change} />}
      nothingFits={nothingFits}
      empty={
        Object.keys(filter).length === 0
          ? { title: "Nothing here", children: "Nothing was done in this organization yet." }
          : nothingFits
      }
      selected={opened?.id}
      hasOwnMoves
      aside={
        opened !== undefined && (
          <AuditPanel
            entry={opened}
            onFilter={(patch) => change({ ...patch, event: undefined })}
            onClose={() => open(undefined)}
            {...(at > 0 && { onPrevious: () => step(-1) })}
            {...(at < rows.length - 1 && { onNext: () => step(1) })}
          />
        )
      }
    />
  );
}

/** In place of the list's moves from row to row: they open the next one at once. */
function useSteps(step: (by: number) => void, close: () => void): void {
  const onPage = { group: "This page", inPalette: false } as const;
  useCommands([
    { ...onPage, id: "audit:next", label: "Next event", keys: "j", run: () => step(1) },
    { ...onPage, id: "audit:previous", label: "Previous event", keys: "k", run: () => step(-1) },
    { ...onPage, id: "audit:close", label: "Close the event", keys: "Escape", run: close },
  ]);
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
