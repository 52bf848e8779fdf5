// Routes of limits, in the console: what holds, what is used of it, and what shall hold.
import { noContent } from "../../kernel/http/output/reply.ts";
import { route } from "../../kernel/http/route.ts";
import { WorkspaceParams } from "../workspaces/module.ts";
import * as schema from "./schema-console.ts";
import { publicRoutes } from "./rates/routes.ts";
import * as rates from "./rates/service-console.ts";
import { limitsInUse } from "./limits-in-use.ts";
import * as spend from "./spend/service-console.ts";
import { spendRoutes } from "./spend/routes.ts";

export const routes = [
  ...publicRoutes,
  ...spendRoutes,
  route({
    operation: "limits.retrieve",
    method: "GET",
    path: "/v1/organizations/limits",
    summary: "What holds for the organization, or for one workspace, and what is used of it.",
    permission: "limits:read",
    organizations: ["platform", "enterprise"],
    query: schema.RateLimitQuery,
    reply: schema.LimitsInUse,
    handle: (context, { query }) => limitsInUse(context, query),
  }),
  route({
    operation: "console.rate_limits.list",
    method: "GET",
    path: "/console/api/rate_limits",
    summary: "Rate limits of the organization, or of one workspace, for each group of models.",
    permission: "limits:read",
    credentials: ["console"],
    query: schema.RateLimitQuery,
    reply: schema.RateLimits,
    handle: (context, { query }) => rates.listRateLimits(context, query),
  }),
  route({
    operation: "console.rate_limits.set",
    method: "POST",
    path: "/console/api/rate_limits",
    summary: "Sets rate limits of one group of models, or takes away what was set.",
    permission: "limits:write",
    credentials: ["console"],
    body: schema.SetRateLimit,
    reply: schema.RateLimit,
    handle: (context, { body }) => rates.setRateLimit(context, body),
  }),
  route({
    operation: "console.spend_limits.list",
    method: "GET",
    path: "/console/api/spend_limits",
    summary: "Spend limits of the organization and its workspaces, with what is spent this month.",
    permission: "limits:read",
    credentials: ["console"],
    reply: schema.SpendLimits,
    handle: (context) => spend.listSpendLimits(context),
  }),
  route({
    operation: "console.workspaces.spend",
    method: "GET",
    path: "/console/api/workspaces/{workspace_id}/spend",
    summary: "The spend limit of a workspace, with what is spent this month.",
    permission: "console:use",
    credentials: ["console"],
    params: WorkspaceParams,
    reply: schema.SpendLimits,
    handle: (context, { params }) => spend.workspaceSpend(context, params.workspace_id),
  }),
  route({
    operation: "console.spend_limits.set",
    method: "POST",
    path: "/console/api/spend_limits",
    summary: "Sets the monthly spend limit of the organization or of a workspace.",
    permission: "limits:write",
    credentials: ["console"],
    body: schema.SetSpendLimit,
    reply: schema.SpendLimit,
    handle: (context, { body }) => spend.setSpendLimit(context, body),
  }),
  route({
    operation: "console.spend_limits.delete",
    method: "DELETE",
    path: "/console/api/spend_limits/{scope_id}",
    summary: "Takes a spend limit away.",
    permission: "limits:write",
    credentials: ["console"],
    params: schema.SpendLimitParams,
    reply: "none",
    handle: (context, { params }) =>
      spend.removeSpendLimit(context, params.scope_id).then(() => noContent()),
  }),
];
