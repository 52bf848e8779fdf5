// The adapter for upstreams that speak this wire themselves: the client's bytes go out, theirs come back.
import { parseShallow } from "../../../kernel/base/json.ts";
import type { Clock } from "../../../kernel/base/clock.ts";
import { Failure } from "../../../kernel/base/failure.ts";
import type { Logger } from "../../../kernel/base/logger.ts";
import type { UpstreamMeter } from "../../../kernel/observe/models/instruments.ts";
import { passedBetas, priceProblem } from "./pass-through.ts";
import type { Adapter, Attempt, AttemptRequest } from "../types.ts";
import { connect } from "../upstreams/connection.ts";
import {
  runAttempt,
  replyProblem,
  streamAttempt,
  type StreamReader,
} from "../upstreams/attempt.ts";
import type { UpstreamReply, ReplyBody } from "../upstreams/exchange.ts";
import { failureOfError, readBounded, upstreamLabel } from "../upstreams/failures.ts";
import { makeEventScanner, wireEventOf } from "../upstreams/sse.ts";
import { isOwnSignature } from "../simulator/plan.ts";
import { defaultTimeouts, upstreamLimits as limits, type Timeouts } from "../upstreams/limits.ts";
import { repairMessage, repairingReader } from "./repair.ts";

export interface UpstreamOptions {
  baseUrl: string;
  key?: string;
  /** Beside our own, or instead of them. Names in lower case. */
  headers?: Readonly<Record<string, string>>;
  timeouts?: Partial<Timeouts>;
  logger: Logger;
  clock: Clock;
  meter?: UpstreamMeter;
}

export function messagesAdapter(options: UpstreamOptions): Adapter {
  const { baseUrl, key, logger, clock } = options;
  const connection = connect(
    baseUrl.replace(/\/v1\/*$/, ""),
    { ...defaultTimeouts, ...options.timeouts },
    options,
  );
  const isVendor = /(^|\.)anthropic\.com$/.test(new URL(baseUrl).hostname);
  const watch = { logger, clock, health: connection.health };
  const fixed = Object.entries({
    "content-type": "application/json",
    "accept-encoding": "identity",
    "anthropic-version": "2023-06-01",
    ...(key !== undefined && { "x-api-key": key }),
    // Other servers of this wire want a bearer token, and the probe has sent both.
    ...(key !== undefined && !isVendor && { authorization: `Bearer ${key}` }),
    ...options.headers,
  }).flat();

  const headersFor = ({ model, betas, traceparent }: AttemptRequest) => {
    const passed = passedBetas(model, betas);
    const headers = passed.length === 0 ? fixed : [...fixed, "anthropic-beta", passed.join()];
    return traceparent === undefined ? headers : [...headers, "traceparent", traceparent];
  };

  const post = (request: AttemptRequest, path: string, body: Buffer | string) =>
    connection.send({
      method: "POST",
      path,
      headers: headersFor(request),
      body,
      signal: request.signal,
      progress: request.progress,
    });

  return {
    health: connection.health.read,
    underWay: connection.health.open,
    close: connection.close,
    problemOf: priceProblem,
    // Only its upstream can say whether a signature is right; an empty one and the simulator's are not its own.
    mayBeOwnThought: (signature) => signature !== "" && !isOwnSignature(signature),
    attempt: (request) =>
      runAttempt(request, watch, async () => {
        const dear = priceProblem(request.model, request.body);
        if (dear !== undefined) return { kind: "failure", failure: dear };
        const reply = await post(request, "/v1/messages", bodyOf(request));
        const problem = await replyProblem(reply, request);
        if (problem !== undefined) return problem;
        return request.stream
          ? streamAttempt(
              repairingReader(relayReader(), request.model.upstream),
              reply.body,
              request,
              watch.health,
            )
          : wholeMessage(reply.body, request);
      }),
    countTokens: async (request) => {
      try {
        const reply = await post(request, "/v1/messages/count_tokens", countBody(request));
        if ([404, 405, 501].includes(reply.status)) {
          reply.body.cancel();
          return undefined;
        }
        return await countIn(reply, request);
      } catch (error) {
        if (request.signal.aborted) throw request.signal.reason;
        if (error instanceof SyntaxError) return undefined;
        throw failureOfError(error, request.model.upstream);
      }
    },
  };
}

async function countIn(reply: UpstreamReply, request: AttemptRequest): Promise<number | undefined> {
  const problem = await replyProblem(reply, request);
  if (problem !== undefined) throw problem.failure;
  const bytes = await readBounded(reply.body, limits.errorBytesMax);
  const { input_tokens: tokens } = parseShallow(bytes.toString("utf8")) as Partial<
    Record<string, unknown>
  >;
  return typeof tokens === "number" && Number.isSafeInteger(tokens) ? tokens : undefined;
}

const quote = 34; // "

/** The client's bytes with the upstream's name of the model, where they say what the body says. */
function bodyOf({ model, body, original, stream }: AttemptRequest): Buffer | string {
  if (original === undefined || (body.stream ?? false) !== stream)
    return JSON.stringify({ ...body, model: model.upstreamModel, stream });
  const { bytes, modelStart: start, modelEnd: end } = original;
  const name = JSON.stringify(model.upstreamModel);
  const isQuoted = bytes[start] === quote;
  const spliced = isQuoted ? name : name.slice(1, -1);
  // Where both call it the same nothing is copied: 200 KB less to make and to throw away.
  if (bytes.toString("utf8", start, end) === spliced) return bytes;
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(spliced), bytes.subarray(end)]);
}

/** What stands in a message's body and means nothing for a count. */
const notCounted: ReadonlySet<string> = new Set([
  "max_tokens",
  "stream",
  "temperature",
  "top_p",
  "top_k",
  "stop_sequences",
  "metadata",
  "service_tier",
  "container",
  "inference_geo",
]);

const countBody = ({ model, body }: AttemptRequest) =>
  JSON.stringify({
    ...Object.fromEntries(Object.entries(body).filter(([field]) => !notCounted.has(field))),
    model: model.upstreamModel,
  });

async function wholeMessage(body: ReplyBody, request: AttemptRequest): Promise<Attempt> {
  const { progress } = request;
  const raw = (await readBounded(body, limits.replyBytesMax, progress)).toString("utf8");
  const message = repairMessage(parsed(raw));
  if (message !== undefined) return { kind: "message", message, raw };
  const sentence = `${upstreamLabel(request.model.upstream)} sent a reply that is no message.`;
  return { kind: "failure", failure: new Failure("api_error", sentence) };
}

function parsed(raw: string): unknown {
  try {
    return parseShallow(raw);
  } catch {
    return undefined;
  }
}

/** Blocks become events, each as it came. */
export function relayReader(): StreamReader {
  const scanner = makeEventScanner();
  const eventsOf = (block: string) => {
    const event = wireEventOf(block);
    return event === undefined ? [] : [event];
  };
  return { scanner, eventsOf, end: () => [] };
}
