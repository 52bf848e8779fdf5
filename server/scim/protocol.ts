// The routes of the protocol: a table apart, for identity providers only.
import Type, { type Static } from "typebox";
import { rateLimited } from "../../kernel/base/failure.ts";
import type { Context, World } from "../../kernel/context.ts";
import { expectNamesOnce, type OriginalBody } from "../../kernel/http/input/body.ts";
import { originalJson, route, type Method, type Route } from "../../kernel/http/route.ts";
import { part } from "../../kernel/work/parts.ts";
import * as discovery from "./discovery.ts";
import * as groups from "./groups/service.ts";
import { limits } from "./limits.ts";
import { ListQuery, ResourceQuery } from "./schema.ts";
import * as users from "./people/service.ts";
import * as reads from "./people/service-read.ts";

export const prefix = "/scim/v2/";

/** Open: providers may send attributes beyond the standard. */
const anyBody = originalJson(Type.Object({}));

interface ScimRequest {
  id: string;
  query: Static<typeof ListQuery>;
  body: unknown;
}

/** One route; rule SCM19 holds for each of them. */
function scim(
  operation: string,
  [method, path]: readonly [Method, string],
  summary: string,
  handle: (context: Context, request: ScimRequest) => unknown,
): Route {
  const isList = method === "GET" && !path.includes("{");
  const isEnterprise = path.startsWith("Groups");
  return route({
    operation: `scim.${operation}`,
    method,
    path: prefix + path,
    summary,
    permission: "scim:provision",
    query: isList ? ListQuery : ResourceQuery,
    ...(isEnterprise && { organizations: ["enterprise"] }),
    ...(method !== "GET" && method !== "DELETE" && { body: anyBody }),
    bodyBytesMax: limits.bodyBytesMax,
    reply: Type.Object({}),
    handle: (context, { params, query, body }) => {
      expectPace(context, context.who.organizationId);
      const given = body as OriginalBody | undefined;
      if (given !== undefined) expectNamesOnce(given);
      return handle(context, { id: params["id"] ?? "", query, body: given?.value }) as object;
    },
  });
}

// A full synchronization is thousands of requests in a row: each organization has an allowance that refills.
interface Bucket {
  left: number;
  atMs: number;
}

export const pacePart = part("pace of SCIM", {
  make: () => new Map<string, Bucket>(),
});
const bucketsMax = 10_000;

/** Rule SCM19: per process; a server of several processes takes that many times as much. */
function expectPace(world: World, organizationId: string): void {
  const buckets = pacePart.of(world);
  const nowMs = world.clock.monotonicMs();
  const { requestsAtOnceMax: most, requestsPerSecond: perSecond } = limits;
  const before = buckets.get(organizationId) ?? { left: most, atMs: nowMs };
  const left = Math.min(most, before.left + ((nowMs - before.atMs) / 1000) * perSecond);
  if (left < 1)
    throw rateLimited(
      `SCIM takes ${perSecond} requests a second of one organization, and ${most} at once. Go on in a second.`,
      1,
    );
  if (buckets.size >= bucketsMax) buckets.clear();
  buckets.set(organizationId, { left: left - 1, atMs: nowMs });
}

export const protocolRoutes: readonly Route[] = [
  scim("config", ["GET", "ServiceProviderConfig"], "What this server can do.", (context) =>
    discovery.serviceProviderConfig(context),
  ),
  scim("resource_types.list", ["GET", "ResourceTypes"], "Kinds of resources.", (context) =>
    discovery.resourceTypes(context),
  ),
  scim("resource_types.get", ["GET", "ResourceTypes/{id}"], "One kind.", (context, { id }) =>
    discovery.resourceType(context, id),
  ),
  scim("schemas.list", ["GET", "Schemas"], "What resources look like.", (context) =>
    discovery.schemaList(context),
  ),
  scim("schemas.get", ["GET", "Schemas/{id}"], "What one looks like.", (context, { id }) =>
    discovery.schemaOf(context, id),
  ),
  scim("users.list", ["GET", "Users"], "Finds people.", (context, { query }) =>
    reads.listUsers(context, query),
  ),
  scim("users.get", ["GET", "Users/{id}"], "One person.", (context, { id, query }) =>
    reads.getUser(context, id, query),
  ),
  scim("users.create", ["POST", "Users"], "A person comes.", (context, { body }) =>
    users.createUser(context, body),
  ),
  scim("users.replace", ["PUT", "Users/{id}"], "All of a person.", (context, { id, ...rest }) =>
    users.replaceUser(context, id, rest),
  ),
  scim("users.patch", ["PATCH", "Users/{id}"], "Parts of a person.", (context, { id, ...rest }) =>
    users.patchUser(context, id, rest),
  ),
  scim("users.delete", ["DELETE", "Users/{id}"], "A person goes.", (context, { id }) =>
    users.deleteUser(context, id),
  ),
  scim("groups.list", ["GET", "Groups"], "Finds groups.", (context, { query }) =>
    groups.listGroups(context, query),
  ),
  scim("groups.get", ["GET", "Groups/{id}"], "One group.", (context, { id, query }) =>
    groups.getGroup(context, id, query),
  ),
  scim("groups.create", ["POST", "Groups"], "A group comes.", (context, { body }) =>
    groups.createGroup(context, body),
  ),
  scim("groups.replace", ["PUT", "Groups/{id}"], "All of a group.", (context, { id, ...rest }) =>
    groups.replaceGroup(context, id, rest),
  ),
  scim("groups.patch", ["PATCH", "Groups/{id}"], "Parts of a group.", (context, { id, body }) =>
    groups.patchGroup(context, id, body),
  ),
  scim("groups.delete", ["DELETE", "Groups/{id}"], "A group goes.", (context, { id }) =>
    groups.deleteGroup(context, id),
  ),
];
