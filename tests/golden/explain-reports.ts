// The hot statements of reports, and of what members may spend: ranges of one organization, on indexes.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import * as spend from "../../server/limits/spend/queries.ts";
import * as limits from "../../server/limits/queries.ts";
import { readHorizon, selectUsage, type UsageSelection } from "../../server/usage/module.ts";
import { lockHorizon } from "../../server/usage/sums/queries.ts";

const now = new Date("2026-03-15T12:00:00Z");
const year: UsageSelection = {
  from: new Date("2025-03-15T00:00:00Z"),
  to: new Date("2026-03-16T00:00:00Z"),
  width: null,
  groupBy: ["api_key_id"],
  filters: {},
  orderBy: "total_tokens",
  byTime: false,
  order: "desc",
  byClass: false,
  after: null,
  rows: 1_001,
};
const untilMs = new Date("2026-03-15T09:00:00Z").getTime();
const snapshot = "100:200:150";
const reportOf = (on: Queryable, asked: Partial<UsageSelection>, seen: string | null = null) =>
  selectUsage(on, "org", { ...year, ...asked }, { untilMs, snapshot: seen });
const minutes = { from: new Date("2026-03-15T11:00:00Z"), to: now, width: "1m" } as const;

const month = {
  organizationId: "org",
  holderId: "user",
  periodKey: "monthly/2026-03",
  user: { id: "user", period: "monthly", from: "2026-03-01", until: "2026-04-01" },
} as const;
const lease = { id: "node", owner: "me", epoch: 1 };
const requests = { before: "slr", rows: 21, users: null, statuses: null };

export const reportStatements: Record<string, (on: Queryable) => Promise<unknown>> = {
  "reports: by key": (on) => reportOf(on, {}),
  "reports: a page that goes on": (on) =>
    reportOf(on, { after: ["7", year.from.toISOString(), "key"] }, snapshot),
  "reports: by day": (on) => reportOf(on, { width: "1d", groupBy: [], byTime: true }),
  "reports: by hour": (on) => reportOf(on, { width: "1h", groupBy: ["model"], byTime: true }),
  "reports: by minute": (on) => reportOf(on, minutes),
  "reports: of some models": (on) => reportOf(on, { filters: { model: ["one", "two"] } }),
  "reports: by class of tokens": (on) => reportOf(on, { byClass: true }),
  "reports: how far sums are": (on) => readHorizon(on),
  "reports: who makes sums": (on) => lockHorizon(on as Tx),
  "limits: of a member": (on) => limits.selectUserSpends(on, "org", "user"),
  "limits: of a member, locked": (on) => limits.lockSpendLimit(on as Tx, month),
  "limits: taken of a member's": (on) => limits.selectTaken(on as Tx, month, lease),
  "spend limits: a page of shared ones": (on) =>
    spend.listShared(on, "org", { after: "spl", rows: 21 }),
  "spend limits: a page of members'": (on) =>
    spend.listPersonal(on, "org", { after: "spl", rows: 21 }),
  "spend limits: one": (on) => spend.findLimit(on, "org", "spl"),
  "spend limits: of members": (on) => spend.limitsOfUsers(on, "org", ["one", "two"]),
  "spend limits: members, a page": (on) =>
    spend.listMembers(on, "org", { after: "user", rows: 21, ids: null }),
  "spend limits: spent by members": (on) => spend.spentByUsers(on, "org", ["one", "two"], now),
  "spend limits: who asks for more, a page": (on) => spend.listRequests(on, "org", requests),
  "spend limits: one who asks for more": (on) => spend.findRequest(on, "org", "slr"),
};
