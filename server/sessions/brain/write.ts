// What the brain writes: the logs of threads and the rows beside them, of several sessions in one transaction.
import { gather } from "../../../kernel/base/gather.ts";
import type { World } from "../../../kernel/context.ts";
import { appendAll, findEvent, recordProcessed } from "../../../kernel/log/log.ts";
import { isCommitUnknown, type Tx } from "../../../kernel/sql/database.ts";
import type { Held, Holder } from "../../../kernel/work/hold.ts";
import { LeaseLost, type Lease } from "../../../kernel/work/lease.ts";
import { queueWork } from "../../environments/module.ts";
import * as events from "../events/queries.ts";
import { tellWebhooks } from "../events/webhooks.ts";
import { unsettledMsOf } from "../steps/usage.ts";
import { priceOfTime } from "../time/cost.ts";
import { changeStatuses } from "../time/settle.ts";
import { limits } from "../limits.ts";
import { isDatabaseLost } from "../model/failures.ts";
import type { WorkedSession } from "../model/queries.ts";
import { lockSession } from "../queries.ts";
import { saveQuestionState } from "../servers/queries.ts";
import { insertThread } from "../threads/queries.ts";
import type { Draft, SessionDrafts } from "../steps/drafts.ts";
import { sessionStatus } from "../steps/session-status.ts";
import { isForWorker, openCallsOf, waitingCalls } from "../steps/waiting-calls.ts";
import type { ClaimedSession } from "./queries.ts";

/** Of one session: all of it or nothing, and nothing where it is held no more. */
export interface SessionWrite {
  held: Held<ClaimedSession & Lease>;
  drafts: SessionDrafts;
  session: WorkedSession;
  /** Nothing is left to be done, but for what is tried again after a pause: the session is given back. */
  isLast: boolean;
  pauseMs: number | undefined;
}

export type WriteSession = (write: SessionWrite) => Promise<void>;

/** Those that come at the same time go together; where one of them cannot be written, each goes by itself. */
export function sessionWriter(world: World, holder: Holder<ClaimedSession & Lease>): WriteSession {
  const writeAll = async (writes: readonly SessionWrite[]): Promise<void> => {
    try {
      await world.db.tx((tx) => writeTogether(tx, world, holder, writes));
    } catch (error) {
      if (!isCommitUnknown(error) || !(await isWritten(world, writes))) throw error;
    }
  };
  const write = gather(
    async (writes: readonly SessionWrite[]): Promise<readonly PromiseSettledResult<void>[]> => {
      const [together] = await Promise.allSettled([writeAll(writes)]);
      if (together.status === "fulfilled" || writes.length === 1) return writes.map(() => together);
      return Promise.allSettled(writes.map((each) => writeAll([each])));
    },
    { keysMax: limits.writesTogetherMax, atOnce: limits.writesAtOnce },
  );
  return async (each) => {
    const written = await write(each);
    if (written.status === "rejected") throw written.reason;
  };
}

/** The answer to a commit was lost: the log tells whether it was made. Written again, it would stand there twice. */
async function isWritten({ db, clock }: World, writes: readonly SessionWrite[]): Promise<boolean> {
  const [event] = writes.flatMap(({ session, drafts }) =>
    drafts
      .all()
      .flatMap(({ thread, events: own }) =>
        own.flatMap(({ id }) => (id === undefined ? [] : [{ id, session, stream: thread.id }])),
      ),
  );
  if (event === undefined) return false;
  for (;;) {
    try {
      return await db.tx(async (tx) => {
        // Its transaction has this row locked until it has ended.
        await lockSession(tx, event.session.workspaceId, event.session.id);
        return (await findEvent(tx, event.stream, event.id)) !== undefined;
      });
    } catch (error) {
      const isOver = writes.every(({ held }) => held.signal.aborted);
      if (isOver || !isDatabaseLost(error)) throw error;
      await clock.sleep(limits.awayMs);
    }
  }
}

async function writeTogether(
  tx: Tx,
  world: World,
  holder: Holder<ClaimedSession & Lease>,
  writes: readonly SessionWrite[],
): Promise<void> {
  const at = world.clock.now();
  const drafts = writes.flatMap((write) => write.drafts.all());
  const processed = drafts.flatMap((draft) => draft.processed);
  const changes = writes.map((write) => statusOf(world, write)).filter(isChange);
  // Asked at once, and done in this order: the sessions are locked first.
  const [fenced, , , changed] = await Promise.all([
    holder.fenceAll(
      tx,
      writes.map(({ held }) => held),
    ),
    appendAll(tx, world, drafts.map(appendingOf), at),
    processed.length > 0 && recordProcessed(tx, processed),
    changes.length > 0 ? changeStatuses(tx, world, changes, at) : [],
    tellWebhooks(
      tx,
      world,
      writes.map(({ session, drafts: own }) => ({ session, events: own.primary.events })),
    ),
  ]);
  for (const { held } of writes) if (!fenced.has(held)) throw new LeaseLost("session", held.lease);
  const readMs = world.clock.monotonicMs();
  for (const { id, settled: _, ...ran } of changed)
    for (const { session } of writes)
      if (session.id === id) Object.assign(session, { ...ran, readMs });
  for (const { drafts: own, session } of writes)
    for (const draft of own.all())
      await writeThread(tx, session, draft, { at, primary: own.primary });
  for (const write of writes)
    if (isWorkersTurn(write)) await queueWork(tx, world, write.session.id);
}

/** It begins to run, or tells of calls that a worker of its environment answers. */
function isWorkersTurn({ drafts: own, session }: SessionWrite): boolean {
  if (session.environmentType !== "self_hosted") return false;
  const isRunning = sessionStatus(own.threads.map(({ state }) => state)) !== "idle";
  if (isRunning && own.statusBefore === "idle") return true;
  return own
    .all()
    .some(
      ({ thread, state, before }) =>
        waitingCalls(state) !== before.calls &&
        openCallsOf(state, thread.id, session).some(isForWorker),
    );
}

const appendingOf = ({ thread, events: own, from }: Draft) => ({
  stream: thread.id,
  events: own,
  expectedPosition: from,
});

const isChange = (change: events.StatusChange | undefined) => change !== undefined;

/** Undefined where it is as it was. */
function statusOf(
  world: World,
  {
    drafts: { primary, threads, statusBefore, toldBefore },
    session,
    isLast,
    pauseMs,
  }: SessionWrite,
): events.StatusChange | undefined {
  const status = sessionStatus(threads.map(({ state }) => state));
  const isSettled = status === "running" && isSettlingDue(world, session);
  const isChanged =
    isSettled ||
    status !== statusBefore ||
    status !== toldBefore ||
    primary.state.status !== primary.before.status;
  if (!isChanged && !isLast) return undefined;
  return {
    id: session.id,
    threadId: session.threadId,
    status,
    threadStatus: primary.state.status,
    due: isLast ? (pauseMs ?? "never") : "as_before",
    isGivenBack: isLast,
    isSettled,
  };
}

/** One that runs for long is in the ledger before it ends: limits of money, and people, see what it costs. */
const isSettlingDue = (world: World, session: WorkedSession): boolean =>
  unsettledMsOf(world, session) >= limits.timeSettledMs &&
  priceOfTime(world, session.environmentType) > 0;

async function writeThread(
  tx: Tx,
  session: WorkedSession,
  draft: Draft,
  { at, primary }: { at: Date; primary: Draft },
): Promise<void> {
  const { thread, state, before, outcomes } = draft;
  const isNew = draft.from === 0 && draft !== primary;
  if (isNew) await insertThread(tx, session.id, thread.facts, at);
  if (waitingCalls(state) !== before.calls)
    await events.setCalls(
      tx,
      { sessionId: session.id, threadId: thread.id },
      openCallsOf(state, thread.id, session),
    );
  for (const outcome of outcomes.values()) await events.saveOutcome(tx, session.id, outcome);
  for (const [callId, sealed] of draft.questionStates)
    await saveQuestionState(tx, { sessionId: session.id, threadId: thread.id, callId }, sealed);
  if (draft !== primary && (isNew || state.status !== before.status))
    await events.setThreadStatus(tx, thread.id, { status: state.status, at });
}
