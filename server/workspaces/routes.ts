// Routes of workspaces and of their members; archiving is a route of server/keys, because it ends the workspace's keys.
import { forConsole, route, type Route } from "../../kernel/http/route.ts";
import * as members from "./members/service.ts";
import * as schema from "./schema.ts";
import * as service from "./service.ts";

const organizations = ["platform", "platform_cloud"] as const;
const read = { permission: "workspaces:read", organizations } as const;
const write = { permission: "workspaces:write", organizations } as const;
const all = "/v1/organizations/workspaces";
const one = `${all}/{workspace_id}`;
const member = `${one}/members/{user_id}`;

const ofApi: readonly Route[] = [
  route({
    operation: "workspaces.create",
    method: "POST",
    path: all,
    summary: "Makes a workspace.",
    ...write,
    body: schema.CreateWorkspace,
    reply: schema.Workspace,
    handle: (context, { body }) => service.createWorkspace(context, body),
  }),
  route({
    operation: "workspaces.list",
    method: "GET",
    path: all,
    summary: "Lists the organization's workspaces, newest first.",
    ...read,
    query: schema.WorkspaceQuery,
    reply: schema.WorkspacePage,
    handle: (context, { query }) => service.listPage(context, query),
  }),
  route({
    operation: "workspaces.retrieve",
    method: "GET",
    path: one,
    summary: "One workspace.",
    ...read,
    params: schema.WorkspaceParams,
    reply: schema.Workspace,
    handle: (context, { params }) => service.retrieveWorkspace(context, params.workspace_id),
  }),
  route({
    operation: "workspaces.update",
    method: "POST",
    path: one,
    summary: "Changes name, colour, tags or data residency of a workspace.",
    ...write,
    params: schema.WorkspaceParams,
    body: schema.UpdateWorkspace,
    reply: schema.Workspace,
    handle: (context, { params, body }) =>
      service.updateWorkspace(context, params.workspace_id, body),
  }),
];

const changesOfMembers: readonly Route[] = [
  route({
    operation: "workspaces.members.add",
    method: "POST",
    path: `${one}/members`,
    summary: "Adds a member of the organization to a workspace.",
    ...write,
    params: schema.WorkspaceParams,
    body: schema.AddMember,
    reply: schema.WorkspaceMember,
    handle: (context, { params, body }) => members.addMember(context, params.workspace_id, body),
  }),
  route({
    operation: "workspaces.members.update",
    method: "POST",
    path: member,
    summary: "Changes the role of a member of a workspace.",
    ...write,
    params: schema.MemberParams,
    body: schema.UpdateMember,
    reply: schema.WorkspaceMember,
    handle: (context, { params, body }) =>
      members.updateMember(context, params.workspace_id, params.user_id, body),
  }),
  route({
    operation: "workspaces.members.remove",
    method: "DELETE",
    path: member,
    summary: "Removes a member from a workspace.",
    ...write,
    params: schema.MemberParams,
    reply: schema.WorkspaceMemberDeleted,
    handle: (context, { params }) =>
      members.removeMember(context, params.workspace_id, params.user_id),
  }),
];

/** Acts that a role in a workspace allows: the service checks that role. */
export const forConsoleByRole = (one: Route): Route => ({
  ...forConsole(one),
  permission: "console:use",
});

export const routes: readonly Route[] = [
  ...ofApi,
  route({
    operation: "workspaces.members.list",
    method: "GET",
    path: `${one}/members`,
    summary: "Lists the members of a workspace, those newest in the organization first.",
    ...read,
    params: schema.WorkspaceParams,
    query: schema.MemberQuery,
    reply: schema.WorkspaceMemberPage,
    handle: (context, { params, query }) =>
      members.listMembers(context, params.workspace_id, query),
  }),
  route({
    operation: "workspaces.members.retrieve",
    method: "GET",
    path: member,
    summary: "One member of a workspace.",
    ...read,
    params: schema.MemberParams,
    reply: schema.WorkspaceMember,
    handle: (context, { params }) =>
      members.retrieveMember(context, params.workspace_id, params.user_id),
  }),
  ...changesOfMembers,
  ...[...ofApi, ...changesOfMembers].map(forConsoleByRole),
  route({
    operation: "console.workspaces.members.list",
    method: "GET",
    path: "/console/api/workspaces/{workspace_id}/members",
    summary: "Lists the members of a workspace by name, those newest in the organization first.",
    permission: "console:use",
    credentials: ["console"],
    params: schema.WorkspaceParams,
    query: schema.MemberQuery,
    reply: schema.NamedMemberPage,
    handle: (context, { params, query }) => members.listNamed(context, params.workspace_id, query),
  }),
  route({
    operation: "console.workspaces.candidates",
    method: "GET",
    path: "/console/api/workspaces/{workspace_id}/candidates",
    summary: "Members of the organization who could be added, by the beginning of their e-mail.",
    permission: "console:use",
    credentials: ["console"],
    params: schema.WorkspaceParams,
    query: schema.CandidateQuery,
    reply: schema.Candidates,
    handle: (context, { params, query }) =>
      members.listCandidates(context, params.workspace_id, query.email),
  }),
];
