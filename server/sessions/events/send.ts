// Takes events of clients: they are appended, and what they set off is told in the same transaction.
import assert from "node:assert/strict";
import { forbidden, invalid } from "../../../kernel/base/failure.ts";
import type { Actor, Context, Principal } from "../../../kernel/context.ts";
import { appendAll, countWaiting, findEvent, type NewEvent } from "../../../kernel/log/log.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { queueWork } from "../../environments/module.ts";
import type { Questions } from "../../mcp_client/module.ts";
import type { LockedSession } from "../queries.ts";
import { isForWorker } from "../steps/waiting-calls.ts";
import { listOpenThreads, type OpenThread } from "../threads/queries.ts";
import { lockOpenSession } from "../named-session.ts";
import { sessionsChannel } from "./channel.ts";
import * as queries from "./queries.ts";
import { limits } from "../limits.ts";
import {
  acceptEvents,
  inputTypes,
  isInput,
  type Accepted,
  type AcceptedEvent,
} from "../inputs/accept.ts";
import { expectFiles } from "../inputs/files.ts";
import {
  newEventId,
  presentEvent,
  requiresAction,
  sessionIdle,
  threadIdle,
  threadStatus,
  visible,
  type EventData,
} from "./drafts.ts";
import type { ClientEventInput, SendEvents } from "../inputs/schema.ts";
import { tellWebhooks } from "./webhooks.ts";

export async function sendEvents(context: Context, sessionId: string, { events }: SendEvents) {
  expectOfWorker(context.who, events);
  return context.db.tx(async (tx) => {
    const sent = await takeEvents(tx, context, sessionId, events);
    return {
      data: sent.map(({ event }) =>
        presentEvent({ ...event, processedAt: event.processedAt ?? null }, context.dialect),
      ),
    };
  });
}

/** Its word is the results of the tools that it runs. */
function expectOfWorker({ worker }: Principal, events: readonly ClientEventInput[]): void {
  const at = events.findIndex(({ type }) => !resultTypes.includes(type));
  if (worker !== undefined && at !== -1)
    throw forbidden(
      `events.${at}: is a ${events[at]?.type}, and a worker sends ${resultTypes.join(" and ")} alone; use an API key of the workspace.`,
    );
}

const resultTypes: readonly string[] = ["user.tool_result", "user.custom_tool_result"];

export async function takeEvents(
  tx: Tx,
  context: Actor,
  sessionId: string,
  given: readonly ClientEventInput[],
  /** Where they stand in the body. */
  field: "events" | "initial_events" = "events",
): Promise<AcceptedEvent[]> {
  const { clock, ids } = context;
  // Asked at once, and answered in this order: what waits is read when the session is locked.
  const [session, calls, threads] = await Promise.all([
    lockOpenSession(tx, context, sessionId),
    queries.listCalls(tx, sessionId),
    listOpenThreads(tx, sessionId),
  ]);
  // Nothing waits in it, and what comes begins a turn at once.
  const isAtRest =
    session.status === "idle" &&
    session.budgetNano === null &&
    calls.length === 0 &&
    threads.every(({ status }) => status === "idle");
  if (!isAtRest || given.length > 1) await expectRoom(tx, session, given);
  await expectFiles(context, tx, given, field);
  const now = clock.now();
  const questions = await readQuestions(tx, calls, given);
  const isWorker = context.who.worker !== undefined;
  const around = { calls, questions, isWorker, threads, ids, now, field };
  const accepted = acceptEvents(given, session, around);
  const { told, started } = effectsOf(session, threads, accepted);
  if (isAtRest && started.length > 0) processFirst(accepted.events, now);
  const streams = new Map<string, NewEvent[]>([[session.threadId, []]]);
  const put = (threadId: string, event: NewEvent) =>
    streams.set(threadId, [...(streams.get(threadId) ?? []), event]);
  for (const { event, threadIds } of accepted.events)
    for (const threadId of new Set([...threadIds, session.threadId])) put(threadId, event);
  for (const { threadId, data } of told) {
    const event = visible(newEventId(ids), data, now);
    for (const each of new Set([threadId, session.threadId])) put(each, event);
  }
  const appended = [...streams].map(([stream, events]) => ({ stream, events }));
  await Promise.all([
    appendAll(tx, context, appended, now),
    tellWebhooks(tx, context, [{ session, events: streams.get(session.threadId) ?? [] }]),
    ...accepted.answered.map((call) => queries.setCall(tx, session.id, call)),
    ...accepted.outcomes.map((outcome) =>
      queries.saveOutcome(tx, session.id, { ...outcome, ...newOutcome }),
    ),
    ...writeRows(tx, session, { started, hasInterrupt: accepted.hasInterrupt, now }),
  ]);
  if (isWorkersTurn(session, { started, accepted })) await queueWork(tx, context, session.id);
  tx.afterCommit(() => context.hints.send(sessionsChannel, session.id));
  return accepted.events;
}

/** Those that are answered, as they were told. */
async function readQuestions(
  tx: Tx,
  calls: readonly queries.OpenCall[],
  given: readonly ClientEventInput[],
): Promise<Map<string, Questions>> {
  const ids = given.flatMap((event) =>
    event.type === "user.custom_tool_result" ? [event.custom_tool_use_id] : [],
  );
  const asked = calls.filter(({ kind, eventId }) => kind === "question" && ids.includes(eventId));
  const found = new Map<string, Questions>();
  for (const { threadId, eventId } of asked) {
    const { data } = (await findEvent(tx, threadId, eventId)) ?? {};
    assert(data !== undefined, "a call that waits has its event");
    found.set(eventId, (data as { input: { requests: Questions } }).input.requests);
  }
  return found;
}

/** It runs, or a call waits that a worker of its environment answers. */
function isWorkersTurn(
  { environmentType, status }: LockedSession,
  { started, accepted }: { started: readonly string[]; accepted: Accepted },
): boolean {
  if (environmentType !== "self_hosted") return false;
  return status !== "idle" || started.length > 0 || accepted.open.some(isForWorker);
}

/** What waits is kept in memory by the process that works on the session: it has a bound. */
async function expectRoom(
  tx: Tx,
  { threadId }: LockedSession,
  given: readonly ClientEventInput[],
): Promise<void> {
  const more = given.filter(isInput).length;
  // What waits makes room for what comes with the interrupt.
  const isInterrupted = given.some(({ type }) => type === "user.interrupt");
  if (more === 0 || isInterrupted) return;
  const waiting = await countWaiting(tx, threadId, inputTypes);
  if (waiting + more > limits.inputsWaitingMax)
    throw invalid(
      `events: ${waiting} messages wait for their turn already, and at most ${limits.inputsWaitingMax} may. Send more when some of them have been answered, or interrupt the session.`,
      { code: "too_many_waiting" },
    );
}

/** What begins a turn at once is processed as it comes, with what is said along with it. */
function processFirst(events: readonly AcceptedEvent[], now: Date): void {
  const waiting = events.filter(({ event }) => event.processedAt === undefined);
  for (const [index, { event }] of waiting.slice(0, 2).entries())
    if (index === 0 || event.type === "system.message") event.processedAt = now;
}

const newOutcome = {
  iteration: 0,
  result: "pending",
  explanation: null,
  completedAt: null,
} as const;

function writeRows(
  tx: Tx,
  session: LockedSession,
  { started, hasInterrupt, now }: { started: readonly string[]; hasInterrupt: boolean; now: Date },
): Promise<unknown>[] {
  const status = "running" as const;
  const written: Promise<unknown>[] = started
    .filter((threadId) => threadId !== session.threadId)
    .map((threadId) => queries.setThreadStatus(tx, threadId, { status, at: now }));
  const running = { ...session, status, threadStatus: status, due: "now" as const };
  if (started.includes(session.threadId))
    written.push(queries.setStatuses(tx, [running], { at: now, hourNano: 0 }));
  else if (started.length > 0) written.push(queries.setSessionRunning(tx, session.id, now));
  // What is tried again after a pause is not hurried by what waits.
  else if (session.status !== "rescheduling" || hasInterrupt)
    written.push(queries.setDue(tx, session.id));
  return written;
}

interface Effects {
  /** What is told, and in which thread it happens. */
  told: { threadId: string; data: EventData }[];
  /** Threads that run from now on. */
  started: string[];
}

/** A reader of the events of a session knows its state at every one of them. */
function effectsOf(
  session: LockedSession,
  threads: readonly OpenThread[],
  { open, answered, begun, hasInput, hasInterrupt }: Accepted,
): Effects {
  const effects: Effects = { told: [], started: [] };
  // Who ends the turn tells how it ended.
  if (hasInterrupt) return effects;
  let isRetold = false;
  for (const thread of threads) {
    if (thread.status !== "idle") continue;
    const isAnswered = answered.some(({ threadId }) => threadId === thread.id);
    const rest = open.filter(({ threadId }) => threadId === thread.id);
    const gets = isAnswered || (hasInput && thread.id === session.threadId);
    if ((gets && rest.length === 0) || begun.includes(thread.id)) {
      effects.started.push(thread.id);
      effects.told.push({ threadId: thread.id, data: threadStatus("running", thread) });
    } else if (isAnswered) {
      isRetold = true;
      effects.told.push({ threadId: thread.id, data: threadIdle(thread, requiresAction(rest)) });
    }
  }
  if (session.status !== "idle") return effects;
  const { threadId } = session;
  if (effects.started.length > 0)
    effects.told.unshift({ threadId, data: { type: "session.status_running" } });
  else if (isRetold) effects.told.push({ threadId, data: sessionIdle(requiresAction(open)) });
  return effects;
}
