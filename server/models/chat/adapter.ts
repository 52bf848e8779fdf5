// The adapter for upstreams that speak chat completions: translated both ways, refused where it cannot be.
import { parseShallow } from "../../../kernel/base/json.ts";
import { Failure } from "../../../kernel/base/failure.ts";
import type { Adapter, Attempt, AttemptRequest, MessageBody } from "../types.ts";
import { runAttempt, replyProblem, streamAttempt } from "../upstreams/attempt.ts";
import { messageOf, type Fields } from "./reply.ts";
import { chatBody } from "./request.ts";
import { chatReader } from "./stream.ts";
import type { ChatFieldNames } from "./types.ts";
import { connect } from "../upstreams/connection.ts";
import { readBounded, upstreamLabel } from "../upstreams/failures.ts";
import { defaultTimeouts, upstreamLimits as limits } from "../upstreams/limits.ts";
import type { UpstreamOptions } from "../messages/adapter.ts";

export interface ChatOptions extends UpstreamOptions, Partial<ChatFieldNames> {
  /** Tokens of a body, for the start of a stream and for upstreams that count nothing. */
  estimate(body: MessageBody): number;
}

export function chatAdapter(options: ChatOptions): Adapter {
  const { baseUrl, key, logger, clock, estimate } = options;
  const { prefix, path } = chatAddress(baseUrl);
  const connection = connect(prefix, { ...defaultTimeouts, ...options.timeouts }, options);
  const watch = { logger, clock, health: connection.health };
  const isOpenAi = new URL(baseUrl).hostname === "api.openai.com";
  const words: ChatFieldNames = {
    maxTokensField: options.maxTokensField ?? (isOpenAi ? "max_completion_tokens" : "max_tokens"),
    reasoningField: options.reasoningField ?? "reasoning_content",
  };
  const headers = Object.entries({
    "content-type": "application/json",
    "accept-encoding": "identity",
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...options.headers,
  }).flat();

  const attempt = async (request: AttemptRequest): Promise<Attempt> => {
    const { model, body, stream, signal, progress } = request;
    const kept = { ...request, body };
    const sent = JSON.stringify(chatBody(body, model, stream, words));
    const { traceparent } = request;
    const all = traceparent === undefined ? headers : [...headers, "traceparent", traceparent];
    const asked = { method: "POST", path, headers: all, body: sent, signal, progress } as const;
    const reply = await connection.send(asked);
    const problem = await replyProblem(reply, request);
    if (problem !== undefined) return problem;
    if (stream)
      return streamAttempt(chatReader(kept, estimate(body)), reply.body, request, watch.health);
    const bytes = await readBounded(reply.body, limits.replyBytesMax, progress);
    const message = messageOf(parsedReply(bytes, model.upstream), kept, estimate(body));
    return { kind: "message", message };
  };
  return {
    health: connection.health.read,
    underWay: connection.health.open,
    close: connection.close,
    problemOf: (model, body) => {
      try {
        chatBody(body, model, false, words);
        return undefined;
      } catch (error) {
        if (error instanceof Failure) return error;
        throw error;
      }
    },
    attempt: (request) => runAttempt(request, watch, () => attempt(request)),
    countTokens: () => Promise.resolve(undefined),
  };
}

/** Addresses of chat completions carry a version as a rule; a bare host means /v1. */
export function chatAddress(baseUrl: string): { prefix: string; path: string } {
  const prefix = baseUrl.replace(/\/+$/, "").replace(/\/chat\/completions$/, "");
  const hasVersion = /\/v\d+[a-z]*(\/|$)/.test(new URL(prefix).pathname);
  return { prefix, path: hasVersion ? "/chat/completions" : "/v1/chat/completions" };
}

function parsedReply(bytes: Buffer, upstream: string): Fields {
  try {
    const reply = parseShallow(bytes.toString("utf8"));
    if (typeof reply === "object" && reply !== null) return reply as Fields;
  } catch {
    // The failure below names it, without the text.
  }
  throw new Failure("api_error", `${upstreamLabel(upstream)} sent a reply that is no JSON object.`);
}
