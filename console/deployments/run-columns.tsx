// The columns of runs, on the page of their deployment and on that of all of them.
import { nameColumn, timeColumn } from "../kit/list/columns.tsx";
import type { Column } from "../kit/list/table.tsx";
import type { Search } from "../kit/page/search.ts";
import type { DeploymentRun } from "../kit/server/api.ts";
import { Badge } from "../kit/value/badge.tsx";
import { exactTime } from "../kit/value/time.ts";
import { errorText, triggerText } from "./deployments.ts";

export const runColumns = (search: Search): Column<DeploymentRun>[] => [
  nameColumn({
    title: "Session",
    name: (run) => run.session_id ?? "No session",
    below: ({ error }) => error?.message,
    opens: ({ session_id: id }) =>
      id === null ? undefined : { to: "/sessions/$id", params: { id }, search },
  }),
  {
    title: "Outcome",
    cell: ({ error }) =>
      error === null ? (
        <Badge tone="good">Begun</Badge>
      ) : (
        <Badge tone="bad">{errorText(error.type)}</Badge>
      ),
  },
  {
    title: "Began",
    className: "md:min-w-36",
    cell: (run) => (
      <span>
        {triggerText(run)}
        {run.trigger_context.scheduled_at !== undefined && (
          <span className="block text-sm text-soft">
            for {exactTime(run.trigger_context.scheduled_at)}
          </span>
        )}
      </span>
    ),
  },
  timeColumn("When", ({ created_at: at }) => at),
];
