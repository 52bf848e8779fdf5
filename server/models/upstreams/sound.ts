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
  /** There may be several, and whoever reads us ends at the first: one without a reason waits for what completes it. */
  let ends: WireEvent[] = [];
  const check = (event: WireEvent): WireEvent => {
    switch (event.name) {
      case "content_block_delta":
        deltas++;
        break;
      case "message_start":
        isStarted = true;
        return started(event, body, upstream);
      case "content_block_start": {
        const { index, content_block: block } = event.data();
        if (countOf(index) === undefined || !isBlock(block)) throw outOfOrder(upstream, event.name);
        break;
      }
      default:
    }
    if (!isStarted && /^(content_block|message)_/.test(event.name))
      throw outOfOrder(upstream, event.name);
    return event;
  };
  const takeEnd = (): WireEvent[] => {
    if (ends.length === 0) return [];
    const end = ended(ends, deltas, upstream);
    ends = [];
    return [end];
  };
  const sound = (event: WireEvent): WireEvent[] => {
    const checked = check(event);
    if (event.name === "message_delta") {
      ends.push(checked);
      return isEnd(event) ? takeEnd() : [];
    }
    return ends.length === 0 || event.name === "ping" ? [checked] : [...takeEnd(), checked];
  };
  return {
    ...reader,
    eventsOf: (block) => reader.eventsOf(block).flatMap(sound),
    end: () => [...reader.end().flatMap(sound), ...takeEnd()],
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

/** Without a count of its own, each delta was about a token. What a later event leaves out or has as null stays. */
function ended(ends: readonly WireEvent[], deltas: number, upstream: string): WireEvent {
  const [first] = ends;
  const all = ends.map((event) => event.data());
  const data = all.reduce((sum, event) => ({
    ...sum,
    ...event,
    delta: { ...asObject(sum["delta"]), ...given(event["delta"]) },
    usage: { ...asObject(sum["usage"]), ...given(event["usage"]) },
  }));
  if (typeof asObject(data["delta"])["stop_reason"] !== "string")
    throw outOfOrder(upstream, "message_delta");
  const usage = soundUsage(data["usage"], { output_tokens: () => deltas });
  const isAsItCame = first !== undefined && ends.length === 1 && usage === data["usage"];
  return isAsItCame ? first : frame({ ...data, usage });
}

const isEnd = (event: WireEvent) =>
  typeof asObject(event.data()["delta"])["stop_reason"] === "string";

const asObject = (value: unknown): Fields => (isObject(value) ? value : {});
const given = (value: unknown): Fields =>
  Object.fromEntries(Object.entries(asObject(value)).filter(([, field]) => field !== null));
