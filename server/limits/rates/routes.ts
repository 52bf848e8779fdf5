// Routes of limits over the API.
import { route } from "../../../kernel/http/route.ts";
import * as rates from "./service.ts";
import * as schema from "./schema.ts";

const ofWorkspace = "/v1/organizations/workspaces/{workspace_id}/rate_limits";

export const publicRoutes = [
  route({
    operation: "rate_limits.list",
    method: "GET",
    path: "/v1/organizations/rate_limits",
    summary: "The organization's rate limits for each group of models.",
    permission: "limits:read",
    organizations: ["platform"],
    query: schema.OrganizationRateQuery,
    reply: schema.OrganizationRateLimits,
    handle: (context, { query }) => rates.listOrganizationRates(context, query),
  }),
  route({
    operation: "workspaces.rate_limits.list",
    method: "GET",
    path: ofWorkspace,
    summary: "What a workspace has of its own, and, where asked for, what it inherits.",
    permission: "limits:read",
    organizations: ["platform"],
    params: schema.WorkspaceRateParams,
    query: schema.WorkspaceRateQuery,
    reply: schema.WorkspaceRateLimits,
    handle: (context, { params, query }) =>
      rates.listWorkspaceRates(context, params.workspace_id, query),
  }),
  route({
    operation: "workspaces.rate_limits.update",
    method: "POST",
    path: `${ofWorkspace}/{rate_limit_id}`,
    summary: "Sets or clears rate limits of a workspace for one group of models.",
    permission: "limits:write",
    organizations: ["platform"],
    params: schema.SetWorkspaceRateParams,
    body: schema.SetWorkspaceRate,
    reply: schema.WorkspaceRateLimit,
    handle: (context, { params, body }) => rates.setWorkspaceRate(context, params, body),
  }),
];
