// Routes of members.
import { forConsole, route } from "../../kernel/http/route.ts";
import * as schema from "./schema.ts";
import * as users from "./users.ts";

const organizations = ["platform", "enterprise"] as const;

const users_ = [
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
];

export const routes = [...users_];
