// What one hop says, event by event: relayed as it is, and looked into only where something hangs on it.
import { Failure } from "../../../kernel/base/failure.ts";
import {
  frame,
  type Accumulator,
  type Block,
  type StreamEvent,
  type WireEvent,
} from "../../models/module.ts";
import type { ModelRefusal } from "../run/classify.ts";
import { messageDefaults, type DeclinedHop } from "./ending.ts";
import { isBlank } from "../prepare/history.ts";
import type { AnsweringHop } from "../run/begin-hop.ts";
import { limits } from "../limits.ts";
import type { EventReader } from "./read-ahead.ts";
import { startUsageOf, outputCounted } from "../run/counted-usage.ts";
import { usageAtEnd, type ReportedUsage } from "../run/reported-usage.ts";
import { shownUsage } from "../run/settle-hop.ts";
import type { PreparedRequest } from "../prepare/prepared-request.ts";
import type { WrittenTokens } from "../run/written-tokens.ts";

/** What a stream has come to. */
export interface AnswerStream {
  prepared: PreparedRequest;
  signal: AbortSignal;
  declined: DeclinedHop[];
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
export interface HopStream {
  running: AnsweringHop;
  abort: AbortController;
  /** message_start, held back while another hop may still speak in its place. */
  heldStart: string;
  events: EventReader;
  /** Boundaries that stand behind message_start: hops before this one declined without a word. */
  boundary: string;
  /** What the upstream has said so far; undefined before message_start. */
  reported: ReportedUsage | undefined;
  /** Added to the upstream's block numbers. */
  offset: number;
  openIndex: number | undefined;
  /** A text that has no word yet, from its beginning: a refusal before its first word comes before output. */
  blankEvents: WireEvent[];
  /** How many of those ended so and were left out: the numbers of later blocks are less by that. */
  omittedBlocks: number;
  hasOutput: boolean;
  deltas: number;
  written: WrittenTokens;
  accumulator: Accumulator | undefined;
  classify: ((text: string) => ModelRefusal | undefined) | undefined;
  end: StreamEvent | undefined;
  refusal: ModelRefusal | undefined;
}

/** What goes to the client of the events that came next; undefined where no more come. */
export async function nextFrames(state: AnswerStream, voice: HopStream): Promise<string | undefined> {
  try {
    const batch = await voice.events.next();
    if (batch.done === true) return undefined;
    let out = "";
    for (const event of batch.value) {
      if (isCut(voice)) break;
      if (mayFollow(voice, event)) out += framesOfEvent(state, voice, event);
    }
    return out;
  } catch (error) {
    // All of the answer is there: the client does not lose it over the way its stream ended.
    if (voice.end === undefined) throw error;
    return undefined;
  }
}

/** A rule of ours stops the model where it stands. */
const isCut = ({ refusal, end }: HopStream) => refusal !== undefined && end === undefined;

/** Behind the end only more of the end: the last of several has the final usage. */
const mayFollow = ({ end }: HopStream, { name }: WireEvent) =>
  end === undefined || name === "message_delta";

/** What of one event goes to the client. */
export function framesOfEvent(state: AnswerStream, voice: HopStream, event: WireEvent): string {
  switch (event.name) {
    case "message_start":
      return start(state, voice, event.data());
    case "content_block_start":
      return blockStart(state, voice, event);
    case "content_block_delta":
      return delta(state, voice, event);
    case "content_block_stop":
      return blockStop(voice, event);
    case "message_delta":
      return end(state, voice, event.data());
    case "error":
      throw upstreamError(event.data());
    case "ping":
      return state.isStarted ? event.raw : "";
    default:
      return "";
  }
}

function start(state: AnswerStream, voice: HopStream, event: StreamEvent): string {
  const message = event["message"] as { usage?: unknown };
  const { usage } = (voice.reported = startUsageOf(state.prepared, voice, message.usage));
  voice.accumulator?.add(event);
  const { prepared } = state;
  const shown = frame({
    type: "message_start",
    message: {
      ...messageDefaults,
      ...message,
      model: voice.running.hop.model.id,
      usage: shownUsage(prepared, voice.running, usage),
    },
  }).raw;
  voice.heldStart = shown + voice.boundary;
  // Whoever has another hop behind it waits for its first output: a refusal before it is not the client's.
  return prepared.plan.hops.length > 1 ? "" : releaseStart(state, voice);
}

/** message_start of the hop that speaks first; nothing for the ones after it. */
export function releaseStart(state: AnswerStream, voice: HopStream): string {
  const held = state.isStarted ? "" : voice.heldStart;
  if (held !== "") state.isStarted = true;
  voice.heldStart = "";
  return held;
}

function blockStart(state: AnswerStream, voice: HopStream, event: WireEvent): string {
  const before = flushBlankText(state, voice);
  const { type, text } = event.data()["content_block"] as Block;
  if (type !== "text" || !isBlank(text)) return before + begin(state, voice, event);
  voice.blankEvents = [event];
  return before;
}

/** A text that ends without a word: left out by who looks into the answer, else held until no refusal can come. */
function blockStop(voice: HopStream, event: WireEvent): string {
  if (voice.blankEvents.length === 0) {
    voice.openIndex = undefined;
    voice.accumulator?.add(numbered(voice, event));
    return renumbered(voice, event);
  }
  if (voice.accumulator === undefined) voice.blankEvents.push(event);
  else {
    voice.blankEvents = [];
    voice.omittedBlocks += 1;
  }
  return "";
}

/** What was held back, now that it is known to belong to the answer. */
export function flushBlankText(state: AnswerStream, voice: HopStream): string {
  const [first, ...more] = voice.blankEvents;
  if (first === undefined) return "";
  voice.blankEvents = [];
  let out = begin(state, voice, first);
  for (const event of more)
    out += event.name === "content_block_stop" ? blockStop(voice, event) : relayDelta(voice, event);
  return out;
}

function begin(state: AnswerStream, voice: HopStream, event: WireEvent): string {
  voice.hasOutput = true;
  voice.written.begin(event.data()["content_block"] as Block);
  voice.openIndex = voice.offset + Number(event.data()["index"]) - voice.omittedBlocks;
  state.nextIndex = voice.openIndex + 1;
  voice.accumulator?.add(numbered(voice, event));
  return releaseStart(state, voice) + begunBlock(state, voice, event);
}

/** Clients of the newer version are told that a text has no citations. */
function begunBlock({ prepared }: AnswerStream, voice: HopStream, event: WireEvent): string {
  const data = event.data();
  const block = data["content_block"] as Block;
  const isWhole = block.type !== "text" || block["citations"] !== undefined;
  if (isWhole || prepared.context.dialect === "2023-06-01") return renumbered(voice, event);
  const content_block = { ...block, citations: null };
  return frame({ ...data, index: voice.openIndex, content_block }).raw;
}

function delta(state: AnswerStream, voice: HopStream, event: WireEvent): string {
  if (voice.accumulator === undefined && voice.blankEvents.length === 0) return relayDelta(voice, event);
  const { text } = event.data()["delta"] as { text?: unknown };
  if (typeof text === "string") voice.refusal = voice.classify?.(text);
  // What is withheld the client does not have: nobody may go on from it.
  if (voice.refusal !== undefined) return "";
  if (voice.blankEvents.length === 0) return relayDelta(voice, event);
  if (isBlank(text) && voice.blankEvents.length < limits.blankEventsMax) {
    voice.blankEvents.push(event);
    return "";
  }
  return flushBlankText(state, voice) + relayDelta(voice, event);
}

function relayDelta(voice: HopStream, event: WireEvent): string {
  voice.deltas += 1;
  voice.written.add(event);
  voice.accumulator?.add(numbered(voice, event));
  return renumbered(voice, event);
}

/** With the number that its block has in this hop. */
function numbered({ omittedBlocks }: HopStream, event: WireEvent): StreamEvent {
  const data = event.data();
  return omittedBlocks === 0 ? data : { ...data, index: Number(data["index"]) - omittedBlocks };
}

function renumbered(voice: HopStream, event: WireEvent): string {
  const by = voice.offset - voice.omittedBlocks;
  if (by === 0) return event.raw;
  const data = event.data();
  return frame({ ...data, index: Number(data["index"]) + by }).raw;
}

function end(state: AnswerStream, voice: HopStream, event: StreamEvent): string {
  const { prepared } = state;
  const before = voice.end?.["delta"] ?? {};
  const said = Object.entries(event["delta"] ?? {}).filter(([, value]) => value !== null);
  const delta =
    voice.end === undefined ? event["delta"] : { ...before, ...Object.fromEntries(said) };
  const { stop_reason, stop_details } = delta as {
    stop_reason: string;
    stop_details?: ModelRefusal | null;
  };
  if (stop_reason === "refusal")
    voice.refusal = {
      category: stop_details?.category ?? null,
      explanation: stop_details?.explanation ?? null,
    };
  const out = voice.refusal === undefined ? flushBlankText(state, voice) : "";
  voice.accumulator?.add(event);
  const began = voice.reported ?? startUsageOf(prepared, voice, undefined);
  // Of several ends an earlier one may have said it.
  const written = voice.end !== undefined && began.isOutputReported ? undefined : outputCounted(voice);
  voice.reported = usageAtEnd(began, event["usage"], written);
  voice.end = { ...voice.end, ...event, delta };
  return out;
}

export function closeOpenBlock(voice: HopStream): string {
  if (voice.openIndex === undefined) return "";
  const index = voice.openIndex;
  voice.openIndex = undefined;
  return frame({ type: "content_block_stop", index }).raw;
}

/** Whether a model begins to speak; an error in place of that is thrown. What it has read is known before. */
export function beginsOutput({ prepared }: AnswerStream, voice: HopStream, event: WireEvent): boolean {
  if (event.name === "error") throw upstreamError(event.data());
  if (event.name === "message_start") {
    const { usage } = event.data()["message"] as { usage?: unknown };
    voice.reported = startUsageOf(prepared, voice, usage);
  }
  return event.name !== "message_start" && event.name !== "ping";
}

function upstreamError(event: StreamEvent): Failure {
  const { type, message } = (event["error"] ?? {}) as { type?: string; message?: string };
  const isUpstreamBusy = type === "overloaded_error" || type === "rate_limit_error";
  const sentence = message ?? "The upstream failed in the middle of its answer.";
  return new Failure(isUpstreamBusy ? type : "api_error", sentence, { isUpstreamBusy });
}
