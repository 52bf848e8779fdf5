// Routes of the webhook endpoints of a workspace: by an API key of it, or in the console.
import type { Context } from "../../kernel/context.ts";
import { route } from "../../kernel/http/route.ts";
import { workspaceOf } from "../workspaces/module.ts";
import * as shown from "./deliveries/shown.ts";
import * as endpoints from "./endpoints.ts";
import type { Owner } from "./queries.ts";
import * as schema from "./schema.ts";

const path = "/v1/webhooks";
const one = `${path}/{webhook_endpoint_id}`;

const reading = { method: "GET", permission: "workspace_webhooks:use" } as const;
const writing = { method: "POST", permission: "workspace_webhooks:use" } as const;
const params = schema.EndpointParams;
const workspace = (context: Context): Owner => ({
  organizationId: context.who.organizationId,
  workspaceId: workspaceOf(context),
});

export const workspaceRoutes = [
  route({
    ...writing,
    operation: "workspace_webhooks.create",
    path,
    summary:
      "Makes a webhook endpoint of the workspace; its signing secret is in this reply alone.",
    body: schema.CreateWorkspaceEndpoint,
    reply: schema.NewWorkspaceEndpoint,
    handle: (context, { body }) => endpoints.createEndpoint(context, workspace(context), body),
  }),
  route({
    ...reading,
    operation: "workspace_webhooks.list",
    path,
    summary: "Lists the workspace's webhook endpoints, newest first unless order says otherwise.",
    query: schema.EndpointQuery,
    reply: schema.WorkspaceEndpointPage,
    handle: (context, { query }) => endpoints.listEndpoints(context, workspace(context), query),
  }),
  route({
    ...reading,
    operation: "workspace_webhooks.retrieve",
    path: one,
    summary: "One webhook endpoint of the workspace.",
    params,
    reply: schema.WorkspaceEndpoint,
    handle: (context, { params }) =>
      endpoints.retrieveEndpoint(context, workspace(context), params.webhook_endpoint_id),
  }),
  route({
    ...writing,
    operation: "workspace_webhooks.update",
    path: one,
    summary: "Changes the fields that are sent; disables a webhook endpoint, or enables it again.",
    params,
    body: schema.UpdateWorkspaceEndpoint,
    reply: schema.WorkspaceEndpoint,
    handle: (context, { params, body }) =>
      endpoints.updateEndpoint(context, workspace(context), params.webhook_endpoint_id, body),
  }),
  route({
    ...writing,
    operation: "workspace_webhooks.delete",
    method: "DELETE",
    path: one,
    summary: "Deletes a webhook endpoint of the workspace, and what was on its way there.",
    params,
    reply: schema.DeletedEndpoint,
    handle: (context, { params }) =>
      endpoints.deleteEndpoint(context, workspace(context), params.webhook_endpoint_id),
  }),
  route({
    ...writing,
    operation: "workspace_webhooks.rotate_secret",
    path: `${one}/rotate_secret`,
    summary:
      "Replaces the signing secret, which signs on beside the new one for a day; the new one is in this reply alone.",
    params,
    reply: schema.SigningSecret,
    handle: (context, { params }) =>
      endpoints.regenerateSecret(context, workspace(context), params.webhook_endpoint_id),
  }),
  route({
    ...writing,
    operation: "workspace_webhooks.test",
    path: `${one}/test`,
    summary: "Sends a test event to a webhook endpoint, signed and repeated as any other.",
    params,
    body: schema.SendWorkspaceTest,
    reply: schema.Delivery,
    handle: (context, { params, body }) =>
      shown.sendTest(context, workspace(context), params.webhook_endpoint_id, body),
  }),
  route({
    ...reading,
    operation: "workspace_webhooks.deliveries",
    path: `${one}/deliveries`,
    summary: "The newest deliveries to a webhook endpoint, and how they went.",
    params,
    reply: schema.Deliveries,
    handle: (context, { params }) =>
      shown.listDeliveries(context, workspace(context), params.webhook_endpoint_id),
  }),
  route({
    ...writing,
    operation: "workspace_webhooks.replay",
    path: `${one}/deliveries/{webhook_delivery_id}/replay`,
    summary: "Sends the event of a delivery again, under the same id.",
    params: schema.DeliveryParams,
    reply: schema.Delivery,
    handle: (context, { params }) =>
      shown.replayDelivery(context, workspace(context), {
        endpointId: params.webhook_endpoint_id,
        id: params.webhook_delivery_id,
      }),
  }),
];
