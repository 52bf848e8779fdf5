// Routes of environments and of their keys.
import { route, type BetaRule } from "../../kernel/http/route.ts";
import * as keys from "./keys/service.ts";
import { workRoutes } from "./work/routes.ts";
import * as schema from "./schema.ts";
import * as service from "./service.ts";

const beta: BetaRule = { name: "managed-agents-2026-04-01", gate: "always" };
const ofEnvironments = { permission: "environments:use", beta } as const;
const ofKeys = { permission: "environment_keys:use", beta } as const;
const environment = "/v1/environments/{environment_id}";

export const routes = [
  route({
    operation: "environments.create",
    method: "POST",
    path: "/v1/environments",
    summary: "Makes an environment, in which sessions run their tools.",
    ...ofEnvironments,
    body: schema.CreateEnvironment,
    reply: schema.Environment,
    handle: (context, { body }) => service.createEnvironment(context, body),
  }),
  route({
    operation: "environments.list",
    method: "GET",
    path: "/v1/environments",
    summary: "Lists the workspace's environments, newest first.",
    ...ofEnvironments,
    query: schema.EnvironmentQuery,
    reply: schema.EnvironmentPage,
    handle: (context, { query }) => service.listEnvironments(context, query),
  }),
  route({
    operation: "environments.retrieve",
    method: "GET",
    path: environment,
    summary: "One environment.",
    ...ofEnvironments,
    params: schema.EnvironmentParams,
    reply: schema.Environment,
    handle: (context, { params }) => service.retrieveEnvironment(context, params.environment_id),
  }),
  route({
    operation: "environments.update",
    method: "POST",
    path: environment,
    summary: "Changes what is named of an environment; its type stays.",
    ...ofEnvironments,
    params: schema.EnvironmentParams,
    body: schema.UpdateEnvironment,
    reply: schema.Environment,
    handle: (context, { params, body }) =>
      service.updateEnvironment(context, params.environment_id, body),
  }),
  route({
    operation: "environments.archive",
    method: "POST",
    path: `${environment}/archive`,
    summary: "Closes an environment for ever: no session begins in it.",
    ...ofEnvironments,
    params: schema.EnvironmentParams,
    reply: schema.Environment,
    handle: (context, { params }) => service.archiveEnvironment(context, params.environment_id),
  }),
  route({
    operation: "environments.delete",
    method: "DELETE",
    path: environment,
    summary: "Deletes an environment with its keys.",
    ...ofEnvironments,
    params: schema.EnvironmentParams,
    reply: schema.DeletedEnvironment,
    handle: (context, { params }) => service.deleteEnvironment(context, params.environment_id),
  }),
  route({
    operation: "environments.keys.create",
    method: "POST",
    path: `${environment}/keys`,
    summary:
      "Makes a key for the workers of a self-hosted environment; its secret is in this reply alone.",
    ...ofKeys,
    params: schema.EnvironmentParams,
    body: schema.CreateEnvironmentKey,
    reply: schema.NewEnvironmentKey,
    handle: (context, { params, body }) => keys.createKey(context, params.environment_id, body),
  }),
  route({
    operation: "environments.keys.list",
    method: "GET",
    path: `${environment}/keys`,
    summary: "Lists the keys of an environment, newest first, with those that are revoked.",
    ...ofKeys,
    params: schema.EnvironmentParams,
    query: schema.KeyQuery,
    reply: schema.EnvironmentKeyPage,
    handle: (context, { params, query }) => keys.listKeys(context, params.environment_id, query),
  }),
  route({
    operation: "environments.keys.revoke",
    method: "POST",
    path: `${environment}/keys/{environment_key_id}/revoke`,
    summary: "Ends a key of an environment for ever, in every process within a second.",
    ...ofKeys,
    params: schema.EnvironmentKeyParams,
    reply: schema.EnvironmentKey,
    handle: (context, { params }) =>
      keys.revokeKey(context, params.environment_id, params.environment_key_id),
  }),
  ...workRoutes,
];
