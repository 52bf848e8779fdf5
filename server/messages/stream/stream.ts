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
import { hasEstimatedUsage, hopUsageOf } from "../run/counted-usage.ts";
import { appliedEdits, finalUsage, refusalDetails, stickyRouteStatement } from "./ending.ts";
import { beginHop, replyHeadersOf, linkedTo, type AnsweringHop } from "../run/begin-hop.ts";
import { readerOf, readerOfMessage, readUntil } from "./read-ahead.ts";
import { countsOf, noTokens, settleHop, shownUsage } from "../run/settle-hop.ts";
import { bodyOfHop, isEndedByClient, isFailure, type PreparedRequest } from "../prepare/prepared-request.ts";
import {
  closeOpenBlock,
  beginsOutput,
  nextFrames,
  releaseStart,
  flushBlankText,
  type AnswerStream,
  type HopStream,
} from "./hop-stream.ts";
import { warmAfter } from "../run/warm-cache.ts";
import { WrittenTokens } from "../run/written-tokens.ts";

/** Yields frames; the first one comes only when there is something to send. Throws before it what is an HTTP error. */
export async function* streamRequest(
  turn: PreparedRequest,
  signal: AbortSignal,
  onHeaders: (headers: Record<string, string>) => void,
): AsyncGenerator<string> {
  const state: AnswerStream = {
    prepared: turn,
    signal,
    declined: [],
    settled: [],
    partials: [],
    content: [],
    isStarted: false,
    nextIndex: 0,
  };
  let voice = await openHop(state, turn.firstHop);
  onHeaders(replyHeadersOf(voice.running));
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

async function openHop(
  state: AnswerStream,
  hop: fallbacks.Hop,
  warm: AnsweringHop["warm"] = [],
): Promise<HopStream> {
  const own = bodyOfHop(state.prepared, hop);
  const body = state.partials.length === 0 ? own : fallbacks.continuationBody(own, state.partials);
  if (body === own) return await openHopStream(state, hop, own, warm);
  try {
    return await openHopStream(state, hop, body, warm, true);
  } catch (error) {
    if (!isFailure(error) || !fallbacks.isRefusedContinuation(error)) throw error;
    // Whoever comes after it goes on from its text alone.
    state.partials = [];
    return await openHopStream(state, hop, own, warm);
  }
}

async function openHopStream(
  state: AnswerStream,
  hop: fallbacks.Hop,
  body: MessageBody,
  warm: AnsweringHop["warm"],
  isContinued = false,
): Promise<HopStream> {
  const { prepared } = state;
  const abort = linkedTo(state.signal);
  const running = await beginHop(prepared, hop, body, { stream: true, abort, warm, isContinued });
  const classify = outputClassifier(hop.model);
  const isLookedInto =
    prepared.plan.hops.length > 1 ||
    fallbacks.grantsCredit(prepared.context.betas) ||
    classify !== undefined;
  const { attempt } = running;
  return {
    running,
    abort,
    events: attempt.kind === "stream" ? readerOf(attempt.events) : readerOfMessage(attempt.message),
    heldStart: "",
    boundary: "",
    reported: undefined,
    offset: state.nextIndex,
    openIndex: undefined,
    blankEvents: [],
    omittedBlocks: 0,
    hasOutput: false,
    deltas: 0,
    written: new WrittenTokens(),
    accumulator: isLookedInto ? accumulate() : undefined,
    classify,
    end: undefined,
    refusal: undefined,
  };
}

async function openNext(state: AnswerStream, voice: HopStream, next: fallbacks.Hop) {
  if (voice.hasOutput) state.partials.push(contentOf(voice));
  try {
    const usage = hopUsageOf(state.prepared, voice);
    const warm = warmAfter(state.prepared, voice.running, usage, voice.hasOutput);
    const following = await openHop(state, next, warm);
    await begun(state, following);
    return following;
  } catch (error) {
    if (isFailure(error) && fallbacks.isOverload(next, error)) return "overloaded";
    await settleDeclined(state, voice);
    throw error;
  }
}

/** A hop that follows is waited for until it speaks: an error before that is one before output. */
async function begun(state: AnswerStream, voice: HopStream): Promise<void> {
  try {
    voice.events = await readUntil(voice.events, (event) => beginsOutput(state, voice, event));
  } catch (error) {
    voice.abort.abort(over);
    await settleBroken(state, voice);
    await voice.events.return();
    throw error;
  }
}

const contentOf = ({ accumulator }: HopStream): readonly Block[] => accumulator?.message()?.content ?? [];

/** One hop's events, up to its end or its refusal. */
async function* relay(state: AnswerStream, voice: HopStream): AsyncGenerator<string> {
  for (;;) {
    const out = await nextFrames(state, voice);
    if (out === undefined) break;
    if (out !== "") yield out;
    // The next model does not wait for more than what came along.
    if (voice.refusal !== undefined) return;
  }
  if (voice.end === undefined)
    throw unavailable("The upstream ended its answer before it was complete; try again.");
}

/** Between two hops: the open block closes, and the boundary stands where one model ends and the next begins. */
function decline(state: AnswerStream, voice: HopStream, following: HopStream): string {
  const { prepared, declined } = state;
  const { refusal, running } = voice;
  const category = refusal?.category ?? null;
  const closing = closeOpenBlock(voice);
  declined.push({
    hop: running.hop,
    usage: shownUsage(prepared, running, hopUsageOf(prepared, voice)),
    category,
  });
  const settled = settleDeclined(state, voice);
  // Looked at in the end: until then a failure must not be nobody's, which would end the process.
  settled.catch(() => {});
  state.settled.push(settled);
  if (voice.hasOutput) state.content.push(...contentOf(voice));
  const block = fallbacks.fallbackBlock(prepared.plan, running.hop, following.running.hop, category);
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
  state: AnswerStream,
  voice: HopStream,
  recommendedModel?: string,
): AsyncGenerator<string> {
  const { prepared } = state;
  const { running, refusal, hasOutput } = voice;
  const usage = hopUsageOf(prepared, voice);
  const isCharged = refusal === undefined || hasOutput;
  const used = countsOf(prepared, running, usage);
  const counts = isCharged ? used : noTokens;
  const said = (voice.end?.["delta"] ?? {}) as Record<string, unknown>;
  const stop_reason = refusal === undefined ? String(said["stop_reason"]) : "refusal";
  const partial = contentOf(voice);
  const content = [...state.content, ...partial];
  const row = stickyRouteStatement(prepared, running.hop, { content, stop_reason });
  const served = settleHop(prepared, running, {
    outcome: "served",
    counts,
    used,
    estimated: isCharged && hasEstimatedUsage(voice),
    with: [row],
  });
  await Promise.all([...state.settled, served]);
  const stop_details =
    refusal === undefined
      ? null
      : refusalDetails(prepared, {
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
    ...appliedEdits(prepared, running),
    type: "message_delta",
    delta: { stop_sequence: null, container: null, ...said, stop_reason, stop_details },
    usage: finalUsage(prepared, running, usage, state.declined),
  };
  yield (
    releaseStart(state, voice) + closeOpenBlock(voice) + frame(last).raw + frame({ type: "message_stop" }).raw
  );
}

function settleDeclined(state: AnswerStream, voice: HopStream): Promise<void> {
  const used = countsOf(state.prepared, voice.running, hopUsageOf(state.prepared, voice));
  const counts = fallbacks.declinedCounts(used, voice.hasOutput);
  const estimated = voice.hasOutput && hasEstimatedUsage(voice);
  return settleHop(state.prepared, voice.running, { outcome: "declined", counts, used, estimated });
}

/** A stream that the client did not get to its end: it has gone, or the upstream broke. */
async function settleBroken(state: AnswerStream, voice: HopStream): Promise<void> {
  const hasLeft = state.signal.aborted && isEndedByClient(state.prepared);
  if (hasLeft) await readRest(state, voice);
  const isRefused = voice.refusal !== undefined;
  const isCharged = voice.hasOutput || (hasLeft && !isRefused);
  await settleHop(state.prepared, voice.running, {
    outcome: hasLeft ? "cut" : "failed",
    counts: isCharged ? brokenCounts(state.prepared, voice, hasLeft) : noTokens,
    estimated: hasEstimatedUsage(voice),
  });
}

/** A model has written what it is known to have written, also where that is never told, as hidden thoughts. */
function brokenCounts(turn: PreparedRequest, voice: HopStream, hasLeft: boolean): TokenCounts {
  const usage = hopUsageOf(turn, voice);
  if (!hasLeft || voice.end !== undefined) return countsOf(turn, voice.running, usage);
  const { outputTokensMax, progress } = voice.running;
  const said = voice.reported?.usage.output_tokens ?? 0;
  const known = Math.max(said, Math.min(progress.writtenTokens, outputTokensMax));
  const output_tokens = Math.max(usage.output_tokens, known);
  return countsOf(turn, voice.running, { ...usage, output_tokens });
}

/** What has come from the upstream and waited for its client: written all the same. */
async function readRest(state: AnswerStream, voice: HopStream): Promise<void> {
  try {
    while (voice.refusal === undefined && (await nextFrames(state, voice)) !== undefined);
  } catch {
    // It ends by the reason for which it was ended: the upstream says no more.
  }
  if (voice.refusal === undefined) flushBlankText(state, voice);
}
