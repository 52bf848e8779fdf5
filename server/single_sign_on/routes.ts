// Routes of single sign-on: the redirects to the provider and back, and the owners' settings.
import { openRoute, route } from "../../kernel/http/route.ts";
import * as connection from "./connection.ts";
import * as methods from "./service-methods.ts";
import * as schema from "./schema.ts";
import * as signIns from "./provider_sign_in/service.ts";
import * as switches from "./switch.ts";
import * as testing from "./connection-test.ts";

const readable = { permission: "identity_provider:read", credentials: ["console"] } as const;
const owners = { permission: "identity_provider:write", credentials: ["console"] } as const;

export const routes = [
  openRoute({
    operation: "pages.single_sign_on",
    method: "GET",
    path: "/sign-in/single-sign-on",
    summary: "Leads to the organization's identity provider.",
    query: schema.StartQuery,
    reply: "page",
    handle: (context, { query }) => signIns.redirectToProvider(context, query),
  }),
  openRoute({
    operation: "pages.single_sign_on_callback",
    method: "GET",
    path: "/sign-in/callback/{organization_id}",
    summary: "Where the identity provider sends people back to.",
    params: schema.CallbackParams,
    query: schema.CallbackQuery,
    reply: "page",
    handle: (context, { params, query }) =>
      signIns.handleCallback(context, params.organization_id, query),
  }),
  openRoute({
    operation: "console.single_sign_on.find",
    method: "POST",
    path: "/console/api/single_sign_on/find",
    summary: "Which identity provider an e-mail, or an organization's own address, leads to.",
    body: schema.FindConnection,
    errors: [404],
    reply: schema.FoundConnection,
    handle: (context, { body }) => signIns.findSignInProvider(context, body),
  }),
  route({
    ...readable,
    operation: "console.sign_in_methods",
    method: "GET",
    path: "/console/api/sign_in_methods",
    summary: "How people sign in, and who keeps a way past single sign-on.",
    reply: schema.SignInMethods,
    handle: (context) => methods.readSignInMethods(context),
  }),
  route({
    ...readable,
    operation: "console.single_sign_on.read",
    method: "GET",
    path: "/console/api/single_sign_on",
    summary: "The connection to the identity provider, and what the provider must be told.",
    reply: schema.SingleSignOn,
    handle: (context) => connection.readConnection(context),
  }),
  route({
    ...owners,
    operation: "console.single_sign_on.set",
    method: "POST",
    path: "/console/api/single_sign_on",
    summary: "Sets the connection to the identity provider.",
    body: schema.SetConnection,
    reply: schema.Connection,
    handle: (context, { body }) => connection.setConnection(context, body),
  }),
  route({
    ...owners,
    operation: "console.single_sign_on.delete",
    method: "DELETE",
    path: "/console/api/single_sign_on",
    summary: "Removes the connection to the identity provider.",
    errors: [404],
    reply: "none",
    handle: (context) => connection.removeConnection(context),
  }),
  route({
    ...owners,
    operation: "console.single_sign_on.test",
    method: "POST",
    path: "/console/api/single_sign_on/test",
    summary:
      "Begins a test of the connection: the way to the provider, without a sign-in at its end.",
    errors: [404],
    reply: schema.TestStarted,
    handle: (context) => testing.startTest(context),
  }),
  route({
    ...owners,
    operation: "console.single_sign_on.switch",
    method: "POST",
    path: "/console/api/single_sign_on/switch",
    summary: "Switches single sign-on on or off, or requires it.",
    body: schema.SwitchSingleSignOn,
    errors: [404],
    reply: schema.SingleSignOn,
    handle: (context, { body }) => switches.switchSingleSignOn(context, body),
  }),
  route({
    ...owners,
    operation: "console.single_sign_on.strangers",
    method: "GET",
    path: "/console/api/single_sign_on/strangers",
    summary: "People whom the provider sent and who were not let in, newest first.",
    reply: schema.Strangers,
    handle: (context) => methods.listStrangers(context),
  }),
  route({
    ...owners,
    operation: "console.single_sign_on.link",
    method: "POST",
    path: "/console/api/single_sign_on/links",
    summary: "Says which member somebody at the provider is.",
    body: schema.LinkStranger,
    reply: schema.Linked,
    handle: (context, { body }) => methods.linkStranger(context, body),
  }),
  route({
    ...owners,
    operation: "console.single_sign_on.unlink",
    method: "DELETE",
    path: "/console/api/single_sign_on/links/{user_id}",
    summary: "Ends the link of a member to their account at the provider.",
    params: schema.UserParams,
    reply: schema.Unlinked,
    handle: (context, { params }) => methods.unlinkMember(context, params.user_id),
  }),
  route({
    ...owners,
    operation: "console.break_glass.set",
    method: "POST",
    path: "/console/api/break_glass/{user_id}",
    summary: "Whether an owner keeps password and passkeys where single sign-on is required.",
    params: schema.UserParams,
    body: schema.BreakGlass,
    reply: schema.BreakGlassSet,
    handle: (context, { params, body }) =>
      methods.setBreakGlass(context, params.user_id, body.break_glass),
  }),
  route({
    ...owners,
    operation: "console.setup_links.create",
    method: "POST",
    path: "/console/api/setup_links/{user_id}",
    summary: "Makes a set-up link for a member who has lost their ways in.",
    params: schema.UserParams,
    reply: schema.SetupLink,
    handle: (context, { params }) => methods.setupLink(context, params.user_id),
  }),
];
