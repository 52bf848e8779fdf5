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
import {
  bodyOfHop,
  isEndedByClient,
  isFailure,
  type PreparedRequest,
} from "../prepare/prepared-request.ts";
import {
  closeOpenBlock,
  beginsOutput,
  nextFrames,
  releaseStart,
  flushBlankText,
} from "./hop-stream.ts";
import type { AnswerStream, HopStream } from "./answer-stream.ts";
import { warmAfter } from "../run/warm-cache.ts";
import { WrittenTokens } from "../run/written-tokens.ts";

/** Yields frames; the first one only when there is something to send. Throws HTTP errors before the first frame. */
export async function* streamRequest(
  prepared: PreparedRequest,
  signal: AbortSignal,
  onHeaders: (headers: Record<string, string>) => void,
): AsyncGenerator<string> {
  const answer: AnswerStream = {
    prepared,
    signal,
    declined: [],
    settled: [],
    partials: [],
    content: [],
    isStarted: false,
    nextIndex: 0,
  };
  let stream = await openHop(answer, prepared.firstHop);
  onHeaders(replyHeadersOf(stream.answering));
  let opening = "";
  for (;;) {
    let isRelayed = false;
    try {
      // Within the try: a client may leave at any word, and then this hop is settled here.
      if (opening !== "") yield opening;
      yield* relay(answer, stream);
      isRelayed = true;
    } finally {
      stream.abort.abort(over);
      if (!isRelayed) await settleBroken(answer, stream);
      await stream.events.return();
    }
    const next =
      stream.refusal &&
      fallbacks.nextHop(prepared.plan, stream.answering.hop, stream.refusal.category);
    if (next === undefined) return yield* finish(answer, stream);
    const nextStream = await openNext(answer, stream, next);
    if (nextStream === "overloaded") return yield* finish(answer, stream, next.model.id);
    opening = decline(answer, stream, nextStream);
    stream = nextStream;
  }
}

const over = new Error("this hop has ended");

async function openHop(
  answer: AnswerStream,
  hop: fallbacks.Hop,
  warm: AnsweringHop["warm"] = [],
): Promise<HopStream> {
  const plain = bodyOfHop(answer.prepared, hop);
  const body =
    answer.partials.length === 0 ? plain : fallbacks.continuationBody(plain, answer.partials);
  if (body === plain) return await openHopStream(answer, hop, plain, warm);
  try {
    return await openHopStream(answer, hop, body, warm, true);
  } catch (error) {
    if (!isFailure(error) || !fallbacks.isRefusedContinuation(error)) throw error;
    // Later hops go on from the text of this one alone.
    answer.partials = [];
    return await openHopStream(answer, hop, plain, warm);
  }
}

async function openHopStream(
  answer: AnswerStream,
  hop: fallbacks.Hop,
  body: MessageBody,
  warm: AnsweringHop["warm"],
  isContinued = false,
): Promise<HopStream> {
  const { prepared } = answer;
  const abort = linkedTo(answer.signal);
  const answering = await beginHop(prepared, hop, body, { stream: true, abort, warm, isContinued });
  const classify = outputClassifier(hop.model);
  const isLookedInto =
    prepared.plan.hops.length > 1 ||
    fallbacks.grantsCredit(prepared.actor.betas) ||
    classify !== undefined;
  const { attempt } = answering;
  return {
    answering,
    abort,
    events: attempt.kind === "stream" ? readerOf(attempt.events) : readerOfMessage(attempt.message),
    heldStart: "",
    boundary: "",
    reported: undefined,
    offset: answer.nextIndex,
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

async function openNext(answer: AnswerStream, stream: HopStream, next: fallbacks.Hop) {
  if (stream.hasOutput) answer.partials.push(contentOf(stream));
  try {
    const usage = hopUsageOf(answer.prepared, stream);
    const warm = warmAfter(answer.prepared, stream.answering, usage, stream.hasOutput);
    const nextStream = await openHop(answer, next, warm);
    await waitForOutput(answer, nextStream);
    return nextStream;
  } catch (error) {
    if (isFailure(error) && fallbacks.isOverload(next, error)) return "overloaded";
    await settleDeclined(answer, stream);
    throw error;
  }
}

/** Waits until the output of a following hop begins: an error before that is one before output. */
async function waitForOutput(answer: AnswerStream, stream: HopStream): Promise<void> {
  try {
    stream.events = await readUntil(stream.events, (event) => beginsOutput(answer, stream, event));
  } catch (error) {
    stream.abort.abort(over);
    await settleBroken(answer, stream);
    await stream.events.return();
    throw error;
  }
}

const contentOf = ({ accumulator }: HopStream): readonly Block[] =>
  accumulator?.message()?.content ?? [];

/** One hop's events, up to its end or its refusal. */
async function* relay(answer: AnswerStream, stream: HopStream): AsyncGenerator<string> {
  for (;;) {
    const out = await nextFrames(answer, stream);
    if (out === undefined) break;
    if (out !== "") yield out;
    // The next model waits for no more than what came with the refusal.
    if (stream.refusal !== undefined) return;
  }
  if (stream.end === undefined)
    throw unavailable("The upstream ended its answer before it was complete; try again.");
}

/** Between two hops: the open block closes, and the boundary stands where one model ends and the next begins. */
function decline(answer: AnswerStream, stream: HopStream, nextStream: HopStream): string {
  const { prepared, declined } = answer;
  const { refusal, answering } = stream;
  const category = refusal?.category ?? null;
  const closing = closeOpenBlock(stream);
  declined.push({
    hop: answering.hop,
    usage: shownUsage(prepared, answering, hopUsageOf(prepared, stream)),
    category,
  });
  const settled = settleDeclined(answer, stream);
  // Awaited in the end: until then a rejection without a handler would end the process.
  settled.catch(() => {});
  answer.settled.push(settled);
  if (stream.hasOutput) answer.content.push(...contentOf(stream));
  const next = nextStream.answering.hop;
  const block = fallbacks.fallbackBlock(prepared.plan, answering.hop, next, category);
  const index = answer.nextIndex++;
  answer.content.push(block);
  nextStream.offset = answer.nextIndex;
  const boundary =
    frame({ type: "content_block_start", index, content_block: block }).raw +
    frame({ type: "content_block_stop", index }).raw;
  // Before output the boundary is the first block after the message_start of the hop that answers.
  if (answer.isStarted) return closing + boundary;
  nextStream.boundary = stream.boundary + boundary;
  return "";
}

/** The end: settled first, then the last frames. */
async function* finish(
  answer: AnswerStream,
  stream: HopStream,
  recommendedModel?: string,
): AsyncGenerator<string> {
  const { prepared } = answer;
  const { answering, refusal, hasOutput } = stream;
  const usage = hopUsageOf(prepared, stream);
  const isCharged = refusal === undefined || hasOutput;
  const used = countsOf(prepared, answering, usage);
  const counts = isCharged ? used : noTokens;
  const endDelta = (stream.end?.["delta"] ?? {}) as Record<string, unknown>;
  const stop_reason = refusal === undefined ? String(endDelta["stop_reason"]) : "refusal";
  const partial = contentOf(stream);
  const content = [...answer.content, ...partial];
  const row = stickyRouteStatement(prepared, answering.hop, { content, stop_reason });
  const served = settleHop(prepared, answering, {
    outcome: "served",
    counts,
    used,
    estimated: isCharged && hasEstimatedUsage(stream),
    with: [row],
  });
  await Promise.all([...answer.settled, served]);
  const stop_details =
    refusal === undefined
      ? null
      : refusalDetails(prepared, {
          answering,
          usage,
          partial: content,
          isCharged,
          recommendedModel,
          ...refusal,
        });
  const last = {
    ...stream.end,
    context_management: stream.end?.["context_management"] ?? null,
    ...appliedEdits(prepared, answering),
    type: "message_delta",
    delta: { stop_sequence: null, container: null, ...endDelta, stop_reason, stop_details },
    usage: finalUsage(prepared, answering, usage, answer.declined),
  };
  yield (
    releaseStart(answer, stream) +
      closeOpenBlock(stream) +
      frame(last).raw +
      frame({ type: "message_stop" }).raw
  );
}

function settleDeclined(answer: AnswerStream, stream: HopStream): Promise<void> {
  const { prepared } = answer;
  const used = countsOf(prepared, stream.answering, hopUsageOf(prepared, stream));
  const counts = fallbacks.declinedCounts(used, stream.hasOutput);
  const estimated = stream.hasOutput && hasEstimatedUsage(stream);
  const ending = { outcome: "declined", counts, used, estimated } as const;
  return settleHop(prepared, stream.answering, ending);
}

/** A stream that the client did not get to its end: it has gone, or the upstream broke. */
async function settleBroken(answer: AnswerStream, stream: HopStream): Promise<void> {
  const hasLeft = answer.signal.aborted && isEndedByClient(answer.prepared);
  if (hasLeft) await readRest(answer, stream);
  const isRefused = stream.refusal !== undefined;
  const isCharged = stream.hasOutput || (hasLeft && !isRefused);
  await settleHop(answer.prepared, stream.answering, {
    outcome: hasLeft ? "cut" : "failed",
    counts: isCharged ? brokenCounts(answer.prepared, stream, hasLeft) : noTokens,
    estimated: hasEstimatedUsage(stream),
  });
}

/** Counts what the model is known to have written, also where no event reports it, as hidden thoughts. */
function brokenCounts(prepared: PreparedRequest, stream: HopStream, hasLeft: boolean): TokenCounts {
  const usage = hopUsageOf(prepared, stream);
  if (!hasLeft || stream.end !== undefined) return countsOf(prepared, stream.answering, usage);
  const { outputTokensMax, progress } = stream.answering;
  const reported = stream.reported?.usage.output_tokens ?? 0;
  const known = Math.max(reported, Math.min(progress.writtenTokens, outputTokensMax));
  const output_tokens = Math.max(usage.output_tokens, known);
  return countsOf(prepared, stream.answering, { ...usage, output_tokens });
}

/** Reads what has come from the upstream and waited for the client: the model has written it all the same. */
async function readRest(answer: AnswerStream, stream: HopStream): Promise<void> {
  try {
    while (stream.refusal === undefined && (await nextFrames(answer, stream)) !== undefined);
  } catch {
    // The stream was aborted: the upstream sends no more.
  }
  if (stream.refusal === undefined) flushBlankText(answer, stream);
}
