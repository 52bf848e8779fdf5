// Routes of kept bodies: what a workspace keeps, and what is kept of one request.
import { route, type Route } from "../../kernel/http/route.ts";
import { forConsoleByRole, WorkspaceParams } from "../workspaces/module.ts";
import * as schema from "./schema.ts";
import * as service from "./service.ts";

/** Where there is no log of requests to read it from, nothing is kept. */
const withLog = ["platform", "enterprise"] as const;
const ofWorkspace = {
  path: "/v1/organizations/workspaces/{workspace_id}/request_bodies",
  organizations: ["platform"],
  params: WorkspaceParams,
} as const;

const ofSettings: readonly Route[] = [
  route({
    operation: "workspaces.request_bodies.retrieve",
    method: "GET",
    summary: "Whether a workspace keeps what is said in its requests, and what it takes out.",
    permission: "workspaces:read",
    ...ofWorkspace,
    reply: schema.Settings,
    handle: (context, { params }) => service.readSettings(context, params.workspace_id),
  }),
  route({
    operation: "workspaces.request_bodies.update",
    method: "POST",
    summary: "Has a workspace keep what is said in its requests, or keep it no more.",
    permission: "workspaces:write",
    ...ofWorkspace,
    body: schema.UpdateSettings,
    reply: schema.Settings,
    handle: (context, { params, body }) =>
      service.updateSettings(context, params.workspace_id, body),
  }),
  route({
    operation: "workspaces.request_bodies.delete",
    method: "DELETE",
    summary: "Deletes all that a workspace has kept of its requests.",
    permission: "workspaces:write",
    ...ofWorkspace,
    reply: schema.Deleted,
    handle: (context, { params }) => service.deleteKept(context, params.workspace_id),
  }),
];

export const routes: readonly Route[] = [
  ...ofSettings,
  ...ofSettings.map((one) => ({ ...forConsoleByRole(one), organizations: withLog })),
  route({
    operation: "request_bodies.retrieve",
    method: "GET",
    path: "/v1/organizations/requests/{request_id}/body",
    summary: "Reads what was said in a request, where it is kept. Each look is in the audit log.",
    permission: "request_bodies:read",
    organizations: withLog,
    params: schema.BodyPath,
    reply: schema.RequestBody,
    handle: (context, { params }) => service.readBody(context, params.request_id),
  }),
];
