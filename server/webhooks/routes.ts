// Routes of webhook endpoints.
import { route, type BetaRule } from "../../kernel/http/route.ts";
import type { Context } from "../../kernel/context.ts";
import * as endpoints from "./endpoints.ts";
import type { Owner } from "./queries.ts";
import * as schema from "./schema.ts";
import * as tests from "./deliveries/shown.ts";

const path = "/v1/organizations/webhooks";
const one = `${path}/{webhook_endpoint_id}`;
const inConsole = "/console/api/webhooks/{webhook_endpoint_id}";

const beta: BetaRule = { name: "webhooks-2026-10-07", gate: "hidden" };
const organizations = ["platform", "enterprise"] as const;
const reading = { organizations, method: "GET", permission: "webhooks:read" } as const;
const writing = { organizations, method: "POST", permission: "webhooks:write" } as const;
const params = schema.EndpointParams;
const organization = ({ who }: Context): Owner => ({
  organizationId: who.organizationId,
  workspaceId: null,
});

export const routes = [
  route({
    ...writing,
    operation: "webhooks.create",
    path,
    summary: "Makes a webhook endpoint; its signing secret is in this reply alone.",
    beta,
    body: schema.CreateEndpoint,
    reply: schema.NewEndpoint,
    handle: (context, { body }) => endpoints.createEndpoint(context, organization(context), body),
  }),
  route({
    ...reading,
    operation: "webhooks.list",
    path,
    summary: "Lists webhook endpoints, newest first unless order says otherwise.",
    beta,
    query: schema.EndpointQuery,
    reply: schema.EndpointPage,
    handle: (context, { query }) => endpoints.listEndpoints(context, organization(context), query),
  }),
  route({
    ...reading,
    operation: "webhooks.retrieve",
    path: one,
    summary: "One webhook endpoint.",
    beta,
    params,
    reply: schema.Endpoint,
    handle: (context, { params }) =>
      endpoints.retrieveEndpoint(context, organization(context), params.webhook_endpoint_id),
  }),
  route({
    ...writing,
    operation: "webhooks.update",
    path: one,
    summary: "Changes the fields that are sent; disables a webhook endpoint, or enables it again.",
    beta,
    params,
    body: schema.UpdateEndpoint,
    reply: schema.Endpoint,
    handle: (context, { params, body }) =>
      endpoints.updateEndpoint(context, organization(context), params.webhook_endpoint_id, body),
  }),
  route({
    ...writing,
    operation: "webhooks.delete",
    method: "DELETE",
    path: one,
    summary: "Deletes a webhook endpoint, and what was on its way there.",
    beta,
    params,
    reply: schema.DeletedEndpoint,
    handle: (context, { params }) =>
      endpoints.deleteEndpoint(context, organization(context), params.webhook_endpoint_id),
  }),
  route({
    ...writing,
    operation: "webhooks.regenerate_signing_secret",
    path: `${one}/regenerate_signing_secret`,
    summary: "Replaces the signing secret at once; the new one is in this reply alone.",
    beta,
    params,
    reply: schema.SigningSecret,
    handle: (context, { params }) =>
      endpoints.regenerateSecret(context, organization(context), params.webhook_endpoint_id),
  }),
  route({
    ...writing,
    operation: "console.webhooks.test",
    path: `${inConsole}/test`,
    summary: "Sends a test event to a webhook endpoint, signed and repeated as any other.",
    credentials: ["console"],
    params,
    body: schema.SendTest,
    reply: schema.Delivery,
    handle: (context, { params, body }) =>
      tests.sendTest(context, organization(context), params.webhook_endpoint_id, body),
  }),
  route({
    ...reading,
    operation: "console.webhooks.deliveries",
    path: `${inConsole}/deliveries`,
    summary: "The newest deliveries to a webhook endpoint, and how they went.",
    credentials: ["console"],
    params,
    reply: schema.Deliveries,
    handle: (context, { params }) =>
      tests.listDeliveries(context, organization(context), params.webhook_endpoint_id),
  }),
];
