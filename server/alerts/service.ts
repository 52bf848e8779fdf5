// Shows alerts: pages of them, and one.
import { notFound } from "../../kernel/base/failure.ts";
import type { Context } from "../../kernel/context.ts";
import { makeCursors, pageSize, toCursorPage } from "../../kernel/http/pages.ts";
import { visibleWorkspaceIds } from "../workspaces/module.ts";
import * as queries from "./queries.ts";
import type { Alert, AlertQuery } from "./schema.ts";
import { summaryOf } from "./words.ts";

/** Rule ALT13: of a workspace that rule WSP10 hides there is none; those who read limits alone see all. */
async function filterOf(context: Context): Promise<queries.AlertFilter> {
  const readsWorkspaces = context.who.permissions.has("workspaces:read");
  return { workspaceIds: readsWorkspaces ? await visibleWorkspaceIds(context) : null };
}

export async function listAlerts(context: Context, query: AlertQuery) {
  const { db, secrets, who } = context;
  const { organizationId } = who;
  const size = pageSize(query.limit);
  const cursors = makeCursors(secrets);
  const before = cursors.read("alerts", organizationId, query.page) as string | undefined;
  const filter = { ...(await filterOf(context)), state: query.state ?? "all" } as const;
  const window = { before: before ?? null, rows: size + 1 };
  const rows = await queries.listAlerts(db, organizationId, filter, window);
  const page = toCursorPage(rows, size, ({ id }) => cursors.write("alerts", organizationId, id));
  return { ...page, data: page.data.map(present) };
}

export async function readAlert(context: Context, id: string): Promise<Alert> {
  const { db, who } = context;
  const row = await queries.findAlert(db, who.organizationId, id, await filterOf(context));
  if (row === undefined) throw notFound("alert", id);
  return present(row);
}

const present = (row: queries.AlertRow): Alert => ({
  id: row.id,
  type: "alert",
  kind: row.kind,
  state: row.resolvedAt === null ? "firing" : "resolved",
  summary: summaryOf(row),
  subject: {
    type: row.subjectType,
    id: row.subjectId === "" ? null : row.subjectId,
    name: row.subjectName ?? (row.subjectType === "upstream" ? row.subjectId : null),
  },
  period: row.period === "" ? null : row.period,
  value: row.value,
  threshold: row.threshold,
  firing_since: row.firingSince.toISOString(),
  resolved_at: row.resolvedAt?.toISOString() ?? null,
  resolution: row.resolution,
});
