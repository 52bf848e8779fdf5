// Routes of authorizations: what programs ask, and what people decide in the browser.
import Type from "typebox";
import { openRoute, route } from "../../kernel/http/route.ts";
import { tokenRefusal } from "../tokens/module.ts";
import { clientRoutes } from "./clients/routes.ts";
import * as code from "./code.ts";
import * as deciding from "./decision.ts";
import * as device from "./device.ts";
import * as pages from "./pages/pages.ts";
import * as schema from "./schema.ts";
import * as grantedAccess from "./granted/granted-access.ts";
import { grantedRoutes } from "./granted/routes.ts";

/** Pages read their address themselves. */
const AnyQuery = Type.Object({}, { additionalProperties: true });
const person = { permission: "console:use", credentials: ["console"] } as const;

export const routes = [
  ...clientRoutes,
  openRoute({
    operation: "oauth.device_authorization",
    method: "POST",
    path: "/v1/oauth/device_authorization",
    summary: "Begins a sign-in with a code that is typed in any browser (RFC 8628).",
    body: schema.DeviceAuthorizationRequest,
    formToo: true,
    refusal: tokenRefusal,
    reply: schema.DeviceAuthorizationReply,
    handle: (context, { body }) => device.startDeviceAuthorization(context, body),
  }),
  openRoute({
    operation: "oauth.revoke",
    method: "POST",
    path: "/v1/oauth/revoke",
    summary: "Ends a sign-in: the token and all that belong to it (RFC 7009).",
    body: schema.Revoke,
    formToo: true,
    refusal: tokenRefusal,
    reply: schema.Revoked,
    handle: (context, { body }) => grantedAccess.revoke(context, body),
  }),
  ...grantedRoutes,
  openRoute({
    operation: "pages.device",
    method: "GET",
    path: "/device",
    summary: "The page on which a code is typed.",
    reply: "page",
    handle: () => pages.devicePage(),
  }),
  openRoute({
    operation: "pages.authorize",
    method: "GET",
    path: "/authorize",
    summary: "The page on which a program is granted access.",
    query: AnyQuery,
    reply: "page",
    handle: () => pages.authorizePage(),
  }),
  openRoute({
    operation: "pages.authorize_script",
    method: "GET",
    path: "/authorize/page.js",
    summary: "The script of those pages.",
    reply: "text",
    handle: () => pages.pageScript(),
  }),
  route({
    operation: "console.device.read",
    method: "POST",
    path: "/console/api/device",
    summary: "What waits for an answer under a code.",
    ...person,
    body: schema.UserCode,
    reply: schema.AuthorizationPrompt,
    handle: (context, { body }) => deciding.openDevice(context, body),
  }),
  route({
    operation: "console.device.approve",
    method: "POST",
    path: "/console/api/device/approve",
    summary: "Grants a program what it asks for.",
    ...person,
    body: schema.UserCode,
    reply: schema.Decided,
    handle: (context, { body }) => deciding.decideDevice(context, body, "granted"),
  }),
  route({
    operation: "console.device.deny",
    method: "POST",
    path: "/console/api/device/deny",
    summary: "Refuses what a program asks for.",
    ...person,
    body: schema.UserCode,
    reply: schema.Decided,
    handle: (context, { body }) => deciding.decideDevice(context, body, "denied"),
  }),
  route({
    operation: "console.authorize.read",
    method: "POST",
    path: "/console/api/authorize",
    summary: "What a program that opened the browser asks for.",
    ...person,
    body: schema.CodeAuthorizationRequest,
    reply: Type.Union([schema.AuthorizationPrompt, schema.AuthorizationProblem]),
    handle: (context, { body }) => code.readCode(context, body),
  }),
  route({
    operation: "console.authorize.approve",
    method: "POST",
    path: "/console/api/authorize/approve",
    summary: "Grants it, and says where the browser goes back to.",
    ...person,
    body: schema.CodeAuthorizationRequest,
    reply: schema.Redirect,
    handle: (context, { body }) => code.approveCode(context, body),
  }),
  route({
    operation: "console.authorize.deny",
    method: "POST",
    path: "/console/api/authorize/deny",
    summary: "Refuses it, and says where the browser goes back to.",
    ...person,
    body: schema.CodeAuthorizationRequest,
    reply: schema.Redirect,
    handle: (context, { body }) => code.denyCode(context, body),
  }),
];
