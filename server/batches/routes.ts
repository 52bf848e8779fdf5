// Routes of batches.
import { jsonLines, route, streamedJson } from "../../kernel/http/route.ts";
import { limits } from "./limits.ts";
import { browseResults, readResults } from "./results/read-results.ts";
import * as schema from "./schema.ts";
import * as service from "./service.ts";
import { TotalsQuery, TotalsReply } from "./sums/schema.ts";
import { listTotals } from "./sums/totals.ts";

const permission = "batches:use";

export const routes = [
  route({
    operation: "messages.batches.create",
    method: "POST",
    path: "/v1/messages/batches",
    summary:
      "Takes up to 100,000 message requests, worked off in the background at half the price.",
    permission,
    body: streamedJson(schema.CreateBatch),
    bodyBytesMax: limits.bodyBytesMax,
    reply: schema.MessageBatch,
    handle: (context, { body }) => service.createBatch(context, body),
  }),
  route({
    operation: "messages.batches.list",
    method: "GET",
    path: "/v1/messages/batches",
    summary: "Lists the workspace's batches, newest first.",
    permission,
    query: schema.BatchQuery,
    reply: schema.BatchPage,
    handle: (context, { query }) => service.listBatches(context, query),
  }),
  route({
    operation: "messages.batches.retrieve",
    method: "GET",
    path: "/v1/messages/batches/{message_batch_id}",
    summary: "One batch, and how far it is.",
    permission,
    params: schema.BatchParams,
    reply: schema.MessageBatch,
    handle: (context, { params }) => service.retrieveBatch(context, params.message_batch_id),
  }),
  route({
    operation: "messages.batches.results",
    method: "GET",
    path: "/v1/messages/batches/{message_batch_id}/results",
    summary: "The results of a batch that has ended: one JSON line for each request.",
    permission,
    params: schema.BatchParams,
    reply: jsonLines(schema.ResultLine),
    handle: (context, { params }) => readResults(context, params.message_batch_id),
  }),
  route({
    operation: "messages.batches.cancel",
    method: "POST",
    path: "/v1/messages/batches/{message_batch_id}/cancel",
    summary: "Cancels what of a batch has not begun.",
    permission,
    params: schema.BatchParams,
    reply: schema.MessageBatch,
    handle: (context, { params }) => service.cancelBatch(context, params.message_batch_id),
  }),
  route({
    operation: "messages.batches.delete",
    method: "DELETE",
    path: "/v1/messages/batches/{message_batch_id}",
    summary: "Deletes a batch that has ended, with its results.",
    permission,
    params: schema.BatchParams,
    reply: schema.DeletedBatch,
    handle: (context, { params }) => service.deleteBatch(context, params.message_batch_id),
  }),
  route({
    operation: "console.batches.results",
    method: "GET",
    path: "/console/api/batches/{message_batch_id}/results",
    summary: "Results of a batch, also while it runs, by outcome and by part of the custom id.",
    permission,
    credentials: ["console"],
    params: schema.BatchParams,
    query: schema.ResultQuery,
    reply: schema.ResultPage,
    handle: (context, { params, query }) => browseResults(context, params.message_batch_id, query),
  }),
  route({
    operation: "console.batches.totals",
    method: "GET",
    path: "/console/api/batches/totals",
    summary: "Who made batches, what each cost and took, and how much of it was refused.",
    permission,
    credentials: ["console"],
    query: TotalsQuery,
    reply: TotalsReply,
    handle: (context, { query }) => listTotals(context, query),
  }),
];
