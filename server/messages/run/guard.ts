// A model that is asked before another one: what it answers, and what it used, which this server does not charge.
import assert from "node:assert/strict";
import { isFailure } from "../../../kernel/base/failure.ts";
import {
  newAttemptProgress,
  noTokens,
  refusalCategories,
  tokensOfBody,
  tokensWritten,
  type Message,
  type MessageBody,
  type Model,
  type AttemptProgress,
} from "../../models/module.ts";
import { priceOf } from "../../usage/module.ts";
import { lastUserText, contentText, type ModelRefusal } from "./classify.ts";
import { reportedCounts, usageFrom } from "./reported-usage.ts";
import { isEndedByClient, type PreparedRequest } from "../prepare/prepared-request.ts";
import { payerOf } from "./payer.ts";

/** A refusal of the guard counts, and an answer of it that begins with "refuse". Undefined: the guard allows. */
export async function askGuard(
  prepared: PreparedRequest,
  name: string,
  body: MessageBody,
  signal: AbortSignal,
): Promise<ModelRefusal | undefined> {
  const guard = prepared.catalog.resolve(name);
  assert(guard !== undefined, `the guard ${name} is no model`);
  const question = questionOf(guard, body);
  const progress = newAttemptProgress();
  const asking = () => ask(prepared, guard, question, { signal, progress });
  const message = await withLedgerHop(prepared, { guard, question, progress, signal }, asking);
  if (message.stop_reason === "refusal")
    return { category: message.stop_details?.category ?? null, explanation: null };
  const verdict = /^\s*refuse(?:\s*:\s*(\w+))?/i.exec(contentText(message.content));
  if (verdict === null) return undefined;
  return {
    category: refusalCategories.find((name) => name === verdict[1]) ?? null,
    explanation: null,
  };
}

const guardTask =
  "Decide whether the following request may be answered. Say only `allow`, or `refuse: ` and one of " +
  `${refusalCategories.join(", ")}.`;

function questionOf(guard: Model, body: MessageBody): MessageBody {
  const messages = [{ role: "user" as const, content: lastUserText(body) || "(nothing)" }];
  return { model: guard.id, max_tokens: 32, system: guardTask, messages };
}

async function ask(
  { actor, catalog }: PreparedRequest,
  guard: Model,
  body: MessageBody,
  asking: { signal: AbortSignal; progress: AttemptProgress },
): Promise<Message> {
  const { requestId } = actor;
  const betas = new Set<string>();
  const request = { model: guard, body, stream: false, betas, requestId, ...asking };
  const attempt = await catalog.adapterOf(guard).attempt(request);
  // A guard that cannot be asked must not be passed by.
  if (attempt.kind === "failure") throw attempt.failure;
  assert(attempt.kind !== "stream", "a guard answered with a stream");
  return attempt.message;
}

interface Question {
  guard: Model;
  question: MessageBody;
  progress: AttemptProgress;
  signal: AbortSignal;
}

/** A row of its own in the ledger: no client is charged, and the list amount is what the guard would cost. */
async function withLedgerHop(
  prepared: PreparedRequest,
  asked: Question,
  asking: () => Promise<Message>,
): Promise<Message> {
  const { guard, progress, signal } = asked;
  const ledger = prepared.accounting.ledger(prepared.actor);
  const id = prepared.actor.ids.next("hop_");
  const opened = ledger.open(guardHopOf(prepared, guard, id));
  const settlement = { counts: noTokens, amountNano: 0, listAmountNano: 0, estimated: false };
  let message: Message;
  try {
    [message] = await Promise.all([asking(), opened]);
  } catch (error) {
    const isOpen = await opened.then(
      () => true,
      () => false,
    );
    const hasLeft = signal.aborted && isEndedByClient(prepared) && !isFailure(error);
    const worked = hasLeft && progress.isSent ? workOf(asked) : undefined;
    const outcome = hasLeft ? "cut" : "failed";
    if (isOpen) await ledger.close(id, { ...settlement, ...worked, outcome });
    else await ledger.whenWritten(id);
    throw error;
  }
  await ledger.close(id, { ...settlement, ...workOf(asked, message), outcome: "served" });
  return message;
}

/** What the guard used; where the client left while the guard worked, what the guard is known to have used. */
function workOf({ guard, question, progress }: Question, message?: Message) {
  const written =
    message === undefined
      ? progress.writtenTokens
      : message.content.reduce((sum, block) => sum + tokensWritten(block), 0);
  const { usage, isInputReported, isOutputReported } = usageFrom(message?.usage, {
    input: () => tokensOfBody(question),
    output: () => Math.min(written, question.max_tokens),
  });
  const counts = reportedCounts(usage);
  const listAmountNano = priceOf(guard.prices, counts, { batch: false });
  return {
    counts,
    listAmountNano,
    estimated: !isInputReported || !isOutputReported || progress.isEstimated,
  };
}

function guardHopOf({ actor, accounting }: PreparedRequest, guard: Model, id: string) {
  const { requestId, clock } = actor;
  return {
    id,
    requestId,
    reserveNano: 0,
    at: clock.now(),
    payer: { ...payerOf(actor, guard, accounting), kind: "guard" as const },
  };
}
