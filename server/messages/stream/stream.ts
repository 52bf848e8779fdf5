// The answer as it comes: hop after hop until one serves, and each settled before its last word.
import { unavailable } from "../../../kernel/base/failure.ts";
import * as fallbacks from "../../fallbacks/module.ts";
import {
  accumulate,
  frame,
  type Block,
  type MessageBody,
  type TokenCounts,
} from "../../models/module.ts";
import { outputClassifier } from "../run/classify.ts";
import { isCounted, usageOf } from "../run/counted-usage.ts";
import { appliedEdits, finalUsage, refusalDetails, stickyRow } from "./ending.ts";
import { beginHop, headersOf, linkedTo, type Running } from "../run/begin-hop.ts";
import { readerOf, readerOfMessage, readUntil } from "./read-ahead.ts";
import { countsOf, noTokens, settleHop, shownUsage } from "../run/settle-hop.ts";
import { bodyOfHop, isClients, isFailure, type Turn } from "../prepare/prepared-request.ts";
import {
  closeOpen,
  isBeginning,
  more,
  release,
  sayWordless,
  type State,
  type Voice,
} from "./hop-stream.ts";
import { warmAfter } from "../run/warm-cache.ts";
import { Written } from "../run/written-tokens.ts";

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
  onHeaders(headersOf(voice.running));
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
      await voice.events.return();
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
    return await speak(state, hop, body, warm, true);
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
  isContinued = false,
): Promise<Voice> {
  const { turn } = state;
  const abort = linkedTo(state.signal);
  const running = await beginHop(turn, hop, body, { stream: true, abort, warm, isContinued });
  const classify = outputClassifier(hop.model);
  const isLookedInto =
    turn.plan.hops.length > 1 ||
    fallbacks.grantsCredit(turn.context.betas) ||
    classify !== undefined;
  const { attempt } = running;
  return {
    running,
    abort,
    events: attempt.kind === "stream" ? readerOf(attempt.events) : readerOfMessage(attempt.message),
    held: "",
    boundary: "",
    reported: undefined,
    offset: state.nextIndex,
    openIndex: undefined,
    wordless: [],
    unsaid: 0,
    hasOutput: false,
    deltas: 0,
    written: new Written(),
    sum: isLookedInto ? accumulate() : undefined,
    classify,
    end: undefined,
    refusal: undefined,
  };
}

async function openNext(state: State, voice: Voice, next: fallbacks.Hop) {
  if (voice.hasOutput) state.partials.push(contentOf(voice));
  try {
    const usage = usageOf(state.turn, voice);
    const warm = warmAfter(state.turn, voice.running, usage, voice.hasOutput);
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
    voice.events = await readUntil(voice.events, (event) => isBeginning(state, voice, event));
  } catch (error) {
    voice.abort.abort(over);
    await settleBroken(state, voice);
    await voice.events.return();
    throw error;
  }
}

const contentOf = ({ sum }: Voice): readonly Block[] => sum?.message()?.content ?? [];

/** One hop's events, up to its end or its refusal. */
async function* relay(state: State, voice: Voice): AsyncGenerator<string> {
  for (;;) {
    const out = await more(state, voice);
    if (out === undefined) break;
    if (out !== "") yield out;
    // The next model does not wait for more than what came along.
    if (voice.refusal !== undefined) return;
  }
  if (voice.end === undefined)
    throw unavailable("The upstream ended its answer before it was complete; try again.");
}

/** Between two hops: the open block closes, and the boundary stands where one model ends and the next begins. */
function decline(state: State, voice: Voice, following: Voice): string {
  const { turn, declined } = state;
  const { refusal, running } = voice;
  const category = refusal?.category ?? null;
  const closing = closeOpen(voice);
  declined.push({
    hop: running.hop,
    usage: shownUsage(turn, running, usageOf(turn, voice)),
    category,
  });
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

/** The end: settled first, then the last frames. */
async function* finish(
  state: State,
  voice: Voice,
  recommendedModel?: string,
): AsyncGenerator<string> {
  const { turn } = state;
  const { running, refusal, hasOutput } = voice;
  const usage = usageOf(turn, voice);
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
    estimated: isCharged && isCounted(voice),
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
    context_management: voice.end?.["context_management"] ?? null,
    ...appliedEdits(turn, running),
    type: "message_delta",
    delta: { stop_sequence: null, container: null, ...said, stop_reason, stop_details },
    usage: finalUsage(turn, running, usage, state.declined),
  };
  yield (
    release(state, voice) + closeOpen(voice) + frame(last).raw + frame({ type: "message_stop" }).raw
  );
}

function settleDeclined(state: State, voice: Voice): Promise<void> {
  const used = countsOf(state.turn, voice.running, usageOf(state.turn, voice));
  const counts = fallbacks.declinedCounts(used, voice.hasOutput);
  const estimated = voice.hasOutput && isCounted(voice);
  return settleHop(state.turn, voice.running, { outcome: "declined", counts, used, estimated });
}

/** A stream that the client did not get to its end: it has gone, or the upstream broke. */
async function settleBroken(state: State, voice: Voice): Promise<void> {
  const hasLeft = state.signal.aborted && isClients(state.turn);
  if (hasLeft) await readRest(state, voice);
  const isRefused = voice.refusal !== undefined;
  const isCharged = voice.hasOutput || (hasLeft && !isRefused);
  await settleHop(state.turn, voice.running, {
    outcome: hasLeft ? "cut" : "failed",
    counts: isCharged ? brokenCounts(state.turn, voice, hasLeft) : noTokens,
    estimated: isCounted(voice),
  });
}

/** A model has written what it is known to have written, also where that is never told, as hidden thoughts. */
function brokenCounts(turn: Turn, voice: Voice, hasLeft: boolean): TokenCounts {
  const usage = usageOf(turn, voice);
  if (!hasLeft || voice.end !== undefined) return countsOf(turn, voice.running, usage);
  const { outputTokensMax, progress } = voice.running;
  const said = voice.reported?.usage.output_tokens ?? 0;
  const known = Math.max(said, Math.min(progress.written, outputTokensMax));
  const output_tokens = Math.max(usage.output_tokens, known);
  return countsOf(turn, voice.running, { ...usage, output_tokens });
}

/** What has come from the upstream and waited for its client: written all the same. */
async function readRest(state: State, voice: Voice): Promise<void> {
  try {
    while (voice.refusal === undefined && (await more(state, voice)) !== undefined);
  } catch {
    // It ends by the reason for which it was ended: the upstream says no more.
  }
  if (voice.refusal === undefined) sayWordless(state, voice);
}
