// Routes of the search for objects.
import { route, type Route } from "../../kernel/http/route.ts";
import { ObjectPage, ObjectQuery } from "./schema.ts";
import { findObjects, type RouteTable } from "./service.ts";

export function objectRoutes(table: RouteTable): readonly Route[] {
  return [
    route({
      operation: "objects.list",
      method: "GET",
      path: "/v1/organizations/objects",
      summary:
        "Finds objects by an id or by words of their names, among all that the caller may read.",
      permission: "organization:read",
      organizations: ["platform", "enterprise"],
      query: ObjectQuery,
      reply: ObjectPage,
      handle: (context, { query }) => findObjects(context, table, query),
    }),
    route({
      operation: "workspace_objects.list",
      method: "GET",
      path: "/v1/objects",
      summary: "Finds objects of the workspace by an id or by words of their names.",
      permission: "messages:use",
      credentials: ["api_key", "oauth_token"],
      query: ObjectQuery,
      reply: ObjectPage,
      handle: (context, { query }) => findObjects(context, table, query),
    }),
    route({
      operation: "console.objects.list",
      method: "GET",
      path: "/console/api/objects",
      summary:
        "Finds objects by an id or by words of their names, among all that the person may open.",
      permission: "console:use",
      credentials: ["console"],
      query: ObjectQuery,
      reply: ObjectPage,
      handle: (context, { query }) => findObjects(context, table, query),
    }),
  ];
}
