// Events as a timeline: a table for each day, newest first.
import type { AuditEntry } from "../kit/server/api.ts";
import { daysOf } from "./audit.ts";
import { exactTime } from "../kit/value/time.ts";
import { dayText, timeText } from "../kit/list/timeline.ts";
import { spaced } from "../kit/value/words.ts";
import { actorName } from "./audit-line.tsx";
import { TargetName } from "./audit-target.tsx";
import { Badge } from "../kit/value/badge.tsx";
import { Table, type Column } from "../kit/list/table.tsx";

export function AuditTable({
  rows,
  selected,
  open,
}: {
  rows: AuditEntry[];
  selected: string | undefined;
  open: (entry: AuditEntry) => void;
}) {
  return daysOf(rows).map(([day, entries]) => (
    <section key={day} aria-label={dayText(day)} className="mb-5">
      <h2 className="mb-2 text-sm font-medium text-soft">{dayText(day)}</h2>
      <Table
        label={`Events of ${dayText(day)}`}
        columns={columns(open)}
        rows={entries}
        keyOf={({ id }) => id}
        selected={selected}
      />
    </section>
  ));
}

const columns = (open: (entry: AuditEntry) => void): Column<AuditEntry>[] => [
  {
    title: "Action",
    heads: true,
    className: "md:w-[34%]",
    cell: (entry) => (
      <button
        type="button"
        onClick={() => open(entry)}
        className="text-left font-medium underline-offset-2 hover:underline"
      >
        {spaced(entry.action)}
        <Times entry={entry} />
      </button>
    ),
  },
  {
    title: "Actor",
    className: "md:w-[24%]",
    cell: (entry) => <span className="wrap-anywhere">{actorName(entry.actor)}</span>,
  },
  {
    title: "Target",
    className: "md:w-[18%]",
    cell: (entry) =>
      entry.target === null ? (
        <span className="text-soft">None</span>
      ) : (
        <span title={entry.target.id} className="block min-w-0 text-soft wrap-break-word">
          <TargetName target={entry.target} />
        </span>
      ),
  },
  {
    title: "Address",
    className: "md:w-[14%]",
    // Only an address of the newer kind may be too long for its column.
    cell: ({ address }) => (
      <span className={`text-sm ${address.includes(":") ? "wrap-anywhere" : "whitespace-nowrap"}`}>
        {address}
      </span>
    ),
  },
  {
    title: "Time",
    className: "md:w-[10%]",
    cell: (entry) => (
      <time dateTime={entry.at} title={exactTime(entry.at)} className="text-sm tabular-nums">
        {timeText(entry.at)}
      </time>
    ),
  },
];

/** Attempts of one kind within a minute are one event. */
function Times({ entry: { action, details } }: { entry: AuditEntry }) {
  const count = details["count"];
  if (action !== "request.denied" || typeof count !== "number" || count < 2) return null;
  return (
    <span className="ml-2">
      <Badge tone="warn">{count} times</Badge>
    </span>
  );
}
