// Routes of models: what there is, for clients; what there shall be, in the console.
import { noContent } from "../../kernel/http/reply.ts";
import { route } from "../../kernel/http/route.ts";
import * as console from "./console.ts";
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
    handle: (context) => console.listConsoleModels(context),
  }),
  route({
    operation: "console.models.set",
    method: "POST",
    path: "/console/api/models",
    summary: "Adds a model, or replaces one that was set in the console.",
    permission: "models:write",
    credentials: ["console"],
    body: schema.ModelEntry,
    bodyBytesMax: schema.limits.entryBytesMax,
    reply: schema.ConsoleModel,
    handle: (context, { body }) => console.setModel(context, body),
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
      console.removeModel(context, params.model_id).then(() => noContent()),
  }),
  route({
    operation: "console.upstreams.list",
    method: "GET",
    path: "/console/api/upstreams",
    summary: "Where models are asked, without keys.",
    permission: "models:write",
    credentials: ["console"],
    reply: schema.ConsoleUpstreams,
    handle: (context) => console.listConsoleUpstreams(context),
  }),
  route({
    operation: "console.upstreams.set",
    method: "POST",
    path: "/console/api/upstreams",
    summary: "Adds an upstream or changes it. A key and headers that are left out stay.",
    permission: "models:write",
    credentials: ["console"],
    body: schema.SetUpstream,
    bodyBytesMax: schema.limits.entryBytesMax,
    reply: schema.ConsoleUpstream,
    handle: (context, { body }) => console.setUpstream(context, body),
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
    handle: (context, { body }) => console.testUpstream(context, body),
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
      console.removeUpstream(context, params.upstream_name).then(() => noContent()),
  }),
];
