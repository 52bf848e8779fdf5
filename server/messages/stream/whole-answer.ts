// The whole answer at once: each hop asked without a stream, until one serves.
import * as fallbacks from "../../fallbacks/module.ts";
import {
  accumulate,
  tokensOfBody,
  tokensWritten,
  type Block,
  type Message,
} from "../../models/module.ts";
import { outputClassifier, contentText, type ModelRefusal } from "../run/classify.ts";
import {
  appliedEdits,
  boundaries,
  finalUsage,
  refusalDetails,
  stickyRouteStatement,
  messageDefaults,
  type DeclinedHop,
} from "./ending.ts";
import { isEmptyTurn } from "../prepare/history.ts";
import { beginHop, replyHeadersOf, linkedTo, type AnsweringHop } from "../run/begin-hop.ts";
import { usageFrom } from "../run/reported-usage.ts";
import { countsOf, noTokens, settleHop, shownUsage } from "../run/settle-hop.ts";
import { bodyOfHop, isFailure, type PreparedRequest } from "../prepare/prepared-request.ts";
import { warmAfter } from "../run/warm-cache.ts";

export interface WholeAnswer {
  message: Message;
  headers: Record<string, string>;
}

interface HopAnswer {
  running: AnsweringHop;
  message: Message;
  refusal: ModelRefusal | undefined;
  /** Some of its usage is the house's own count. */
  isCounted: boolean;
}

export async function answerRequest(turn: PreparedRequest, signal: AbortSignal): Promise<WholeAnswer> {
  const declined: DeclinedHop[] = [];
  let asked = await askHop(turn, turn.firstHop, signal);
  for (;;) {
    const { running, message, refusal } = asked;
    const next = refusal && fallbacks.nextHop(turn.plan, running.hop, refusal.category);
    if (refusal === undefined || next === undefined) return serve(turn, asked, declined);
    const following = await askNext(turn, asked, next, signal);
    if (following === "overloaded") return serve(turn, asked, declined, next.model.id);
    await settleDeclined(turn, asked);
    const usage = shownUsage(turn, running, message.usage);
    declined.push({ hop: running.hop, usage, category: refusal.category });
    asked = following;
  }
}

/** A fallback that is over its limits is named to the client instead of failing the request. */
async function askNext(turn: PreparedRequest, refused: HopAnswer, next: fallbacks.Hop, signal: AbortSignal) {
  const { running, message } = refused;
  try {
    return await askHop(turn, next, signal, warmAfter(turn, running, message.usage, false));
  } catch (error) {
    if (isFailure(error) && fallbacks.isOverload(next, error)) return "overloaded";
    await settleDeclined(turn, refused);
    throw error;
  }
}

/** Nothing of a declined answer is returned, so nothing of it is charged. */
const settleDeclined = (turn: PreparedRequest, { running, message }: HopAnswer) =>
  settleHop(turn, running, {
    outcome: "declined",
    counts: noTokens,
    used: countsOf(turn, running, message.usage),
  });

async function askHop(
  turn: PreparedRequest,
  hop: fallbacks.Hop,
  signal: AbortSignal,
  warm: AnsweringHop["warm"] = [],
): Promise<HopAnswer> {
  const abort = linkedTo(signal);
  const options = { stream: false, abort, warm };
  const running = await beginHop(turn, hop, bodyOfHop(turn, hop), options);
  try {
    const whole = await wholeOf(running);
    const { usage, isInputReported, isOutputReported } = usageFrom(whole.usage, {
      input: () => tokensOfBody(bodyOfHop(turn, hop)),
      output: () => Math.min(writtenIn(whole), running.outputTokensMax),
    });
    const isCounted = !isInputReported || !isOutputReported || running.progress.isEstimated;
    const message = { ...whole, usage };
    const refusal = refusalOf(running, message);
    const isOurs = refusal !== undefined && message.stop_reason !== "refusal";
    // What a rule over the output withholds is neither returned nor charged; nor is a text without a word.
    const hasNothing = isOurs || (refusal !== undefined && isEmptyTurn(message));
    const shown = hasNothing ? { ...message, content: [] } : message;
    return { running, refusal, message: shown, isCounted };
  } catch (error) {
    await settleHop(turn, running, { outcome: "failed", counts: noTokens });
    throw error;
  }
}

const writtenIn = ({ content }: Message) =>
  content.reduce((tokens, block) => tokens + tokensWritten(block), 0);

/** An upstream that only streams is added up. */
async function wholeOf({ attempt }: AnsweringHop): Promise<Message> {
  if (attempt.kind === "message") return attempt.message;
  const sum = accumulate();
  for await (const batch of attempt.events) for (const event of batch) sum.add(event.data());
  const message = sum.message();
  if (message === undefined) throw new Error("an attempt gave neither an answer nor a failure");
  return message;
}

function refusalOf({ hop }: AnsweringHop, message: Message): ModelRefusal | undefined {
  if (message.stop_reason === "refusal") {
    const { category = null, explanation = null } = message.stop_details ?? {};
    return { category, explanation };
  }
  return outputClassifier(hop.model)?.(contentText(message.content));
}

/** Settled before the answer leaves: an answered request is always in the ledger. */
async function serve(
  turn: PreparedRequest,
  { running, message, refusal, isCounted }: HopAnswer,
  declined: readonly DeclinedHop[],
  recommendedModel?: string,
): Promise<WholeAnswer> {
  const isCharged = refusal === undefined || message.content.length > 0;
  const used = countsOf(turn, running, message.usage);
  const counts = isCharged ? used : noTokens;
  const content: Block[] = [...boundaries(turn, declined, running.hop), ...message.content];
  const stop_reason = refusal === undefined ? message.stop_reason : "refusal";
  const row = stickyRouteStatement(turn, running.hop, { content, stop_reason });
  const estimated = isCharged && isCounted;
  await settleHop(turn, running, { outcome: "served", counts, used, estimated, with: [row] });
  const partial = message.content;
  return {
    headers: replyHeadersOf(running),
    message: {
      ...messageDefaults,
      ...message,
      ...appliedEdits(turn, running),
      model: running.hop.model.id,
      content,
      stop_reason,
      stop_details:
        refusal === undefined
          ? null
          : refusalDetails(turn, {
              running,
              usage: message.usage,
              partial,
              isCharged,
              recommendedModel,
              ...refusal,
            }),
      usage: finalUsage(turn, running, message.usage, declined),
    },
  };
}
