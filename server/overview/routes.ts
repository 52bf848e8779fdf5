// Routes of the overview.
import { forConsole, route } from "../../kernel/http/route.ts";
import * as schema from "./schema.ts";
import * as service from "./service.ts";

const overview = route({
  operation: "organizations.overview",
  method: "GET",
  path: "/v1/organizations/overview",
  summary:
    "What goes on: requests, spend, upstreams, who spends most, and what waits for a person.",
  permission: "organization:read",
  organizations: ["platform", "enterprise"],
  query: schema.OverviewQuery,
  reply: schema.Overview,
  handle: (context, { query }) => service.overview(context, query),
});

/** The console's overview has a part of the server as well, under the shorter name. */
export const routes = [overview, { ...forConsole(overview), path: "/console/api/overview/day" }];
