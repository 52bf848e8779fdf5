// The answer as it comes: hop after hop until one serves, and each settled before its last word.
import { unavailable } from "../../kernel/base/failure.ts";
import * as fallbacks from "../fallbacks/module.ts";
import {
  accumulate,
  frame,
  type Block,
  type MessageBody,
  type WireEvent,
} from "../models/module.ts";
import { outputClassifier } from "./classify.ts";
import { finalUsage, refusalDetails, stickyRow } from "./ending.ts";
import {
  beginHop,
  countsOf,
  isFailure,
  linkedTo,
  noTokens,
  settleHop,
  shownUsage,
  type Running,
} from "./hop.ts";
import { readUntil } from "./read-ahead.ts";
import { bodyOfHop, type Turn } from "./turn.ts";
import {
  closeOpen,
  framesOf,
  isBeginning,
  outputOf,
  release,
  step,
  type State,
  type Voice,
} from "./voice.ts";
import { warmAfter } from "./warm.ts";

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
    settled: [],
    partials: [],
    content: [],
    isStarted: false,
    nextIndex: 0,
  };
  let voice = await openVoice(state, turn.first);
  onHeaders(voice.running.admission.headers);
  let opening = "";
  for (;;) {
    let isHeard = false;
    try {
      // Within the try: a client may leave at any word, and then this hop is settled here.
      if (opening !== "") yield opening;
      yield* relay(state, voice);
      isHeard = true;
    } finally {
      voice.abort.abort(over);
      if (!isHeard) await settleBroken(state, voice);
    }
    const next =
      voice.refusal && fallbacks.nextHop(turn.plan, voice.running.hop, voice.refusal.category);
    if (next === undefined) return yield* finish(state, voice);
    const following = await openNext(state, voice, next);
    if (following === "overloaded") return yield* finish(state, voice, next.model.id);
    opening = decline(state, voice, following);
    voice = following;
  }
}

const over = new Error("this hop has spoken");

async function openVoice(
  state: State,
  hop: fallbacks.Hop,
  warm: Running["warm"] = [],
): Promise<Voice> {
  const own = bodyOfHop(state.turn, hop);
  const body = state.partials.length === 0 ? own : fallbacks.continuationBody(own, state.partials);
  if (body === own) return await speak(state, hop, own, warm);
  try {
    const voice = await speak(state, hop, body, warm);
    voice.running.continued = body;
    return voice;
  } catch (error) {
    if (!isFailure(error) || !fallbacks.isRefusedContinuation(error)) throw error;
    // Whoever comes after it goes on from its text alone.
    state.partials = [];
    return await speak(state, hop, own, warm);
  }
}

async function speak(
  state: State,
  hop: fallbacks.Hop,
  body: MessageBody,
  warm: Running["warm"],
): Promise<Voice> {
  const { turn } = state;
  const abort = linkedTo(state.signal);
  const running = await beginHop(turn, hop, body, { stream: true, abort, warm });
  const classify = outputClassifier(hop.model);
  const isLookedInto =
    turn.plan.hops.length > 1 ||
    fallbacks.grantsCredit(turn.context.betas) ||
    classify !== undefined;
  const { attempt } = running;
  return {
    running,
    abort,
    batches: attempt.kind === "stream" ? attempt.events : [[...framesOf(attempt.message)]],
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
    const warm = warmAfter(state.turn, voice.running, voice.usage, voice.hasOutput);
    const following = await openVoice(state, next, warm);
    await begun(state, following);
    return following;
  } catch (error) {
    if (isFailure(error) && fallbacks.isOverload(next, error)) return "overloaded";
    await settleDeclined(state, voice);
    throw error;
  }
}

/** A hop that follows is waited for until it speaks: an error before that is one before output. */
async function begun(state: State, voice: Voice): Promise<void> {
  try {
    voice.batches = await readUntil(voice.batches, (event) => isBeginning(state, voice, event));
  } catch (error) {
    voice.abort.abort(over);
    await settleBroken(state, voice);
    throw error;
  }
}

const contentOf = ({ sum }: Voice): readonly Block[] => sum?.message()?.content ?? [];

/** One hop's events, up to its end or its refusal. */
async function* relay(state: State, voice: Voice): AsyncGenerator<string> {
  try {
    for await (const batch of voice.batches) {
      let out = "";
      for (const event of batch) {
        if (isCut(voice)) break;
        if (mayFollow(voice, event)) out += step(state, voice, event);
      }
      if (out !== "") yield out;
      // The next model does not wait for more than what came along.
      if (voice.refusal !== undefined) return;
    }
  } catch (error) {
    // All of the answer is there: nobody has to lose it over the way its stream ended.
    if (voice.end === undefined) throw error;
  }
  if (voice.end === undefined)
    throw unavailable("The upstream ended its answer before it was complete; try again.");
}

/** A rule of ours stops the model where it stands. */
const isCut = ({ refusal, end }: Voice) => refusal !== undefined && end === undefined;

/** Behind the end only more of the end: the last of several has the final usage. */
const mayFollow = ({ end }: Voice, { name }: WireEvent) =>
  end === undefined || name === "message_delta";

/** Between two hops: the open block closes, and the boundary stands where one model ends and the next begins. */
function decline(state: State, voice: Voice, following: Voice): string {
  const { turn, declined } = state;
  const { refusal, running } = voice;
  const category = refusal?.category ?? null;
  const closing = closeOpen(voice);
  const usage = shownUsage(turn, running, { ...voice.usage, output_tokens: outputOf(voice) });
  declined.push({ hop: running.hop, usage, category });
  const settled = settleDeclined(state, voice);
  // Looked at in the end: until then a failure must not be nobody's, which would end the process.
  settled.catch(() => {});
  state.settled.push(settled);
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

function settleDeclined(state: State, voice: Voice): Promise<void> {
  const usage = { ...voice.usage, output_tokens: outputOf(voice) };
  const used = countsOf(state.turn, voice.running, usage);
  const counts = fallbacks.declinedCounts(used, voice.hasOutput);
  const estimated = isCounted(voice);
  return settleHop(state.turn, voice.running, { outcome: "declined", counts, used, estimated });
}

/** Cut by a rule of ours in the middle of its output: the upstream has not said what it wrote. */
const isCounted = ({ end, hasOutput }: Voice) => end === undefined && hasOutput;

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
  const used = countsOf(turn, running, usage);
  const counts = isCharged ? used : noTokens;
  const said = (voice.end?.["delta"] ?? {}) as Record<string, unknown>;
  const stop_reason = refusal === undefined ? String(said["stop_reason"]) : "refusal";
  const partial = contentOf(voice);
  const content = [...state.content, ...partial];
  const row = stickyRow(turn, running.hop, { content, stop_reason });
  const served = settleHop(turn, running, {
    outcome: "served",
    counts,
    used,
    estimated: isCounted(voice),
    with: [row],
  });
  await Promise.all([...state.settled, served]);
  const stop_details =
    refusal === undefined
      ? null
      : refusalDetails(turn, {
          running,
          usage,
          partial: content,
          isCharged,
          recommendedModel,
          ...refusal,
        });
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

/** A stream that the client did not get to its end: it has gone, or the upstream broke. */
async function settleBroken(state: State, voice: Voice): Promise<void> {
  const wasCut = state.signal.aborted;
  const usage = { ...voice.usage, output_tokens: outputOf(voice) };
  const isCharged = voice.hasOutput || (wasCut && voice.usage.input_tokens > 0);
  await settleHop(state.turn, voice.running, {
    outcome: wasCut ? "cut" : "failed",
    counts: isCharged ? countsOf(state.turn, voice.running, usage) : noTokens,
    estimated: voice.end === undefined,
  });
}
