// What the log shows of each event.
import { nameColumn } from "../kit/list/columns.tsx";
import type { Column } from "../kit/list/table.tsx";
import { timeText } from "../kit/list/timeline.ts";
import type { AuditEntry } from "../kit/server/api.ts";
import { Badge } from "../kit/value/badge.tsx";
import { exactTime } from "../kit/value/time.ts";
import { spaced } from "../kit/value/words.ts";
import { ActorOf } from "./audit-line.tsx";
import { TargetName } from "./audit-target.tsx";

export const auditColumns = (open: (entry: AuditEntry) => void): Column<AuditEntry>[] => [
  nameColumn<AuditEntry>({
    title: "Action",
    className: "md:w-[27%]",
    name: ({ action }) => spaced(action),
    beside: (entry) => <Times entry={entry} />,
    opens: (entry) => () => open(entry),
  }),
  { title: "Actor", className: "md:w-[22%]", cell: ({ actor }) => <ActorOf actor={actor} /> },
  {
    title: "Target",
    className: "md:w-[27%] text-soft",
    cell: (entry) =>
      entry.target === null ? "None" : <TargetName entry={entry} target={entry.target} />,
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
  return <Badge tone="warn">{count} times</Badge>;
}
