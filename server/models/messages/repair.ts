// Finds what an upstream of this wire may send that no client could read, and mends or refuses it.
import { Failure } from "../../../kernel/base/failure.ts";
import type { Block, Message, WireEvent } from "../types.ts";
import type { StreamReader } from "../upstreams/attempt.ts";
import { lazyFrame } from "../upstreams/sse.ts";
import { upstreamLabel } from "../upstreams/failures.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Undefined where the value is no message at all. */
export function repairMessage(value: unknown): Message | undefined {
  const message = value as Partial<Message> | null | undefined;
  const content: unknown = message?.content;
  const isMessage = message?.type === "message" && Array.isArray(content) && content.every(isBlock);
  if (!isMessage) return undefined;
  return { ...(message as Message), content: content.map(signed) };
}

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isBlock = (value: unknown): value is Block =>
  isObject(value) && typeof value["type"] === "string";

/** Clients count on a signature, and some upstreams leave an empty one out. The very same block where it has one. */
const signed = (block: Block): Block =>
  block.type === "thinking" && typeof block["signature"] !== "string"
    ? { ...block, signature: "" }
    : block;

/** Looks into beginnings and the end only, which other readers parse too. */
export function repairingReader(reader: StreamReader, upstream: string): StreamReader {
  let isStarted = false;
  /** Ends may be several events: those before the one with the reason wait for it, later ones follow it. */
  let ends: WireEvent[] = [];
  let hasReason = false;
  const check = (event: WireEvent): WireEvent => {
    switch (event.name) {
      case "message_start":
        isStarted = true;
        if (!isObject(event.data()["message"])) throw outOfOrder(upstream, event.name);
        break;
      case "content_block_start": {
        const data = event.data();
        const { index, content_block: block } = data;
        const isNumbered = Number.isSafeInteger(index) && Number(index) >= 0;
        if (!isNumbered || !isBlock(block) || !isStarted) throw outOfOrder(upstream, event.name);
        const whole = signed(block);
        return whole === block ? event : lazyFrame({ ...data, content_block: whole });
      }
      default:
    }
    if (!isStarted && /^(content_block|message)_/.test(event.name))
      throw outOfOrder(upstream, event.name);
    return event;
  };
  const takeEnd = (): WireEvent[] => {
    if (ends.length === 0) return [];
    const end = mergedEnd(ends, upstream);
    ends = [];
    return [end];
  };
  const repair = (event: WireEvent): WireEvent[] => {
    const checked = check(event);
    if (event.name === "message_delta" && !hasReason) {
      ends.push(checked);
      hasReason = isEnd(event);
      return hasReason ? takeEnd() : [];
    }
    return ends.length === 0 || event.name === "ping" ? [checked] : [...takeEnd(), checked];
  };
  return {
    ...reader,
    eventsOf: (block) => {
      const events = reader.eventsOf(block);
      const isPlain = isStarted && ends.length === 0 && events[0]?.name === "content_block_delta";
      return isPlain && events.length === 1 ? events : events.flatMap(repair);
    },
    end: () => [...reader.end().flatMap(repair), ...takeEnd()],
  };
}

const outOfOrder = (upstream: string, name: string) =>
  new Failure(
    "api_error",
    `${upstreamLabel(upstream)} sent ${name} out of order, or without its fields.`,
  );

/** What a later event leaves out or has as null stays. */
function mergedEnd(ends: readonly WireEvent[], upstream: string): WireEvent {
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
  return first !== undefined && ends.length === 1 ? first : lazyFrame(data);
}

const isEnd = (event: WireEvent) =>
  typeof asObject(event.data()["delta"])["stop_reason"] === "string";

const asObject = (value: unknown): Fields => (isObject(value) ? value : {});
const given = (value: unknown): Fields =>
  Object.fromEntries(Object.entries(asObject(value)).filter(([, field]) => field !== null));
