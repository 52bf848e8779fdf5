// What one hop says, event by event: relayed as it is, and looked into only where something hangs on it.
import { Failure } from "../../kernel/base/failure.ts";
import {
  frame,
  type Accumulator,
  type Block,
  type StreamEvent,
  type Usage,
  type WireEvent,
} from "../models/module.ts";
import type { Refusal } from "./classify.ts";
import type { Declined } from "./ending.ts";
import { shownUsage, type Running } from "./hop.ts";
import { usageAtEnd, usageFrom } from "./reported.ts";
import type { Turn } from "./turn.ts";
import { bodyOf } from "./warm.ts";

/** What a stream has come to. */
export interface State {
  turn: Turn;
  signal: AbortSignal;
  declined: Declined[];
  /** Their settlements, which must be durable before the last word. */
  settled: Promise<void>[];
  /** Contents of declined hops that the client has. */
  partials: (readonly Block[])[];
  /** Everything that the client has, boundaries too: the skeleton of the answer. */
  content: Block[];
  /** message_start is out. */
  isStarted: boolean;
  /** The number of the next block. */
  nextIndex: number;
}

/** The hop that speaks now. */
export interface Voice {
  running: Running;
  abort: AbortController;
  /** message_start, held back while another hop may still speak in its place. */
  held: string;
  batches: AsyncIterable<readonly WireEvent[]> | Iterable<readonly WireEvent[]>;
  /** Boundaries that stand behind message_start: hops before this one declined without a word. */
  boundary: string;
  usage: Usage;
  /** Added to the upstream's block numbers. */
  offset: number;
  openIndex: number | undefined;
  hasOutput: boolean;
  deltas: number;
  sum: Accumulator | undefined;
  classify: ((text: string) => Refusal | undefined) | undefined;
  end: StreamEvent | undefined;
  refusal: Refusal | undefined;
}

/** What of one event goes to the client. */
export function step(state: State, voice: Voice, event: WireEvent): string {
  switch (event.name) {
    case "message_start":
      return start(state, voice, event.data());
    case "content_block_start":
      voice.hasOutput = true;
      voice.openIndex = voice.offset + Number(event.data()["index"]);
      state.nextIndex = voice.openIndex + 1;
      voice.sum?.add(event.data());
      return release(state, voice) + renumbered(voice, event);
    case "content_block_delta":
      return delta(voice, event);
    case "content_block_stop":
      voice.openIndex = undefined;
      voice.sum?.add(event.data());
      return renumbered(voice, event);
    case "message_delta":
      return end(voice, event.data());
    case "error":
      throw upstreamError(event.data());
    case "ping":
      return state.isStarted ? event.raw : "";
    default:
      return "";
  }
}

function start(state: State, voice: Voice, event: StreamEvent): string {
  const message = event["message"] as { usage?: unknown };
  voice.usage = usageFrom(message.usage, () => bodyOf(state.turn, voice.running), []);
  voice.sum?.add(event);
  const { turn } = state;
  const shown = frame({
    type: "message_start",
    message: {
      ...message,
      model: voice.running.hop.model.id,
      usage: shownUsage(turn, voice.running, voice.usage),
    },
  }).raw;
  voice.held = shown + voice.boundary;
  // Whoever has another hop behind it waits for its first output: a refusal before it is not the client's.
  return turn.plan.hops.length > 1 ? "" : release(state, voice);
}

/** message_start of the hop that speaks first; nothing for the ones after it. */
export function release(state: State, voice: Voice): string {
  const held = state.isStarted ? "" : voice.held;
  if (held !== "") state.isStarted = true;
  voice.held = "";
  return held;
}

function delta(voice: Voice, event: WireEvent): string {
  voice.deltas += 1;
  if (voice.sum === undefined) return event.raw;
  const data = event.data();
  const { text } = data["delta"] as { text?: unknown };
  if (typeof text === "string") voice.refusal = voice.classify?.(text);
  // What is withheld the client does not have: nobody may go on from it.
  if (voice.refusal !== undefined) {
    voice.deltas -= 1;
    return "";
  }
  voice.sum.add(data);
  return renumbered(voice, event);
}

function renumbered(voice: Voice, event: WireEvent): string {
  if (voice.offset === 0) return event.raw;
  const data = event.data();
  return frame({ ...data, index: voice.offset + Number(data["index"]) }).raw;
}

function end(voice: Voice, event: StreamEvent): string {
  voice.sum?.add(event);
  voice.usage = usageAtEnd(voice.usage, event["usage"], voice.deltas);
  const before = voice.end?.["delta"] ?? {};
  const said = Object.entries(event["delta"] ?? {}).filter(([, value]) => value !== null);
  const delta =
    voice.end === undefined ? event["delta"] : { ...before, ...Object.fromEntries(said) };
  const { stop_reason, stop_details } = delta as {
    stop_reason: string;
    stop_details?: Refusal | null;
  };
  if (stop_reason === "refusal")
    voice.refusal = {
      category: stop_details?.category ?? null,
      explanation: stop_details?.explanation ?? null,
    };
  voice.end = { ...voice.end, ...event, delta };
  return "";
}

export function closeOpen(voice: Voice): string {
  if (voice.openIndex === undefined) return "";
  const index = voice.openIndex;
  voice.openIndex = undefined;
  return frame({ type: "content_block_stop", index }).raw;
}

/** What the upstream says it wrote, or the deltas that we saw when it was cut before it said so. */
export const outputOf = ({ end: said, usage, deltas }: Voice): number =>
  said === undefined ? deltas : usage.output_tokens;

/** Whether a model begins to speak; an error in place of that is thrown. What it has read is known before. */
export function isBeginning({ turn }: State, voice: Voice, event: WireEvent): boolean {
  if (event.name === "error") throw upstreamError(event.data());
  if (event.name === "message_start") {
    const { usage } = event.data()["message"] as { usage?: unknown };
    voice.usage = usageFrom(usage, () => bodyOf(turn, voice.running), []);
  }
  return event.name !== "message_start" && event.name !== "ping";
}

function upstreamError(event: StreamEvent): Failure {
  const { type, message } = (event["error"] ?? {}) as { type?: string; message?: string };
  const known = type === "overloaded_error" || type === "rate_limit_error" ? type : "api_error";
  return new Failure(known, message ?? "The upstream failed in the middle of its answer.");
}

/** An upstream that answered whole is told as a stream. */
export function* framesOf(message: {
  content: Block[];
  stop_reason: string | null;
  usage: Usage;
}): Generator<WireEvent> {
  yield frame({ type: "message_start", message: { ...message, content: [], stop_reason: null } });
  for (const [index, block] of message.content.entries()) {
    yield frame({ type: "content_block_start", index, content_block: block });
    yield frame({ type: "content_block_stop", index });
  }
  const { stop_reason, usage } = message;
  const details = (message as { stop_details?: unknown }).stop_details ?? null;
  yield frame({ type: "message_delta", delta: { stop_reason, stop_details: details }, usage });
}
