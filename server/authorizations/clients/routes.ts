// Routes of clients: what they read before they ask, and where they register.
import { openRoute } from "../../../kernel/http/route.ts";
import { limits } from "../limits.ts";
import * as metadata from "./metadata.ts";
import { register, registrationRefusal } from "./registration.ts";
import * as schema from "./schema.ts";

export const clientRoutes = [
  openRoute({
    operation: "oauth.metadata",
    method: "GET",
    path: "/.well-known/oauth-authorization-server",
    summary: "Where programs ask for access, and how (RFC 8414).",
    reply: schema.Metadata,
    handle: (context) => metadata.metadata(context),
  }),
  openRoute({
    operation: "oauth.protected_resource",
    method: "GET",
    path: metadata.protectedResourcePath,
    summary: "What the MCP server of this server is, and who gives tokens for it (RFC 9728).",
    reply: schema.ProtectedResource,
    handle: (context) => metadata.protectedResource(context),
  }),
  openRoute({
    operation: "oauth.protected_resource_mcp",
    method: "GET",
    path: `${metadata.protectedResourcePath}/mcp`,
    summary: "The same where clients look for it first.",
    reply: schema.ProtectedResource,
    handle: (context) => metadata.protectedResource(context),
  }),
  openRoute({
    operation: "oauth.register",
    method: "POST",
    path: "/v1/oauth/register",
    summary: "Registers a program that wants to sign people in for the MCP server (RFC 7591).",
    body: schema.RegistrationRequest,
    bodyBytesMax: limits.registrationBytesMax,
    refusal: registrationRefusal,
    reply: schema.Registered,
    handle: (context, { body }) => register(context, body),
  }),
];
