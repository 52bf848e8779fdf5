// Routes of the console about SCIM; those of the protocol are in protocol.ts.
import type { Context } from "../../../kernel/context.ts";
import { route } from "../../../kernel/http/route.ts";
import * as schema from "./schema.ts";
import { countResources } from "../groups/queries.ts";
import { listRequests } from "./requests.ts";
import * as tokens from "./tokens.ts";

const reading = { permission: "identity_provider:read", credentials: ["console"] } as const;
const writing = { permission: "identity_provider:write", credentials: ["console"] } as const;

async function status({ db, publicUrl, who }: Context) {
  const { active, inactive, groups } = await countResources(db, who.organizationId);
  const counts = { active_users: active, inactive_users: inactive, groups };
  return { type: "scim" as const, base_url: `${publicUrl}/scim/v2`, ...counts };
}

export const routes = [
  route({
    ...reading,
    operation: "console.scim.get",
    method: "GET",
    path: "/console/api/scim",
    summary: "Where the identity provider pushes to, and what it has pushed.",
    reply: schema.ScimStatus,
    handle: (context) => status(context),
  }),
  route({
    ...reading,
    operation: "console.scim.requests.list",
    method: "GET",
    path: "/console/api/scim/requests",
    summary: "The last requests of the identity provider, newest first.",
    reply: schema.ScimRequests,
    handle: (context) => listRequests(context),
  }),
  route({
    ...reading,
    operation: "console.scim.tokens.list",
    method: "GET",
    path: "/console/api/scim/tokens",
    summary: "The tokens of the identity provider.",
    reply: schema.ScimTokens,
    handle: (context) => tokens.listTokens(context),
  }),
  route({
    ...writing,
    operation: "console.scim.tokens.create",
    method: "POST",
    path: "/console/api/scim/tokens",
    summary: "Makes a token of SCIM. The reply holds its secret, which is never shown again.",
    body: schema.CreateScimToken,
    reply: schema.NewScimToken,
    handle: (context, { body }) => tokens.createToken(context, body),
  }),
  route({
    ...writing,
    operation: "console.scim.tokens.delete",
    method: "DELETE",
    path: "/console/api/scim/tokens/{token_id}",
    summary: "Revokes a token of SCIM: at once, everywhere.",
    params: schema.TokenParams,
    reply: schema.TokenDeleted,
    handle: (context, { params }) => tokens.revokeToken(context, params.token_id),
  }),
];
