// What one hop says, event by event: relayed as it is, and looked into only where something hangs on it.
import { Failure } from "../../../kernel/base/failure.ts";
import {
  frame,
  type Accumulator,
  type Block,
  type StreamEvent,
  type WireEvent,
} from "../../models/module.ts";
import type { Refusal } from "../run/classify.ts";
import { unsaidOfMessage, type Declined } from "./ending.ts";
import { isBlank } from "../prepare/history.ts";
import type { Running } from "../run/begin-hop.ts";
import { limits } from "../limits.ts";
import type { EventReader } from "./read-ahead.ts";
import { beginningOf, outputCounted } from "../run/counted-usage.ts";
import { usageAtEnd, type Reported } from "../run/reported-usage.ts";
import { shownUsage } from "../run/settle-hop.ts";
import type { Turn } from "../prepare/prepared-request.ts";
import type { Written } from "../run/written-tokens.ts";

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
  events: EventReader;
  /** Boundaries that stand behind message_start: hops before this one declined without a word. */
  boundary: string;
  /** What the upstream has said so far; undefined before message_start. */
  reported: Reported | undefined;
  /** Added to the upstream's block numbers. */
  offset: number;
  openIndex: number | undefined;
  /** A text that has no word yet, from its beginning: a refusal before its first word comes before output. */
  wordless: WireEvent[];
  /** How many of those ended so and were left out: the numbers of later blocks are less by that. */
  unsaid: number;
  hasOutput: boolean;
  deltas: number;
  written: Written;
  sum: Accumulator | undefined;
  classify: ((text: string) => Refusal | undefined) | undefined;
  end: StreamEvent | undefined;
  refusal: Refusal | undefined;
}

/** What goes to the client of the events that came next; undefined where no more come. */
export async function more(state: State, voice: Voice): Promise<string | undefined> {
  try {
    const batch = await voice.events.next();
    if (batch.done === true) return undefined;
    let out = "";
    for (const event of batch.value) {
      if (isCut(voice)) break;
      if (mayFollow(voice, event)) out += step(state, voice, event);
    }
    return out;
  } catch (error) {
    // All of the answer is there: the client does not lose it over the way its stream ended.
    if (voice.end === undefined) throw error;
    return undefined;
  }
}

/** A rule of ours stops the model where it stands. */
const isCut = ({ refusal, end }: Voice) => refusal !== undefined && end === undefined;

/** Behind the end only more of the end: the last of several has the final usage. */
const mayFollow = ({ end }: Voice, { name }: WireEvent) =>
  end === undefined || name === "message_delta";

/** What of one event goes to the client. */
export function step(state: State, voice: Voice, event: WireEvent): string {
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

function start(state: State, voice: Voice, event: StreamEvent): string {
  const message = event["message"] as { usage?: unknown };
  const { usage } = (voice.reported = beginningOf(state.turn, voice, message.usage));
  voice.sum?.add(event);
  const { turn } = state;
  const shown = frame({
    type: "message_start",
    message: {
      ...unsaidOfMessage,
      ...message,
      model: voice.running.hop.model.id,
      usage: shownUsage(turn, voice.running, usage),
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

function blockStart(state: State, voice: Voice, event: WireEvent): string {
  const before = sayWordless(state, voice);
  const { type, text } = event.data()["content_block"] as Block;
  if (type !== "text" || !isBlank(text)) return before + begin(state, voice, event);
  voice.wordless = [event];
  return before;
}

/** A text that ends without a word: left out by who looks into the answer, else held until no refusal can come. */
function blockStop(voice: Voice, event: WireEvent): string {
  if (voice.wordless.length === 0) {
    voice.openIndex = undefined;
    voice.sum?.add(numbered(voice, event));
    return renumbered(voice, event);
  }
  if (voice.sum === undefined) voice.wordless.push(event);
  else {
    voice.wordless = [];
    voice.unsaid += 1;
  }
  return "";
}

/** What was held back, now that it is known to belong to the answer. */
export function sayWordless(state: State, voice: Voice): string {
  const [first, ...more] = voice.wordless;
  if (first === undefined) return "";
  voice.wordless = [];
  let out = begin(state, voice, first);
  for (const event of more)
    out += event.name === "content_block_stop" ? blockStop(voice, event) : say(voice, event);
  return out;
}

function begin(state: State, voice: Voice, event: WireEvent): string {
  voice.hasOutput = true;
  voice.written.begin(event.data()["content_block"] as Block);
  voice.openIndex = voice.offset + Number(event.data()["index"]) - voice.unsaid;
  state.nextIndex = voice.openIndex + 1;
  voice.sum?.add(numbered(voice, event));
  return release(state, voice) + begunBlock(state, voice, event);
}

/** Clients of the newer version are told that a text has no citations. */
function begunBlock({ turn }: State, voice: Voice, event: WireEvent): string {
  const data = event.data();
  const block = data["content_block"] as Block;
  const isWhole = block.type !== "text" || block["citations"] !== undefined;
  if (isWhole || turn.context.dialect === "2023-06-01") return renumbered(voice, event);
  const content_block = { ...block, citations: null };
  return frame({ ...data, index: voice.openIndex, content_block }).raw;
}

function delta(state: State, voice: Voice, event: WireEvent): string {
  if (voice.sum === undefined && voice.wordless.length === 0) return say(voice, event);
  const { text } = event.data()["delta"] as { text?: unknown };
  if (typeof text === "string") voice.refusal = voice.classify?.(text);
  // What is withheld the client does not have: nobody may go on from it.
  if (voice.refusal !== undefined) return "";
  if (voice.wordless.length === 0) return say(voice, event);
  if (isBlank(text) && voice.wordless.length < limits.wordlessEventsMax) {
    voice.wordless.push(event);
    return "";
  }
  return sayWordless(state, voice) + say(voice, event);
}

function say(voice: Voice, event: WireEvent): string {
  voice.deltas += 1;
  voice.written.add(event);
  voice.sum?.add(numbered(voice, event));
  return renumbered(voice, event);
}

/** With the number that its block has in this hop. */
function numbered({ unsaid }: Voice, event: WireEvent): StreamEvent {
  const data = event.data();
  return unsaid === 0 ? data : { ...data, index: Number(data["index"]) - unsaid };
}

function renumbered(voice: Voice, event: WireEvent): string {
  const by = voice.offset - voice.unsaid;
  if (by === 0) return event.raw;
  const data = event.data();
  return frame({ ...data, index: Number(data["index"]) + by }).raw;
}

function end(state: State, voice: Voice, event: StreamEvent): string {
  const { turn } = state;
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
  const out = voice.refusal === undefined ? sayWordless(state, voice) : "";
  voice.sum?.add(event);
  const began = voice.reported ?? beginningOf(turn, voice, undefined);
  // Of several ends an earlier one may have said it.
  const written = voice.end !== undefined && began.isOutputSaid ? undefined : outputCounted(voice);
  voice.reported = usageAtEnd(began, event["usage"], written);
  voice.end = { ...voice.end, ...event, delta };
  return out;
}

export function closeOpen(voice: Voice): string {
  if (voice.openIndex === undefined) return "";
  const index = voice.openIndex;
  voice.openIndex = undefined;
  return frame({ type: "content_block_stop", index }).raw;
}

/** Whether a model begins to speak; an error in place of that is thrown. What it has read is known before. */
export function isBeginning({ turn }: State, voice: Voice, event: WireEvent): boolean {
  if (event.name === "error") throw upstreamError(event.data());
  if (event.name === "message_start") {
    const { usage } = event.data()["message"] as { usage?: unknown };
    voice.reported = beginningOf(turn, voice, usage);
  }
  return event.name !== "message_start" && event.name !== "ping";
}

function upstreamError(event: StreamEvent): Failure {
  const { type, message } = (event["error"] ?? {}) as { type?: string; message?: string };
  const isUpstreamBusy = type === "overloaded_error" || type === "rate_limit_error";
  const sentence = message ?? "The upstream failed in the middle of its answer.";
  return new Failure(isUpstreamBusy ? type : "api_error", sentence, { isUpstreamBusy });
}
