// The answer as it comes: frames relayed as they are, and looked into only where something hangs on it.
import { Failure, unavailable } from "../../kernel/base/failure.ts";
import * as fallbacks from "../fallbacks/module.ts";
import {
  accumulate,
  frame,
  type Accumulator,
  type Block,
  type StreamEvent,
  type Usage,
  type WireEvent,
} from "../models/module.ts";
import { outputClassifier, type Refusal } from "./classify.ts";
import { finalUsage, refusalDetails, stickyRow, type Declined } from "./ending.ts";
import {
  beginHop,
  countsOf,
  isFailure,
  noTokens,
  settleHop,
  shownUsage,
  type Running,
} from "./hop.ts";
import { bodyOfHop, type Turn } from "./turn.ts";

/** What a stream has come to. */
interface State {
  turn: Turn;
  signal: AbortSignal;
  declined: Declined[];
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
interface Voice {
  running: Running;
  abort: AbortController;
  /** message_start, held back while another hop may still speak in its place. */
  held: string;
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

/** Yields frames; the first one comes only when there is something to send. Throws before it what is an HTTP error. */
export async function* streamTurn(
  turn: Turn,
  signal: AbortSignal,
  onHeaders: (headers: Record<string, string>) => void,
): AsyncGenerator<string> {
  const state: State = {
    turn,
    signal,
    declined: [],
    partials: [],
    content: [],
    isStarted: false,
    nextIndex: 0,
  };
  let voice = await openVoice(state, turn.first);
  onHeaders(voice.running.admission.headers);
  for (;;) {
    try {
      yield* relay(state, voice);
    } finally {
      voice.abort.abort();
      await settleBroken(state, voice);
    }
    const next =
      voice.refusal && fallbacks.nextHop(turn.plan, voice.running.hop, voice.refusal.category);
    if (next === undefined) return yield* finish(state, voice);
    const following = await openNext(state, voice, next);
    if (following === "overloaded") return yield* finish(state, voice, next.model.id);
    yield decline(state, voice, following);
    voice = following;
  }
}

async function openVoice(state: State, hop: fallbacks.Hop): Promise<Voice> {
  const { turn } = state;
  const abort = new AbortController();
  const own = bodyOfHop(turn, hop);
  const body = state.partials.length === 0 ? own : fallbacks.continuationBody(own, state.partials);
  const signal = AbortSignal.any([state.signal, abort.signal]);
  const running = await beginHop(turn, hop, body, { stream: true, signal });
  const classify = outputClassifier(hop.model);
  const isLookedInto =
    turn.plan.hops.length > 1 ||
    fallbacks.grantsCredit(turn.context.betas) ||
    classify !== undefined;
  return {
    running,
    abort,
    held: "",
    boundary: "",
    usage: {
      input_tokens: 0,
      output_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
    offset: state.nextIndex,
    openIndex: undefined,
    hasOutput: false,
    deltas: 0,
    sum: isLookedInto ? accumulate() : undefined,
    classify,
    end: undefined,
    refusal: undefined,
  };
}

async function openNext(state: State, voice: Voice, next: fallbacks.Hop) {
  if (voice.hasOutput) state.partials.push(contentOf(voice));
  try {
    return await openVoice(state, next);
  } catch (error) {
    if (isFailure(error) && fallbacks.isOverload(next, error)) return "overloaded";
    await settleDeclined(state, voice);
    throw error;
  }
}

const contentOf = ({ sum }: Voice): readonly Block[] => sum?.message()?.content ?? [];

/** One hop's events, up to its end or its refusal. */
async function* relay(state: State, voice: Voice): AsyncGenerator<string> {
  const { attempt } = voice.running;
  const batches = attempt.kind === "stream" ? attempt.events : [[...framesOf(attempt.message)]];
  for await (const batch of batches) {
    let out = "";
    for (const event of batch) {
      out += step(state, voice, event);
      if (voice.refusal !== undefined || voice.end !== undefined) break;
    }
    if (out !== "") yield out;
    if (voice.refusal !== undefined || voice.end !== undefined) return;
  }
  throw unavailable("The upstream ended its answer before it was complete; try again.");
}

function step(state: State, voice: Voice, event: WireEvent): string {
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
  const message = event["message"] as { usage: Usage };
  voice.usage = message.usage;
  voice.sum?.add(event);
  const { turn } = state;
  const shown = frame({
    type: "message_start",
    message: {
      ...message,
      model: voice.running.hop.model.id,
      usage: shownUsage(turn, voice.running, message.usage),
    },
  }).raw;
  voice.held = shown + voice.boundary;
  // Whoever has another hop behind it waits for its first output: a refusal before it is not the client's.
  return turn.plan.hops.length > 1 ? "" : release(state, voice);
}

/** message_start of the hop that speaks first; the boundary, for the ones after it. */
function release(state: State, voice: Voice): string {
  const held = state.isStarted ? "" : voice.held;
  if (held !== "") state.isStarted = true;
  voice.held = "";
  return held;
}

function delta(voice: Voice, event: WireEvent): string {
  voice.deltas += 1;
  if (voice.sum === undefined) return event.raw;
  const data = event.data();
  voice.sum.add(data);
  const { text } = data["delta"] as { text?: unknown };
  if (typeof text === "string") voice.refusal = voice.classify?.(text);
  return voice.refusal === undefined ? renumbered(voice, event) : "";
}

function renumbered(voice: Voice, event: WireEvent): string {
  if (voice.offset === 0) return event.raw;
  const data = event.data();
  return frame({ ...data, index: voice.offset + Number(data["index"]) }).raw;
}

function end(voice: Voice, event: StreamEvent): string {
  voice.sum?.add(event);
  const said = (event["usage"] ?? {}) as Record<string, unknown>;
  const known = Object.entries(said).filter(([, value]) => value !== null);
  voice.usage = { ...voice.usage, ...Object.fromEntries(known) };
  const { stop_reason, stop_details } = event["delta"] as {
    stop_reason: string;
    stop_details?: Refusal | null;
  };
  if (stop_reason === "refusal")
    voice.refusal = {
      category: stop_details?.category ?? null,
      explanation: stop_details?.explanation ?? null,
    };
  voice.end = event;
  return "";
}

/** Between two hops: the open block closes, and the boundary stands where one model ends and the next begins. */
function decline(state: State, voice: Voice, following: Voice): string {
  const { turn, declined } = state;
  const { refusal, running } = voice;
  const category = refusal?.category ?? null;
  const closing = closeOpen(voice);
  const usage = shownUsage(turn, running, { ...voice.usage, output_tokens: outputOf(voice) });
  declined.push({ hop: running.hop, usage, category });
  void settleDeclined(state, voice);
  if (voice.hasOutput) state.content.push(...contentOf(voice));
  const block = fallbacks.fallbackBlock(turn.plan, running.hop, following.running.hop, category);
  const index = state.nextIndex++;
  state.content.push(block);
  following.offset = state.nextIndex;
  const boundary =
    frame({ type: "content_block_start", index, content_block: block }).raw +
    frame({ type: "content_block_stop", index }).raw;
  // Before output the boundary is the first block behind the message_start of the hop that speaks.
  if (state.isStarted) return closing + boundary;
  following.boundary = voice.boundary + boundary;
  return "";
}

function closeOpen(voice: Voice): string {
  if (voice.openIndex === undefined) return "";
  const index = voice.openIndex;
  voice.openIndex = undefined;
  return frame({ type: "content_block_stop", index }).raw;
}

/** What the upstream says it wrote, or the deltas that we saw when it was cut before it said so. */
const outputOf = ({ end: said, usage, deltas }: Voice): number =>
  said === undefined ? deltas : usage.output_tokens;

function settleDeclined(state: State, voice: Voice): Promise<void> {
  const usage = { ...voice.usage, output_tokens: outputOf(voice) };
  const counts = fallbacks.declinedCounts(
    countsOf(state.turn, voice.running, usage),
    voice.hasOutput,
  );
  return settleHop(state.turn, voice.running, { outcome: "declined", counts });
}

/** The end: settled first, then the last frames. */
async function* finish(
  state: State,
  voice: Voice,
  recommendedModel?: string,
): AsyncGenerator<string> {
  const { turn } = state;
  const { running, refusal, hasOutput } = voice;
  const usage = { ...voice.usage, output_tokens: outputOf(voice) };
  const isCharged = refusal === undefined || hasOutput;
  const counts = isCharged ? countsOf(turn, running, usage) : noTokens;
  const said = (voice.end?.["delta"] ?? {}) as Record<string, unknown>;
  const stop_reason = refusal === undefined ? String(said["stop_reason"]) : "refusal";
  const partial = contentOf(voice);
  const content = [...state.content, ...partial];
  const row = stickyRow(turn, running.hop, { content, stop_reason });
  await settleHop(turn, running, { outcome: "served", counts, with: [row] });
  const stop_details =
    refusal === undefined
      ? null
      : refusalDetails(turn, { running, partial, isCharged, recommendedModel, ...refusal });
  const last = {
    ...voice.end,
    type: "message_delta",
    delta: { stop_sequence: null, container: null, ...said, stop_reason, stop_details },
    usage: finalUsage(turn, running, usage, state.declined),
  };
  yield (
    release(state, voice) + closeOpen(voice) + frame(last).raw + frame({ type: "message_stop" }).raw
  );
}

/** A stream that did not come to its end: the client has gone, or the upstream broke. */
async function settleBroken(state: State, voice: Voice): Promise<void> {
  if (voice.end !== undefined || voice.refusal !== undefined) return;
  const wasCut = state.signal.aborted;
  const usage = { ...voice.usage, output_tokens: voice.deltas };
  const isCharged = voice.hasOutput || (wasCut && voice.usage.input_tokens > 0);
  await settleHop(state.turn, voice.running, {
    outcome: wasCut ? "cut" : "failed",
    counts: isCharged ? countsOf(state.turn, voice.running, usage) : noTokens,
    estimated: true,
  });
}

function upstreamError(event: StreamEvent): Failure {
  const { type, message } = (event["error"] ?? {}) as { type?: string; message?: string };
  const known = type === "overloaded_error" || type === "rate_limit_error" ? type : "api_error";
  return new Failure(known, message ?? "The upstream failed in the middle of its answer.");
}

/** An upstream that answered whole is told as a stream. */
function* framesOf(message: {
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
