// The statements of alerts: what each look asks of all organizations, and what the console looks at again and again.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import * as looks from "../../server/alerts/look/queries.ts";
import * as alerts from "../../server/alerts/queries.ts";
import * as rules from "../../server/alerts/rules/queries.ts";
import * as endpoints from "../../server/webhooks/queries.ts";

const now = new Date("2026-01-01T00:00:00Z");
const span = { key: "2026-01", from: "2026-01-01", until: "2026-02-01" };
const spans = { daily: span, weekly: span, monthly: span };
const all = { workspaceIds: null };
const page = { before: "alert", rows: 21 };

export const alertStatements: Record<string, (on: Queryable) => Promise<unknown>> = {
  "alerts: spend limits": (on) => looks.selectSpent(on, spans),
  "alerts: shares of errors": (on) => looks.selectErrorShares(on, now),
  "alerts: upstreams that fail": (on) => looks.selectUpstreamsDown(on, now),
  "alerts: upstreams that are down": (on) => looks.selectAsked(on, now),
  "alerts: queues": (on) => looks.selectBacklog(on, now),
  "alerts: what fires": (on) => alerts.selectFiring(on as Tx),
  "alerts: a page": (on) => alerts.listAlerts(on, "org", { ...all, state: "all" }, page),
  "alerts: a page of what fires": (on) =>
    alerts.listAlerts(on, "org", { ...all, state: "firing" }, page),
  "alerts: a page of what was resolved": (on) =>
    alerts.listAlerts(on, "org", { ...all, state: "resolved" }, page),
  "alerts: old ones": (on) => alerts.deleteOldAlerts(on as Tx, now, 100),
  "alerts: old refusals": (on) => alerts.deleteOldRefusals(on as Tx, now, 100),
  "alerts: whom to mail": (on) => rules.listRecipients(on, ["org"], 50),
  "alerts: which webhooks": (on) =>
    endpoints.listWantingOf(on as Tx, { organizationIds: ["org"], types: ["alert.firing"] }),
};
