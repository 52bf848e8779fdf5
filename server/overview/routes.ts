// Routes of the overview.
import { route } from "../../kernel/http/route.ts";
import * as schema from "./schema.ts";
import * as service from "./service.ts";

export const routes = [
  route({
    operation: "organizations.overview",
    method: "GET",
    path: "/v1/organizations/overview",
    summary:
      "What goes on: requests, spend, upstreams, who spends most, and what waits for a person.",
    permission: "organization:read",
    query: schema.OverviewQuery,
    reply: schema.Overview,
    handle: (context, { query }) => service.overview(context, query),
  }),
];
