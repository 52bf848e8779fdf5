// Statements of the overview, which is asked for again and again while it is open.
import type { Queryable } from "../../kernel/sql/database.ts";
import { spanOf } from "../../server/limits/module.ts";
import * as overview from "../../server/overview/queries.ts";
import { waitingKinds } from "../../server/overview/schema.ts";

const now = new Date("2026-01-01T00:00:00Z");
const spans = {
  daily: spanOf("daily", now),
  weekly: spanOf("weekly", now),
  monthly: spanOf("monthly", now),
};
const workspaceIds = ["one", "two"];
const wanted = { workspaceIds, invitesUntil: now, now, rows: 5 };

export const overviewStatements: Record<string, (on: Queryable) => Promise<unknown>> = {
  "overview: whether a model was ever asked": (on) => overview.hasAskedModel(on, "org"),
  "overview: what the month has cost": (on) => overview.monthSpent(on, "org", "2026-01"),
  "overview: limits": (on) => overview.listLimits(on, "org", { spans, workspaceIds, rows: 5 }),
  "overview: open batches": (on) => overview.listOpenBatches(on, "org", null),
  "overview: running sessions": (on) => overview.listRunningSessions(on, "org", null),
  ...Object.fromEntries(
    waitingKinds.map((kind) => [
      `overview: what waits, ${kind}`,
      (on: Queryable) => overview.listWaiting(on, "org", { ...wanted, kinds: [kind] }),
    ]),
  ),
  "overview: storage": (on) => overview.readStorage(on, "org"),
  "overview: names": (on) => overview.namesOf(on, "org", ["one", "two"]),
};
