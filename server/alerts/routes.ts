// Routes of alerts, for programs and for the console.
import { forConsole, route } from "../../kernel/http/route.ts";
import * as rules from "./rules/service.ts";
import * as schema from "./schema.ts";
import * as service from "./service.ts";

const organizations = ["platform", "enterprise"] as const;
const reads = { permission: "limits:read", organizations } as const;
const writes = { permission: "limits:write", organizations } as const;

const publicRoutes = [
  route({
    operation: "alerts.list",
    method: "GET",
    path: "/v1/organizations/alerts",
    summary: "Lists alerts, newest first: what fires, what has fired, or both.",
    ...reads,
    query: schema.AlertQuery,
    reply: schema.AlertPage,
    handle: (context, { query }) => service.listAlerts(context, query),
  }),
  route({
    operation: "alerts.retrieve",
    method: "GET",
    path: "/v1/organizations/alerts/{alert_id}",
    summary: "Reads one alert.",
    ...reads,
    params: schema.AlertParams,
    reply: schema.Alert,
    handle: (context, { params }) => service.readAlert(context, params.alert_id),
  }),
  route({
    operation: "alert_rules.list",
    method: "GET",
    path: "/v1/organizations/alert_rules",
    summary: "Lists the rules by which alerts fire, with their numbers.",
    ...reads,
    reply: schema.AlertRules,
    handle: (context) => rules.listRules(context),
  }),
  route({
    operation: "alert_rules.retrieve",
    method: "GET",
    path: "/v1/organizations/alert_rules/{kind}",
    summary: "Reads one rule.",
    ...reads,
    params: schema.AlertRuleParams,
    reply: schema.AlertRule,
    handle: (context, { params }) => rules.readRule(context, params.kind),
  }),
  route({
    operation: "alert_rules.update",
    method: "POST",
    path: "/v1/organizations/alert_rules/{kind}",
    summary: "Switches a rule on or off, or changes its numbers.",
    ...writes,
    params: schema.AlertRuleParams,
    body: schema.UpdateAlertRule,
    reply: schema.AlertRule,
    handle: (context, { params, body }) => rules.updateRule(context, params.kind, body),
  }),
  route({
    operation: "alert_settings.retrieve",
    method: "GET",
    path: "/v1/organizations/alert_settings",
    summary: "Whom alerts are mailed to.",
    ...reads,
    reply: schema.AlertSettings,
    handle: (context) => rules.readSettings(context),
  }),
  route({
    operation: "alert_settings.update",
    method: "POST",
    path: "/v1/organizations/alert_settings",
    summary: "Sets whom alerts are mailed to.",
    ...writes,
    body: schema.UpdateAlertSettings,
    reply: schema.AlertSettings,
    handle: (context, { body }) => rules.updateSettings(context, body),
  }),
];

export const routes = [...publicRoutes, ...publicRoutes.map(forConsole)];
