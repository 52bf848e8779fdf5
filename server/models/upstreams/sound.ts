// What an upstream of our own wire may get wrong so that money or clients would suffer: found, and mended or refused.
import { Failure } from "../../../kernel/base/failure.ts";
import { tokensOfBody, tokensOfContent } from "../tokens.ts";
import type { Message, MessageBody, Usage, WireEvent } from "../types.ts";
import type { StreamReader } from "./attempt.ts";
import { frame } from "./frames.ts";

type Fields = Readonly<Record<string, unknown>>;

/** No request has so many tokens; their price still fits into the ledger. */
const countMax = 1_000_000_000;

export const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= countMax
    ? value
    : undefined;

const counters = [
  "input_tokens",
  "output_tokens",
  "cache_creation_input_tokens",
  "cache_read_input_tokens",
] as const;
const needed = ["input_tokens", "output_tokens"] as const;

/** The same object where nothing is wrong with it; else only what counts, with estimates for what is needed. */
export function soundUsage(said: unknown, estimates: Partial<Record<string, () => number>>): Usage {
  const usage = (typeof said === "object" ? (said ?? {}) : {}) as Fields;
  const isNonsense = (value: unknown) => (value ?? null) !== null && countOf(value) === undefined;
  const wrong = counters.filter((name) => isNonsense(usage[name]));
  const creation = usage["cache_creation"] as Fields | null | undefined;
  const isCreationWrong =
    (creation ?? null) !== null && !Object.values(Object(creation) as Fields).every(isCount);
  const missing = needed.filter((name) => estimates[name] && countOf(usage[name]) === undefined);
  if (said === usage && wrong.length === 0 && missing.length === 0 && !isCreationWrong)
    return usage as Usage;
  const sound: Record<string, unknown> = { ...usage };
  for (const name of wrong) delete sound[name];
  if (isCreationWrong) sound["cache_creation"] = null;
  for (const name of missing) sound[name] = estimates[name]?.();
  return sound as Usage;
}

const isCount = (value: unknown) => value === null || countOf(value) !== undefined;

/** Undefined where it is no message at all. */
export function soundMessage(value: unknown, body: MessageBody): Message | undefined {
  const message = value as Partial<Message> | null | undefined;
  const content: unknown = message?.content;
  if (message?.type !== "message" || !Array.isArray(content) || !content.every(isBlock))
    return undefined;
  const usage = soundUsage(message.usage, {
    input_tokens: () => tokensOfBody(body),
    output_tokens: () => tokensOfContent(content),
  });
  return { ...(message as Message), usage };
}

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isBlock = (value: unknown) => isObject(value) && typeof value["type"] === "string";

/** Looks into beginnings and the end only, which everybody else looks into too. */
export function soundReader(
  reader: StreamReader,
  { body, upstream }: { body: MessageBody; upstream: string },
): StreamReader {
  let isStarted = false;
  let deltas = 0;
  const sound = (event: WireEvent): WireEvent => {
    switch (event.name) {
      case "content_block_delta":
        deltas++;
        break;
      case "message_start": {
        isStarted = true;
        return started(event, body, upstream);
      }
      case "content_block_start": {
        const { index, content_block: block } = event.data();
        if (countOf(index) === undefined || !isBlock(block)) throw outOfOrder(upstream, event.name);
        break;
      }
      case "message_delta":
        return ended(event, deltas, upstream);
      default:
    }
    if (!isStarted && /^(content_block|message)_/.test(event.name))
      throw outOfOrder(upstream, event.name);
    return event;
  };
  return {
    ...reader,
    eventsOf: (block) => reader.eventsOf(block).map(sound),
    end: () => reader.end().map(sound),
  };
}

const outOfOrder = (upstream: string, name: string) =>
  new Failure(
    "api_error",
    `The upstream ${upstream} sent ${name} out of order, or without its fields.`,
  );

function started(event: WireEvent, body: MessageBody, upstream: string): WireEvent {
  const data = event.data();
  const message = data["message"];
  if (!isObject(message)) throw outOfOrder(upstream, event.name);
  const usage = soundUsage(message["usage"], {
    input_tokens: () => tokensOfBody(body),
    output_tokens: () => 0,
  });
  return usage === message["usage"] ? event : frame({ ...data, message: { ...message, usage } });
}

/** Without a count of its own, each delta was about a token. */
function ended(event: WireEvent, deltas: number, upstream: string): WireEvent {
  const data = event.data();
  if (!isObject(data["delta"])) throw outOfOrder(upstream, event.name);
  const usage = soundUsage(data["usage"], { output_tokens: () => deltas });
  return usage === data["usage"] ? event : frame({ ...data, usage });
}
