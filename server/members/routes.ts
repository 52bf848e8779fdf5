// Routes of members and invites over the API.
import { forConsole, route } from "../../kernel/http/route.ts";
import { consoleRoutes } from "./routes-console.ts";
import * as invite from "./invites/schema.ts";
import * as invites from "./invites/service.ts";
import * as schema from "./schema.ts";
import { signOutUser } from "./users/sign-out.ts";
import * as users from "./users/service.ts";

const organizations = ["platform", "enterprise"] as const;

const signOut = route({
  operation: "users.sign_out",
  method: "POST",
  path: "/v1/organizations/users/{user_id}/sign_out",
  summary: "Ends a member's sign-ins and access tokens. They may sign in again.",
  permission: "members:write",
  organizations,
  beta: { name: "admin-user-sign-out-2026-10-08", gate: "always" },
  params: schema.UserParams,
  reply: schema.User,
  handle: (context, { params }) => signOutUser(context, params.user_id),
});

const withdraw = route({
  operation: "invites.delete",
  method: "DELETE",
  path: "/v1/organizations/invites/{invite_id}",
  summary: "Withdraws a pending invite; its seat comes back.",
  permission: "members:write",
  organizations,
  params: invite.InviteParams,
  errors: [409],
  reply: invite.InviteDeleted,
  handle: (context, { params }) => invites.deleteInvite(context, params.invite_id),
});

export const routes = [
  route({
    operation: "users.list",
    method: "GET",
    path: "/v1/organizations/users",
    summary: "Lists the organization's members, newest first.",
    permission: "members:read",
    organizations,
    query: schema.UserQuery,
    reply: schema.UserPage,
    handle: (context, { query }) => users.listUsers(context, query),
  }),
  route({
    operation: "users.retrieve",
    method: "GET",
    path: "/v1/organizations/users/{user_id}",
    summary: "One member.",
    permission: "members:read",
    organizations,
    params: schema.UserParams,
    reply: schema.User,
    handle: (context, { params }) => users.retrieveUser(context, params.user_id),
  }),
  route({
    operation: "users.update",
    method: "POST",
    path: "/v1/organizations/users/{user_id}",
    summary: "Changes a member's role.",
    permission: "members:write",
    organizations,
    params: schema.UserParams,
    body: schema.UpdateUser,
    errors: [409],
    reply: schema.User,
    handle: (context, { params, body }) => users.updateUser(context, params.user_id, body),
  }),
  route({
    operation: "users.delete",
    method: "DELETE",
    path: "/v1/organizations/users/{user_id}",
    summary: "Removes a member. Their sign-ins and tokens end; keys that they made live on.",
    permission: "members:write",
    organizations,
    params: schema.UserParams,
    errors: [409],
    reply: schema.UserDeleted,
    handle: (context, { params }) => users.deleteUser(context, params.user_id),
  }),
  signOut,
  {
    ...forConsole(signOut),
    operation: "console.members.end_sign_ins",
    path: "/console/api/organization_members/{user_id}/end_sign_ins",
  },
  route({
    operation: "invites.create",
    method: "POST",
    path: "/v1/organizations/invites",
    summary:
      "Invites somebody by e-mail for 21 days. Where seats are finite it takes one of the lowest tier.",
    permission: "members:write",
    organizations,
    body: invite.CreateInvite,
    reply: invite.Invite,
    handle: (context, { body }) => invites.createApiInvite(context, body),
  }),
  route({
    operation: "invites.list",
    method: "GET",
    path: "/v1/organizations/invites",
    summary: "Lists pending, accepted and expired invites, newest first.",
    permission: "members:read",
    organizations,
    query: invite.InviteQuery,
    reply: invite.InvitePage,
    handle: (context, { query }) => invites.listInvites(context, query),
  }),
  route({
    operation: "invites.retrieve",
    method: "GET",
    path: "/v1/organizations/invites/{invite_id}",
    summary: "One invite, in whatever state.",
    permission: "members:read",
    organizations,
    params: invite.InviteParams,
    reply: invite.Invite,
    handle: (context, { params }) => invites.retrieveInvite(context, params.invite_id),
  }),
  withdraw,
  forConsole(withdraw),
  ...consoleRoutes,
];
