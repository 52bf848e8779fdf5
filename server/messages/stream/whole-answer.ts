// The whole answer at once: each hop asked without a stream, until one serves.
import assert from "node:assert/strict";
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
  answering: AnsweringHop;
  message: Message;
  refusal: ModelRefusal | undefined;
  /** Some of its usage is this server's count. */
  isCounted: boolean;
}

export async function answerRequest(
  prepared: PreparedRequest,
  signal: AbortSignal,
): Promise<WholeAnswer> {
  const declined: DeclinedHop[] = [];
  let current = await askHop(prepared, prepared.firstHop, signal);
  for (;;) {
    const { answering, message, refusal } = current;
    const next = refusal && fallbacks.nextHop(prepared.plan, answering.hop, refusal.category);
    if (refusal === undefined || next === undefined) return serve(prepared, current, declined);
    const following = await askNext(prepared, current, next, signal);
    if (following === "overloaded") return serve(prepared, current, declined, next.model.id);
    await settleDeclined(prepared, current);
    const usage = shownUsage(prepared, answering, message.usage);
    declined.push({ hop: answering.hop, usage, category: refusal.category });
    current = following;
  }
}

/** A fallback that is over its limits is named to the client instead of failing the request. */
async function askNext(
  prepared: PreparedRequest,
  refused: HopAnswer,
  next: fallbacks.Hop,
  signal: AbortSignal,
) {
  const { answering, message } = refused;
  try {
    return await askHop(
      prepared,
      next,
      signal,
      warmAfter(prepared, answering, message.usage, false),
    );
  } catch (error) {
    if (isFailure(error) && fallbacks.isOverload(next, error)) return "overloaded";
    await settleDeclined(prepared, refused);
    throw error;
  }
}

/** Nothing of a declined answer is returned, so nothing of it is charged. */
const settleDeclined = (prepared: PreparedRequest, { answering, message }: HopAnswer) =>
  settleHop(prepared, answering, {
    outcome: "declined",
    counts: noTokens,
    used: countsOf(prepared, answering, message.usage),
  });

async function askHop(
  prepared: PreparedRequest,
  hop: fallbacks.Hop,
  signal: AbortSignal,
  warm: AnsweringHop["warm"] = [],
): Promise<HopAnswer> {
  const abort = linkedTo(signal);
  const options = { stream: false, abort, warm };
  const answering = await beginHop(prepared, hop, bodyOfHop(prepared, hop), options);
  try {
    const whole = await wholeOf(answering);
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
    return { answering, refusal, message: shown, isCounted };
  } catch (error) {
    await settleHop(prepared, answering, { outcome: "failed", counts: noTokens });
    throw error;
  }
}

const writtenIn = ({ content }: Message) =>
  content.reduce((tokens, block) => tokens + tokensWritten(block), 0);

/** The answer of an upstream that only streams is added up. */
async function wholeOf({ attempt }: AnsweringHop): Promise<Message> {
  if (attempt.kind === "message") return attempt.message;
  const sum = accumulate();
  for await (const batch of attempt.events) for (const event of batch) sum.add(event.data());
  const message = sum.message();
  assert(message !== undefined, "an attempt gave neither an answer nor a failure");
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
  prepared: PreparedRequest,
  { answering, message, refusal, isCounted }: HopAnswer,
  declined: readonly DeclinedHop[],
  recommendedModel?: string,
): Promise<WholeAnswer> {
  const isCharged = refusal === undefined || message.content.length > 0;
  const used = countsOf(prepared, answering, message.usage);
  const counts = isCharged ? used : noTokens;
  const content: Block[] = [...boundaries(prepared, declined, answering.hop), ...message.content];
  const stop_reason = refusal === undefined ? message.stop_reason : "refusal";
  const row = stickyRouteStatement(prepared, answering.hop, { content, stop_reason });
  const estimated = isCharged && isCounted;
  await settleHop(prepared, answering, { outcome: "served", counts, used, estimated, with: [row] });
  const partial = message.content;
  return {
    headers: replyHeadersOf(answering),
    message: {
      ...messageDefaults,
      ...message,
      ...appliedEdits(prepared, answering),
      model: answering.hop.model.id,
      content,
      stop_reason,
      stop_details:
        refusal === undefined
          ? null
          : refusalDetails(prepared, {
              answering,
              usage: message.usage,
              partial,
              isCharged,
              recommendedModel,
              ...refusal,
            }),
      usage: finalUsage(prepared, answering, message.usage, declined),
    },
  };
}
