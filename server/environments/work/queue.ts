// What queues work and ends it: sessions, in their own transactions. Who calls holds the lock of the session.
import type { World } from "../../../kernel/context.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import * as queries from "./queries.ts";

/** Polls that wait listen to it, by the environment. */
export const workChannel = "environment_work";

/** For a session that wants a worker; where it has work, or its environment is a cloud one, nothing is added. */
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
