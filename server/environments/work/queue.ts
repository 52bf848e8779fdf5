// What queues work and ends it: sessions, in their own transactions. Who calls holds the lock of the session.
import type { World } from "../../../kernel/context.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import * as queries from "./queries.ts";

/** Polls that wait listen to it, by the environment. */
export const workChannel = "environment_work";

/** Of a session of a self-hosted environment that a worker is wanted for; where there is work of it, nothing is added. */
export async function queueWork(
  tx: Tx,
  { ids, hints }: Pick<World, "ids" | "hints">,
  sessionId: string,
): Promise<void> {
  const queued = await queries.queueForSession(tx, { id: ids.next("work_"), sessionId });
  if (queued !== undefined) tx.afterCommit(() => hints.send(workChannel, queued));
}

/** The session takes nothing more. */
export const stopWork = queries.stopForSession;
