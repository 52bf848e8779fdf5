// Routes of models: the list for clients, and models and upstreams as the console sets them.
import { noContent } from "../../kernel/http/output/reply.ts";
import { route } from "../../kernel/http/route.ts";
import * as consoleService from "./catalog/service-console.ts";
import { listUpstreamHealth } from "./health/shown.ts";
import { limits } from "./limits.ts";
import * as schema from "./schema.ts";
import * as service from "./service.ts";

export const routes = [
  route({
    operation: "models.list",
    method: "GET",
    path: "/v1/models",
    summary: "Lists the models, newest first; retired ones only where asked for.",
    permission: "models:read",
    query: schema.ModelQuery,
    reply: schema.ModelInfoPage,
    handle: (context, { query }) => service.listModels(context, query),
  }),
  route({
    operation: "models.retrieve",
    method: "GET",
    path: "/v1/models/{model_id}",
    summary: "One model, by its id or an alias.",
    permission: "models:read",
    params: schema.ModelParams,
    reply: schema.ModelInfo,
    handle: (context, { params }) => service.retrieveModel(context, params.model_id),
  }),
  route({
    operation: "console.models.list",
    method: "GET",
    path: "/console/api/models",
    summary: "Every model with all of its settings, and what does not hold together.",
    permission: "models:write",
    credentials: ["console"],
    reply: schema.ConsoleModels,
    handle: (context) => consoleService.listConsoleModels(context),
  }),
  route({
    operation: "console.models.set",
    method: "POST",
    path: "/console/api/models",
    summary: "Adds a model, or replaces one that was set in the console.",
    permission: "models:write",
    credentials: ["console"],
    body: schema.ModelEntry,
    bodyBytesMax: limits.entryBytesMax,
    reply: schema.ConsoleModel,
    handle: (context, { body }) => consoleService.setModel(context, body),
  }),
  route({
    operation: "console.models.delete",
    method: "DELETE",
    path: "/console/api/models/{model_id}",
    summary: "Removes a model that was set in the console; one that it overrode is back.",
    permission: "models:write",
    credentials: ["console"],
    params: schema.ModelParams,
    reply: "none",
    handle: (context, { params }) =>
      consoleService.removeModel(context, params.model_id).then(() => noContent()),
  }),
  route({
    operation: "console.upstreams.list",
    method: "GET",
    path: "/console/api/upstreams",
    summary: "Where models are asked, without keys.",
    permission: "models:write",
    credentials: ["console"],
    reply: schema.ConsoleUpstreams,
    handle: (context) => consoleService.listConsoleUpstreams(context),
  }),
  route({
    operation: "console.upstreams.health",
    method: "GET",
    path: "/console/api/upstreams/health",
    summary: "How each upstream fares, over all processes of this server.",
    permission: "models:write",
    credentials: ["console"],
    reply: schema.ConsoleUpstreamsHealth,
    handle: (context) => listUpstreamHealth(context),
  }),
  route({
    operation: "console.upstreams.set",
    method: "POST",
    path: "/console/api/upstreams",
    summary: "Adds an upstream or changes it. A key and headers that are left out stay.",
    permission: "models:write",
    credentials: ["console"],
    body: schema.SetUpstream,
    bodyBytesMax: limits.entryBytesMax,
    reply: schema.ConsoleUpstream,
    handle: (context, { body }) => consoleService.setUpstream(context, body),
  }),
  route({
    operation: "console.upstreams.test",
    method: "POST",
    path: "/console/api/upstreams/test",
    summary:
      "Asks an upstream, or an address that may become one, what it speaks and which models it has.",
    permission: "models:write",
    credentials: ["console"],
    body: schema.TestUpstream,
    reply: schema.TestedUpstream,
    handle: (context, { body }) => consoleService.testUpstream(context, body),
  }),
  route({
    operation: "console.upstreams.delete",
    method: "DELETE",
    path: "/console/api/upstreams/{upstream_name}",
    summary: "Removes an upstream that was set in the console and that no model names.",
    permission: "models:write",
    credentials: ["console"],
    params: schema.UpstreamParams,
    reply: "none",
    handle: (context, { params }) =>
      consoleService.removeUpstream(context, params.upstream_name).then(() => noContent()),
  }),
];
