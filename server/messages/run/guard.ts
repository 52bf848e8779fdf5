// A model that is asked before another one: what it answers, and what it used, which this server does not charge.
import assert from "node:assert/strict";
import { isFailure } from "../../../kernel/base/failure.ts";
import type { Actor } from "../../../kernel/context.ts";
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
  type AttemptRequest,
  type TokenCounts,
} from "../../models/module.ts";
import { priceOf } from "../../usage/module.ts";
import { lastUserText, contentText, type ModelRefusal } from "./classify.ts";
import { reportedCounts, usageFrom } from "./reported-usage.ts";
import { isEndedByClient, type PreparedRequest } from "../prepare/prepared-request.ts";
import { knownRecordOf } from "../../requests/module.ts";
import { payerOf } from "./payer.ts";
import { beginModelSpan, endModelSpan, errorWord, sentTraceparent } from "./spans.ts";

/** In whose name a guard is asked, and where what it used is recorded. */
export type GuardCaller = Pick<PreparedRequest, "actor" | "accounting" | "catalog">;

export interface GuardQuestion {
  /** What the guard decides, and in which words it says so. */
  task: string;
  /** What it decides about: others have written it, and it stands apart from the task. */
  data: string;
}

/** Throws where the guard cannot be asked. */
export async function askGuard(
  caller: GuardCaller,
  name: string,
  { task, data }: GuardQuestion,
  signal: AbortSignal,
): Promise<Message> {
  const guard = caller.catalog.resolve(name);
  assert(guard !== undefined, `the guard ${name} is no model`);
  const messages = [{ role: "user" as const, content: data }];
  const question = { model: guard.id, max_tokens: 32, system: task, messages };
  const progress = newAttemptProgress();
  const asking = async () => {
    const span = beginModelSpan(caller.actor, guard, question.max_tokens);
    try {
      const traceparent = sentTraceparent(caller.actor, span, guard.upstream);
      const answer = await ask(caller, guard, question, { signal, progress, traceparent });
      const counts = span && reportedCounts(answer.usage);
      if (counts) endModelSpan(span, { outcome: "served", counts, stopReason: answer.stop_reason });
      return answer;
    } catch (error) {
      span?.end({ error: errorWord(error) });
      throw error;
    }
  };
  return withLedgerHop(caller, { guard, question, progress, signal }, asking);
}

const requestTask =
  "Decide whether the following request may be answered. Say only `allow`, or `refuse: ` and one of " +
  `${refusalCategories.join(", ")}.`;

/** A refusal of the guard counts, and an answer of it that begins with "refuse". Undefined: the guard allows. */
export async function refusalOfGuard(
  prepared: PreparedRequest,
  name: string,
  body: MessageBody,
  signal: AbortSignal,
): Promise<ModelRefusal | undefined> {
  const data = lastUserText(body) || "(nothing)";
  const message = await askGuard(prepared, name, { task: requestTask, data }, signal);
  if (message.stop_reason === "refusal")
    return { category: message.stop_details?.category ?? null, explanation: null };
  const verdict = /^\s*refuse(?:\s*:\s*(\w+))?/i.exec(contentText(message.content));
  if (verdict === null) return undefined;
  return {
    category: refusalCategories.find((name) => name === verdict[1]) ?? null,
    explanation: null,
  };
}

async function ask(
  { actor, catalog }: GuardCaller,
  guard: Model,
  body: MessageBody,
  asking: Pick<AttemptRequest, "signal" | "progress" | "traceparent">,
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

interface AskedGuard {
  guard: Model;
  question: MessageBody;
  progress: AttemptProgress;
  signal: AbortSignal;
}

/** A row of its own in the ledger: no client is charged, and the list amount is what the guard would cost. */
async function withLedgerHop(
  caller: GuardCaller,
  asked: AskedGuard,
  asking: () => Promise<Message>,
): Promise<Message> {
  const { guard, progress, signal } = asked;
  const { actor } = caller;
  const ledger = caller.accounting.ledger(actor);
  const id = actor.ids.next("hop_");
  const opened = ledger.open(guardHopOf(caller, guard, id));
  const end = noteAttempt(actor, guard);
  const settlement = { counts: noTokens, amountNano: 0, listAmountNano: 0, estimated: false };
  let message: Message;
  try {
    [message] = await Promise.all([asking(), opened]);
  } catch (error) {
    const isOpen = await opened.then(
      () => true,
      () => false,
    );
    const hasLeft = signal.aborted && isEndedByClient(caller) && !isFailure(error);
    const worked = hasLeft && progress.isSent ? workOf(asked) : undefined;
    const outcome = hasLeft ? "cut" : "failed";
    end(outcome, worked?.counts ?? noTokens, signal.aborted ? "client_gone" : errorWord(error));
    if (isOpen) await ledger.close(id, { ...settlement, ...worked, outcome });
    else await ledger.whenWritten(id);
    throw error;
  }
  const work = workOf(asked, message);
  end("served", work.counts);
  await ledger.close(id, { ...settlement, ...work, outcome: "served" });
  return message;
}

/** In the request log, where the request is still under way. */
function noteAttempt(actor: Actor, guard: Model) {
  const record = knownRecordOf(actor)?.beginAttempt(guard, actor.clock.monotonicMs(), true);
  return (outcome: string, { input, output }: TokenCounts, why: string | null = null): void => {
    if (record === undefined) return;
    Object.assign(record, { outcome, why, inputTokens: input, outputTokens: output });
    record.endMs = actor.clock.monotonicMs();
  };
}

/** What the guard used; where the client left while the guard worked, what the guard is known to have used. */
function workOf({ guard, question, progress }: AskedGuard, message?: Message) {
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

function guardHopOf({ actor, accounting }: GuardCaller, guard: Model, id: string) {
  const { requestId, clock } = actor;
  return {
    id,
    requestId,
    reserveNano: 0,
    at: clock.now(),
    payer: { ...payerOf(actor, guard, accounting), kind: "guard" as const },
  };
}
