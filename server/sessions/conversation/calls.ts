// The calls of a round: they come with an answer, get their results, and become a turn.
import assert from "node:assert/strict";
import { parseExactly } from "../../../kernel/base/exact-json.ts";
import type { QuestionAnswers } from "../../mcp_client/module.ts";
import type { Block } from "../../models/module.ts";
import type { CallData, InternalEvent } from "./events.ts";
import type { Call, CallKind, ThreadState } from "./state.ts";
import { roundTurns, textOf } from "./turns.ts";

export const callOf = ({ calls }: ThreadState, id: string) => calls.find((call) => call.id === id);

/** The first answer stands. */
export function answer(
  state: ThreadState,
  id: string,
  { content, is_error: isError }: { content?: Block[]; is_error?: boolean | null },
): void {
  const call = callOf(state, id);
  if (call !== undefined) call.result ??= { content: content ?? [], isError: isError ?? false };
}

type Told<Type extends InternalEvent["type"]> = Extract<InternalEvent, { type: Type }>;

/** The call does not run while its server waits to be answered. */
export function ask(
  state: ThreadState,
  {
    tool_use_id: callId,
    question_id: id,
    samples = 0,
    is_held: isHeld = false,
  }: Told<"internal.mcp_server_asked">,
): void {
  const call = callOf(state, callId);
  if (call === undefined) return;
  // One that is held runs: where its process dies, what came of it is not known.
  call.isStarted &&= isHeld;
  const times = (call.question?.times ?? 0) + 1;
  call.question = { id, answers: null, isTaken: false, times, samples };
}

/** From here on any process finds what comes of it: the call is not made again. */
export function followCall(
  state: ThreadState,
  {
    tool_use_id: callId,
    task_id: id,
    poll_ms: pollMs,
    until_ms: untilMs,
  }: Told<"internal.mcp_task_made">,
): void {
  const call = callOf(state, callId);
  if (call !== undefined) call.task = { id, pollMs, untilMs };
}

/** Its server waits for an answer. */
export const isAsked = ({ question, result }: Call): boolean =>
  question !== null && question.answers === null && result === null;

/** With what a client has sent, which was read when it came. */
export function answerQuestion(
  { calls }: ThreadState,
  id: string,
  content: readonly Block[],
): void {
  const question = calls.find((call) => call.question?.id === id)?.question;
  if (question != null) question.answers ??= parseExactly(textOf(content)) as QuestionAnswers;
}

/** What is not answered by now is not waited for. */
export function dropQuestion(state: ThreadState, callId: string): void {
  const question = callOf(state, callId)?.question;
  if (question != null) question.answers ??= {};
}

/** Its server has them. */
export function takeAnswers(state: ThreadState, callId: string): void {
  const question = callOf(state, callId)?.question;
  if (question != null) question.isTaken = true;
}

/** A call of another agent is answered by what its thread writes. */
export function answerOfThread(
  { calls }: ThreadState,
  threadId: string,
  content: Block[],
): boolean {
  const call = calls.find((each) => each.threadId === threadId && each.result === null);
  if (call === undefined) return false;
  call.result = { content, isError: false };
  return true;
}

/** A thread that has ended answers nothing any more. */
export function abandonCalls({ calls }: ThreadState, threadId: string): void {
  for (const call of calls) if (call.threadId === threadId) call.isAbandoned = true;
}

interface NewCall extends CallData {
  kind: CallKind;
  threadId?: string;
  server?: string;
}

export function addCall(state: ThreadState, id: string, call: NewCall): void {
  const at = state.announced.findIndex((each) => each.id === id);
  // The answer of a subagent is sent without being called for.
  if (at === -1) return;
  const [announced] = state.announced.splice(at, 1);
  assert(announced !== undefined, "a call is announced by its answer");
  state.calls.push({
    id,
    blockId: announced.blockId,
    kind: call.kind,
    threadId: call.threadId ?? null,
    server: call.server ?? null,
    name: call.name,
    input: call.input,
    permission: call.evaluated_permission ?? "allow",
    isUnknown: call.evaluated_permission === "deny" && call.evaluation === undefined,
    confirmation: null,
    isStarted: false,
    isAbandoned: false,
    hasPage: call.tool_page !== undefined,
    changed: null,
    question: null,
    task: null,
    result: null,
  });
}

/** The results of a round become a turn of the user, in the order of the calls. */
export function closeRound(state: ThreadState): void {
  if (state.calls.length === 0) return;
  state.turns.push(...roundTurns(state.calls, state.besideResults));
  state.calls = [];
  state.besideResults = [];
}
