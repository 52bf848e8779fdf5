// Routes of reports: usage and cost by dimension, and the classic ones in time buckets.
import { forConsole, route, type Route } from "../../kernel/http/route.ts";
import { listCostReport, listMessagesUsage } from "./service-classic.ts";
import * as classic from "./schema-classic.ts";
import * as schema from "./schema.ts";
import * as service from "./service.ts";

const ofReports = { permission: "usage:read", organizations: ["platform"] } as const;

const reports: Route[] = [
  route({
    operation: "analytics.usage",
    method: "GET",
    path: "/v1/organizations/analytics/usage",
    summary: "Tokens and requests of a range, by up to five dimensions and by time.",
    ...ofReports,
    query: schema.UsageQuery,
    reply: schema.UsagePage,
    handle: (context, { query }) => service.listUsage(context, query),
  }),
  route({
    operation: "analytics.cost",
    method: "GET",
    path: "/v1/organizations/analytics/cost",
    summary: "What a range cost, by up to five dimensions, by class of tokens and by time.",
    ...ofReports,
    query: schema.CostQuery,
    reply: schema.CostPage,
    handle: (context, { query }) => service.listCost(context, query),
  }),
];

export const routes: readonly Route[] = [
  ...reports,
  ...reports.map(forConsole),
  route({
    operation: "usage_report.messages",
    method: "GET",
    path: "/v1/organizations/usage_report/messages",
    summary: "Tokens in time buckets, oldest first.",
    ...ofReports,
    query: classic.MessagesQuery,
    reply: classic.MessagesReport,
    handle: (context, { query }) => listMessagesUsage(context, query),
  }),
  route({
    operation: "cost_report.list",
    method: "GET",
    path: "/v1/organizations/cost_report",
    summary: "What each day cost, oldest first.",
    ...ofReports,
    query: classic.CostReportQuery,
    reply: classic.CostReport,
    handle: (context, { query }) => listCostReport(context, query),
  }),
];
