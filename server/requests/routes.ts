// Routes of the request log.
import { route } from "../../kernel/http/route.ts";
import { exportRequests } from "./export.ts";
import * as schema from "./schema.ts";
import * as service from "./service.ts";

const forReaders = {
  permission: "usage:read",
  organizations: ["platform", "enterprise"],
} as const;

export const routes = [
  route({
    operation: "requests.list",
    method: "GET",
    path: "/v1/organizations/requests",
    summary: "Lists requests, items of batches and turns of agents: newest first, or as they end.",
    ...forReaders,
    query: schema.RequestsQuery,
    reply: schema.RequestsPage,
    handle: (context, { query }) => service.listRequests(context, query),
  }),
  route({
    operation: "requests.retrieve",
    method: "GET",
    path: "/v1/organizations/requests/{request_id}",
    summary: "Reads one request: who asked, which models were tried and why, and what it cost.",
    ...forReaders,
    params: schema.RequestPath,
    reply: schema.LoggedRequest,
    handle: (context, { params }) => service.readRequest(context, params.request_id),
  }),
  route({
    operation: "console.requests.export",
    method: "GET",
    path: "/console/api/requests/export",
    summary: "The request log as JSON lines or CSV, newest first, as far as the filters take it.",
    permission: "usage:read",
    credentials: ["console"],
    organizations: forReaders.organizations,
    query: schema.RequestExportQuery,
    reply: "bytes",
    handle: (context, { query }) => exportRequests(context, query),
  }),
];
