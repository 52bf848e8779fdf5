// A session that this worker has: its calls are run one after the other, and answered, until it rests.
import { ApiError, type Client } from "../../../contract/client.ts";
import type { Session, SessionsEventsSendBody } from "../../../contract/types.ts";
import type { Clock } from "../../../kernel/base/clock.ts";
import {
  failed,
  SandboxError,
  runTool,
  sandboxTools,
  type ToolResult,
} from "../../sandboxes/module.ts";
import { storesOf } from "../../mounts/module.ts";
import { LeaseLost, lostWhereRefused } from "../lease.ts";
import { limits } from "../limits.ts";
import { makeOpenCalls, type OpenCall, type OpenCalls } from "./open-calls.ts";
import type { Tell } from "../report.ts";
import { ask, insist, makePauses, mayPass, wordsOf } from "../requests.ts";
import { mountProblem, type SessionStores } from "../stores/session-stores.ts";
import { followSession } from "./session-events.ts";
import { installSkills } from "./skills.ts";
import type { Inside, Workspaces } from "../workspaces.ts";

export interface SessionScope {
  clock: Clock;
  /** With the token of the work. */
  client: Client;
  workspaces: Workspaces;
  tell: Tell;
  sessionId: string;
  /** Nothing more is begun. */
  leaving: AbortSignal;
  /** What still runs has had its time. */
  late: AbortSignal;
  /** All ends at once: the lease is lost, or the worker ends. */
  over: AbortSignal;
  /** Another session may wait for the place of this one. */
  isFull(): boolean;
  /** How many calls run in this process. */
  running: { calls: number };
  /** Of this work: one may have begun, and has no result. */
  unanswered: { isUnanswered: boolean };
}

/** Answers why it is over. What ended it from without is thrown. */
export async function workOnSession(scope: SessionScope): Promise<string> {
  const { clock, client, sessionId, over } = scope;
  const session = await insist(clock, over, (signal) =>
    client.sessions.retrieve({ params: { session_id: sessionId }, signal }),
  );
  if (session.status === "terminated") return "it has ended for good";
  const calls = makeOpenCalls(sandboxTools);
  const waker = makeWaker(clock, over);
  const following = new AbortController();
  let current: { id: string; answered: AbortController } | undefined;
  let isCaughtUp = false;
  let fault: unknown;
  const followed = followSession(
    { clock, client, signal: AbortSignal.any([over, following.signal]) },
    sessionId,
    {
      take(event) {
        calls.take(event);
        const isOver = calls.end !== undefined;
        if (current !== undefined && (isOver || calls.isAnswered(current.id)))
          current.answered.abort();
        waker.wake();
      },
      caughtUp() {
        isCaughtUp = true;
        waker.wake();
      },
      away: (reason) => scope.tell({ type: "waiting", reason: `${sessionId}: ${reason}` }),
    },
  ).catch((error: unknown) => {
    fault = error;
    waker.wake();
  });
  scope.leaving.addEventListener("abort", waker.wake, { once: true });
  try {
    for (let restsSinceMs: number | undefined; ;) {
      over.throwIfAborted();
      if (fault !== undefined) throw lostWhereRefused(fault);
      if (calls.end !== undefined) return `it was ${calls.end}`;
      if (scope.leaving.aborted) return "the worker was asked to stop";
      const call = isCaughtUp ? calls.next() : undefined;
      if (call !== undefined) {
        current = { id: call.id, answered: new AbortController() };
        await answerCall({ ...scope, session, calls, answered: current.answered.signal }, call);
        current = undefined;
        restsSinceMs = undefined;
        continue;
      }
      const rests = isCaughtUp && calls.rests;
      restsSinceMs = rests ? (restsSinceMs ?? clock.monotonicMs()) : undefined;
      const mostMs = scope.isFull() ? limits.restMsWhereFull : limits.restMs;
      if (restsSinceMs !== undefined && clock.monotonicMs() - restsSinceMs >= mostMs)
        return "it rests";
      await waker.wait(limits.restMsWhereFull);
    }
  } finally {
    following.abort();
    scope.leaving.removeEventListener("abort", waker.wake);
    await followed;
  }
}

/** A wait that ends when something has happened, also before it began. */
function makeWaker(clock: Clock, over: AbortSignal) {
  let woken = new AbortController();
  return {
    wake: () => woken.abort(),
    async wait(ms: number): Promise<void> {
      await clock.sleep(ms, AbortSignal.any([woken.signal, over]));
      woken = new AbortController();
    },
  };
}

interface CallScope extends SessionScope {
  session: Session;
  calls: OpenCalls;
  /** The call has got its result otherwise, as by an interrupt. */
  answered: AbortSignal;
}

async function answerCall(scope: CallScope, call: OpenCall): Promise<void> {
  const { clock, sessionId: session, running, calls, over, tell } = scope;
  const told = { session, tool: call.name, call: call.id };
  const beganMs = clock.monotonicMs();
  running.calls += 1;
  scope.unanswered.isUnanswered = true;
  let result: ToolResult;
  try {
    result = await runCall(scope, call);
  } finally {
    running.calls -= 1;
  }
  over.throwIfAborted();
  const ms = Math.round(clock.monotonicMs() - beganMs);
  tell({ type: "ran", ...told, ms, is_error: result.isError });
  try {
    const isTaken = !calls.isAnswered(call.id) && (await sendResult(scope, call, result));
    scope.unanswered.isUnanswered = false;
    if (isTaken) return tell({ type: "sent", ...told });
    tell({ type: "dropped", ...told, reason: "it was answered meanwhile" });
  } catch (error) {
    over.throwIfAborted();
    const refusal = lostWhereRefused(error);
    if (refusal instanceof LeaseLost || !(refusal instanceof ApiError)) throw refusal;
    // What the server takes from nobody would keep the session waiting for ever.
    const words = failed(`The call was run, and its result was not taken: ${refusal.message}`);
    await sendResult(scope, call, words).catch((again: unknown) => {
      throw lostWhereRefused(again);
    });
    scope.unanswered.isUnanswered = false;
    tell({ type: "dropped", ...told, reason: refusal.message });
  } finally {
    calls.answer(call.id);
  }
}

/** What keeps a call from its result is its result. */
async function runCall(scope: CallScope, call: OpenCall): Promise<ToolResult> {
  const { workspaces, session, sessionId, tell } = scope;
  const mounts = storesOf(session.resources);
  const problem = mountProblem(mounts);
  if (problem !== undefined) return failed(`${problem} The call was not run.`);
  const signal = AbortSignal.any([scope.answered, scope.late, scope.over]);
  try {
    return await workspaces.run(sessionId, mounts, async (inside) => {
      const key = JSON.stringify(session.agent.skills);
      if (workspaces.skillsOf(sessionId) !== key) {
        await installSkills({ ...scope, signal }, inside.sandbox, session.agent.skills);
        if (!signal.aborted) workspaces.setSkills(sessionId, key);
      }
      const result = await runInside(scope, { ...inside, call, signal });
      if (signal.aborted) return failed(stoppedWords);
      return inside.stores === undefined ? result : withNotes(scope, result, inside.stores);
    });
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    if (signal.aborted) return failed(stoppedWords);
    if (error instanceof SandboxError) return failed(error.message);
    const reason = `a call of ${call.name} could not be run: ${String(error)}`;
    tell({ type: "failed", session: sessionId, reason });
    return failed("The call could not be run: this worker failed. What it prints says more.");
  }
}

/** With the stores of the session as they are when it begins, and what it has written in them when it ends. */
async function runInside(
  { client, over, sessionId, tell }: CallScope,
  { sandbox, stores, call, signal }: Inside & { call: OpenCall; signal: AbortSignal },
): Promise<ToolResult> {
  if (stores === undefined) return runTool(sandbox, call, signal);
  await stores.prepare(client, signal);
  const onFault = (error: unknown) => {
    if (over.aborted || error instanceof LeaseLost) return;
    const reason = `memory stores were not kept in step: ${wordsOf(error)}`;
    tell({ type: "failed", session: sessionId, reason });
  };
  const stopSyncs = stores.keepInStep(client, over, onFault);
  const result = await runTool(sandbox, call, signal).finally(stopSyncs);
  // Also of a call that was stopped: what it wrote until then is its own.
  try {
    await stores.takeIn(client, over);
  } catch (error) {
    if (over.aborted || error instanceof LeaseLost) throw error;
    onFault(error);
    const text = `[${notKeptWords}]`;
    return { ...result, content: [...result.content, { type: "text", text }] };
  }
  return result;
}

function withNotes(
  { sessionId: session, tell }: CallScope,
  { content, isError }: ToolResult,
  stores: SessionStores,
): ToolResult {
  const notes = stores.notes();
  for (const text of notes) tell({ type: "noted", session, text });
  const told = notes.map((note) => ({ type: "text" as const, text: `[${note}]` }));
  return { content: [...content, ...told], isError };
}

const notKeptWords =
  "What was written to memory could not be kept yet; it is tried again with the next call.";
const stoppedWords =
  "The worker was stopped while this call ran: whether it had its effect is not known. Files in /workspace are kept.";

/** Pictures are of the four types that the server takes. */
type Told = Extract<
  SessionsEventsSendBody["events"][number],
  { type: "user.tool_result" }
>["content"];

/** Whether it was taken. After an answer that was lost, the server says so by having no such call any more. */
async function sendResult(
  { clock, client, sessionId, calls, over }: CallScope,
  { id }: OpenCall,
  { content, isError }: ToolResult,
): Promise<boolean> {
  // The server takes no empty text: what said nothing has no content.
  const told = content.filter((block) => block.type !== "text" || block.text !== "") as Told;
  const event = {
    type: "user.tool_result" as const,
    tool_use_id: id,
    content: told,
    is_error: isError,
  };
  const pauses = makePauses(clock);
  for (let isFirst = true; ; isFirst = false) {
    try {
      await ask(clock, over, (signal) =>
        client.sessions.events.send({
          params: { session_id: sessionId },
          body: { events: [event] },
          signal,
        }),
      );
      calls.sent();
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.code === "tool_call_not_pending") return !isFirst;
      if (over.aborted || !mayPass(error)) throw error;
    }
    await pauses.next(over);
    over.throwIfAborted();
    if (calls.isAnswered(id)) return true;
  }
}
