// Routes of messages.
import { originalJson, route } from "../../kernel/http/route.ts";
import { limits } from "./limits.ts";
import { CountRequest, MessageReply, MessageRequest, TokenCount } from "./schema.ts";
import * as service from "./service.ts";

export const routes = [
  route({
    operation: "messages.create",
    method: "POST",
    path: "/v1/messages",
    lean: true,
    summary: "Has a model answer a conversation, whole or as a stream of events.",
    permission: "messages:use",
    body: originalJson(MessageRequest, { streams: true }),
    bodyBytesMax: limits.bodyBytesMax,
    reply: MessageReply,
    handle: (context, { body }) => service.createMessage(context, body),
  }),
  route({
    operation: "messages.count_tokens",
    method: "POST",
    path: "/v1/messages/count_tokens",
    summary: "Counts the tokens of a request without sending it.",
    permission: "messages:use",
    body: originalJson(CountRequest),
    bodyBytesMax: limits.bodyBytesMax,
    reply: TokenCount,
    handle: (context, { body }) => service.countTokens(context, body),
  }),
];
