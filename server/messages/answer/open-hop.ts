// A hop is asked for its answer: as a stream, or whole.
import assert from "node:assert/strict";
import { isFailure } from "../../../kernel/base/failure.ts";
import * as fallbacks from "../../fallbacks/module.ts";
import {
  noTokens,
  accumulate,
  tokensOfBody,
  tokensWritten,
  type Message,
} from "../../models/module.ts";
import { contentText, outputClassifier, type ModelRefusal } from "../run/classify.ts";
import { beginHop, linkedTo, type AnsweringHop } from "../run/begin-hop.ts";
import { isEmptyTurn } from "../prepare/history.ts";
import { HopBody } from "../prepare/hop-body.ts";
import { bodyOfHop } from "../prepare/prepared-request.ts";
import { usageFrom } from "../run/reported-usage.ts";
import { settleHop } from "../run/settle-hop.ts";
import { WrittenTokens } from "../run/written-tokens.ts";
import { beginsOutput } from "./hop-stream.ts";
import type { Answer, Hop, HopStream, WholeHop } from "./hops.ts";
import { readerOf, readerOfMessage, readUntil } from "./read-ahead.ts";
import { settleBroken } from "./settle.ts";

type Warm = AnsweringHop["warm"];

/** The first hop needs no `warm`; of a following one the beginning of its output is waited for. */
export function openHop(
  answer: Answer,
  hop: fallbacks.Hop,
  isWhole: boolean,
  warm?: Warm,
): Promise<Hop> {
  if (isWhole) return openWhole(answer, hop, warm);
  return warm === undefined ? openStream(answer, hop) : openFollowing(answer, hop, warm);
}

async function openWhole(
  { prepared }: Answer,
  hop: fallbacks.Hop,
  warm: Warm = [],
): Promise<WholeHop> {
  const body = new HopBody(() => bodyOfHop(prepared, hop));
  const asking = { stream: false, abort: linkedTo(prepared.actor.signal), warm };
  const answering = await beginHop(prepared, hop, body, asking);
  try {
    const whole = await messageOf(answering);
    const { usage, isInputReported, isOutputReported } = usageFrom(whole.usage, {
      input: () => tokensOfBody(bodyOfHop(prepared, hop)),
      output: () => Math.min(writtenIn(whole), answering.outputTokensMax),
    });
    const isCounted = !isInputReported || !isOutputReported || answering.progress.isEstimated;
    const message = { ...whole, usage };
    const refusal = refusalOf(answering, message);
    const isOurs = refusal !== undefined && message.stop_reason !== "refusal";
    // What a rule over the output withholds is neither returned nor charged; nor is a text without a word.
    const hasNothing = isOurs || (refusal !== undefined && isEmptyTurn(message));
    const shown = hasNothing ? { ...message, content: [] } : message;
    return { kind: "whole", answering, refusal, message: shown, isCounted };
  } catch (error) {
    answering.record.why ??= prepared.actor.signal.aborted ? "client_gone" : "broken_off";
    await settleHop(prepared, answering, { outcome: "failed", counts: noTokens });
    throw error;
  }
}

const writtenIn = ({ content }: Message) =>
  content.reduce((tokens, block) => tokens + tokensWritten(block), 0);

/** The answer of an upstream that only streams is added up. */
async function messageOf({ attempt }: AnsweringHop): Promise<Message> {
  if (attempt.kind === "message") return attempt.message;
  const sum = accumulate();
  for await (const batch of attempt.events) for (const event of batch) sum.add(event.data());
  const message = sum.message();
  assert(message !== undefined, "an attempt gives either an answer or a failure");
  return message;
}

function refusalOf({ hop }: AnsweringHop, message: Message): ModelRefusal | undefined {
  if (message.stop_reason === "refusal") {
    const { category = null, explanation = null } = message.stop_details ?? {};
    return { category, explanation };
  }
  return outputClassifier(hop.model)?.(contentText(message.content));
}

/** Goes on from what earlier hops have written, where the upstream takes that. */
async function openStream(answer: Answer, hop: fallbacks.Hop, warm: Warm = []): Promise<HopStream> {
  const { partials, prepared } = answer;
  const plain = new HopBody(() => bodyOfHop(prepared, hop));
  if (partials.length === 0) return await beginStream(answer, hop, plain, warm);
  const continued = fallbacks.continuationBody(plain.get(), partials);
  if (continued === plain.get()) return await beginStream(answer, hop, plain, warm);
  try {
    return await beginStream(answer, hop, new HopBody(() => continued), warm, true);
  } catch (error) {
    if (!isFailure(error) || !fallbacks.isRefusedContinuation(error)) throw error;
    // Later hops go on from the text of this one alone.
    answer.partials = [];
    return await beginStream(answer, hop, plain, warm);
  }
}

async function beginStream(
  { prepared, nextIndex }: Answer,
  hop: fallbacks.Hop,
  body: HopBody,
  warm: Warm,
  isContinued = false,
): Promise<HopStream> {
  const abort = linkedTo(prepared.actor.signal);
  const answering = await beginHop(prepared, hop, body, { stream: true, abort, warm, isContinued });
  const classify = outputClassifier(hop.model);
  const isLookedInto =
    prepared.plan.hops.length > 1 ||
    fallbacks.grantsCredit(prepared.actor.betas) ||
    classify !== undefined ||
    prepared.thread !== undefined;
  const { attempt } = answering;
  return {
    kind: "stream",
    answering,
    abort,
    events: attempt.kind === "stream" ? readerOf(attempt.events) : readerOfMessage(attempt.message),
    heldStart: undefined,
    reported: undefined,
    offset: nextIndex,
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

/** Waits until the output of a following hop begins: an error before that is one before output. */
async function openFollowing(answer: Answer, hop: fallbacks.Hop, warm: Warm): Promise<HopStream> {
  const stream = await openStream(answer, hop, warm);
  try {
    stream.events = await readUntil(stream.events, (event) => beginsOutput(answer, stream, event));
    return stream;
  } catch (error) {
    await endStream(stream, () => settleBroken(answer, stream));
    throw error;
  }
}

const over = new Error("this hop has ended");

/** The upstream stops; what it has written by then is still read where `settle` does. */
export async function endStream(
  stream: HopStream,
  settle: () => Promise<void> | undefined,
): Promise<void> {
  stream.abort.abort(over);
  await settle();
  await stream.events.return();
}
