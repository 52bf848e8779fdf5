// What queues work and ends it: sessions, in their own transactions. Who calls holds the lock of the session.
import type { World } from "../../../kernel/context.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries.ts";

/** Polls that wait listen to it, by the environment. */
export const workChannel = "environment_work";

/** For a session that wants a worker; where it has work, or its environment is a cloud one, nothing is added. */
export async function queueWork(
  tx: Tx,
  { ids, hints }: Pick<World, "ids" | "hints">,
  sessionId: string,
  tries = 1,
): Promise<void> {
  const queued = await queries.queueForSession(tx, { id: ids.next("work_"), sessionId, tries });
  if (queued !== undefined) tx.afterCommit(() => hints.send(workChannel, queued));
}

type Ended = Pick<queries.WorkRow, "tries" | "oldestCallId">;

/** The call that had waited longest when the work was queued waits still. */
const isStuck = (ended: Ended, { oldestCallId }: queries.WorkedSession): boolean =>
  ended.oldestCallId === oldestCallId;

/** So much work has ended in a row without an answer that no more is to be queued for the same. */
export const isGivenUp = (ended: Ended, session: queries.WorkedSession): boolean =>
  isStuck(ended, session) && ended.tries >= limits.triesMax;

/** Behind work that has ended, where its session still wants a worker. What is given up waits for its next call. */
export async function queueAgain(
  tx: Tx,
  world: Pick<World, "ids" | "hints">,
  {
    sessionId,
    ended,
    session,
  }: { sessionId: string; ended: Ended; session: queries.WorkedSession },
): Promise<void> {
  if (!session.wantsWorker || isGivenUp(ended, session)) return;
  await queueWork(tx, world, sessionId, isStuck(ended, session) ? ended.tries + 1 : 1);
}

/** The session takes nothing more. */
export const stopWork = queries.stopForSession;
