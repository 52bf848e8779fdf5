// Routes of service accounts and of their memberships, from both sides.
import { route, type Route } from "../../../kernel/http/route.ts";
import * as accounts from "./service.ts";
import * as memberships from "./memberships.ts";
import * as schema from "./schema.ts";

const path = "/v1/organizations/service_accounts";
const inWorkspace = "/v1/organizations/workspaces/{workspace_id}/service_accounts";

/** Rule SVA6. */
const common = {
  organizations: ["platform"],
  credentials: ["oauth_token", "console"],
} as const;
const reading = { ...common, method: "GET", permission: "service_accounts:read" } as const;
const writing = { ...common, method: "POST", permission: "service_accounts:write" } as const;

const accountRoutes = [
  route({
    ...writing,
    operation: "service_accounts.create",
    path,
    summary: "Creates a service account.",
    errors: [409],
    body: schema.CreateAccount,
    reply: schema.ServiceAccount,
    handle: (context, { body }) => accounts.createAccount(context, body),
  }),
  route({
    ...reading,
    operation: "service_accounts.list",
    path,
    summary: "Lists service accounts, newest first.",
    query: schema.ArchivedQuery,
    reply: schema.ServiceAccountPage,
    handle: (context, { query }) => accounts.listAccounts(context, query),
  }),
  route({
    ...reading,
    operation: "service_accounts.retrieve",
    path: `${path}/{service_account_id}`,
    summary: "One service account.",
    params: schema.AccountParams,
    reply: schema.ServiceAccount,
    handle: (context, { params }) => accounts.retrieveAccount(context, params.service_account_id),
  }),
  route({
    ...writing,
    operation: "service_accounts.update",
    path: `${path}/{service_account_id}`,
    summary: "Changes the description or the role of a service account.",
    params: schema.AccountParams,
    body: schema.UpdateAccount,
    reply: schema.ServiceAccount,
    handle: (context, { params, body }) =>
      accounts.updateAccount(context, params.service_account_id, body),
  }),
  route({
    ...writing,
    operation: "service_accounts.archive",
    path: `${path}/{service_account_id}/archive`,
    summary: "Archives a service account: its tokens end at once.",
    params: schema.AccountParams,
    reply: schema.ServiceAccount,
    handle: (context, { params }) => accounts.archiveAccount(context, params.service_account_id),
  }),
];

const membershipRoutes = [
  route({
    ...reading,
    operation: "service_accounts.workspaces.list",
    path: `${path}/{service_account_id}/workspaces`,
    summary: "Lists the workspaces that a service account is a member of.",
    params: schema.AccountParams,
    query: schema.PageQuery,
    reply: schema.MembershipPage,
    handle: (context, { params, query }) =>
      memberships.listWorkspacesOf(context, params.service_account_id, query),
  }),
  route({
    ...writing,
    operation: "service_accounts.workspaces.add",
    path: `${path}/{service_account_id}/workspaces`,
    summary: "Makes a service account a member of a workspace, or replaces its role there.",
    params: schema.AccountParams,
    body: schema.AddToWorkspace,
    reply: schema.Membership,
    handle: (context, { params, body: { workspace_role, workspace_id } }) =>
      memberships.addMember(context, { ...params, workspace_id }, workspace_role),
  }),
  route({
    ...writing,
    operation: "service_accounts.workspaces.remove",
    method: "DELETE",
    path: `${path}/{service_account_id}/workspaces/{workspace_id}`,
    summary: "Ends a service account's membership in a workspace.",
    params: schema.MembershipParams,
    reply: schema.DeletedMembership,
    handle: (context, { params }) => memberships.removeMember(context, params),
  }),
];

const mirrorRoutes = [
  route({
    ...reading,
    operation: "workspaces.service_accounts.list",
    path: inWorkspace,
    summary: "Lists the service accounts that were added to a workspace.",
    params: schema.WorkspaceParams,
    query: schema.PageQuery,
    reply: schema.MembershipPage,
    handle: (context, { params, query }) =>
      memberships.listAccountsOf(context, params.workspace_id, query),
  }),
  route({
    ...writing,
    operation: "workspaces.service_accounts.add",
    path: inWorkspace,
    summary: "Makes a service account a member of a workspace, or replaces its role there.",
    params: schema.WorkspaceParams,
    body: schema.AddAccount,
    reply: schema.Membership,
    handle: (context, { params, body: { workspace_role, service_account_id } }) =>
      memberships.addMember(context, { ...params, service_account_id }, workspace_role),
  }),
  route({
    ...reading,
    operation: "workspaces.service_accounts.retrieve",
    path: `${inWorkspace}/{service_account_id}`,
    summary: "One service account's membership in a workspace.",
    params: schema.MembershipParams,
    reply: schema.Membership,
    handle: (context, { params }) => memberships.retrieveMember(context, params),
  }),
  route({
    ...writing,
    operation: "workspaces.service_accounts.update",
    path: `${inWorkspace}/{service_account_id}`,
    summary: "Changes a service account's role in a workspace.",
    params: schema.MembershipParams,
    body: schema.UpdateMembership,
    reply: schema.Membership,
    handle: (context, { params, body }) =>
      memberships.updateMember(context, params, body.workspace_role),
  }),
  route({
    ...writing,
    operation: "workspaces.service_accounts.remove",
    method: "DELETE",
    path: `${inWorkspace}/{service_account_id}`,
    summary: "Ends a service account's membership in a workspace.",
    params: schema.MembershipParams,
    reply: schema.DeletedMembership,
    handle: (context, { params }) => memberships.removeMember(context, params),
  }),
];

export const routes: readonly Route[] = [...accountRoutes, ...membershipRoutes, ...mirrorRoutes];
