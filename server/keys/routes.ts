// Routes of keys: read, rename and deactivate over the API; all of it in the console.
import { route } from "../../kernel/http/route.ts";
import { forConsoleByRole, Workspace, WorkspaceParams } from "../workspaces/module.ts";
import * as schema from "./schema.ts";
import * as reads from "./service-read.ts";
import * as service from "./service.ts";

const archive = route({
  operation: "workspaces.archive",
  method: "POST",
  path: "/v1/organizations/workspaces/{workspace_id}/archive",
  summary: "Archives a workspace for ever, and with it its keys.",
  permission: "workspaces:write",
  organizations: ["platform", "platform_cloud"],
  params: WorkspaceParams,
  reply: Workspace,
  handle: (context, { params }) => service.archiveWorkspace(context, params.workspace_id),
});

export const routes = [
  archive,
  forConsoleByRole(archive),
  route({
    operation: "api_keys.list",
    method: "GET",
    path: "/v1/organizations/api_keys",
    summary: "Lists the organization's API keys, newest first.",
    permission: "api_keys:read",
    organizations: ["platform"],
    query: schema.ApiKeyQuery,
    reply: schema.ApiKeyPage,
    handle: (context, { query }) => reads.listApiKeys(context, query),
  }),
  route({
    operation: "api_keys.retrieve",
    method: "GET",
    path: "/v1/organizations/api_keys/{api_key_id}",
    summary: "One API key.",
    permission: "api_keys:read",
    organizations: ["platform"],
    params: schema.ApiKeyParams,
    reply: schema.ApiKey,
    handle: (context, { params }) => reads.retrieveApiKey(context, params.api_key_id),
  }),
  route({
    operation: "api_keys.update",
    method: "POST",
    path: "/v1/organizations/api_keys/{api_key_id}",
    summary: "Renames an API key, or deactivates, activates or archives it.",
    permission: "api_keys:write",
    organizations: ["platform"],
    params: schema.ApiKeyParams,
    body: schema.UpdateKey,
    reply: schema.ApiKey,
    handle: (context, { params, body }) => service.updateApiKey(context, params.api_key_id, body),
  }),
  route({
    operation: "console.keys.list",
    method: "GET",
    path: "/console/api/keys",
    summary: "Lists keys of every kind with their last use, newest first.",
    permission: "console:use",
    credentials: ["console"],
    query: schema.KeyQuery,
    reply: schema.KeyPage,
    handle: (context, { query }) => reads.listKeys(context, query),
  }),
  route({
    operation: "console.keys.create",
    method: "POST",
    path: "/console/api/keys",
    summary: "Creates a key. The reply holds its secret, which is never shown again.",
    permission: "console:use",
    credentials: ["console"],
    body: schema.CreateKey,
    reply: schema.NewKey,
    handle: (context, { body }) => service.createKey(context, body),
  }),
  route({
    operation: "console.keys.update",
    method: "POST",
    path: "/console/api/keys/{key_id}",
    summary: "Renames a key, or deactivates, activates or archives it.",
    permission: "console:use",
    credentials: ["console"],
    params: schema.KeyParams,
    body: schema.UpdateKey,
    reply: schema.Key,
    handle: (context, { params, body }) => service.updateConsoleKey(context, params.key_id, body),
  }),
];
