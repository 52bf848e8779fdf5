// Ends work whose worker is heard of no more, so that what waits for it goes on.
import type { World } from "../../../kernel/context.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { every } from "../../../kernel/work/every.ts";
import { part } from "../../../kernel/work/parts.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries.ts";
import { queueWork, workChannel } from "./queue.ts";

/** Answers the calls of a session that its worker may have run: whether they had an effect, nobody knows. */
export type AnswerLostCalls = (tx: Tx, world: World, sessionId: string) => Promise<void>;

export const sweepPart = (answerLostCalls: AnswerLostCalls) =>
  part("sweep of the work of environments", {
    start: (world: World) =>
      every(world, limits.sweepMs, {
        name: "ending work that no worker holds any more",
        act: () => sweep(world, answerLostCalls),
      }),
  });

async function sweep(world: World, answerLostCalls: AnswerLostCalls): Promise<void> {
  const { db, logger } = world;
  for (;;) {
    const due = await queries.listDue(db);
    let ended = 0;
    for (const work of due)
      try {
        await db.tx((tx) => end(tx, world, work, answerLostCalls));
        ended += 1;
      } catch (error) {
        // The others are not to wait for it.
        logger.warn({ error, work: work.id }, "work that no worker holds could not be ended");
      }
    if (due.length < limits.sweptTogetherMax || ended === 0) break;
  }
  await db.tx(queries.deleteOld);
}

async function end(
  tx: Tx,
  world: World,
  { id, environmentId, sessionId }: queries.DueWork,
  answerLostCalls: AnswerLostCalls,
): Promise<void> {
  const isThere = sessionId !== null && (await queries.lockSession(tx, sessionId)) !== undefined;
  const row = await queries.lockDue(tx, id);
  if (row === undefined) return;
  await queries.setStopped(tx, id);
  const wasBeaten = row.latestHeartbeatAt !== null;
  if (sessionId === null) {
    // A check that was taken is answered; who took it and was not heard of since has not answered it.
    if (wasBeaten || row.isLeft) return;
    const given = { id: world.ids.next("work_"), checkId: row.checkId ?? "" };
    await queries.queueCheck(tx, environmentId, given);
    tx.afterCommit(() => world.hints.send(workChannel, environmentId));
    return;
  }
  if (!isThere) return;
  if (wasBeaten && !row.isLeft) await answerLostCalls(tx, world, sessionId);
  const session = await queries.lockSession(tx, sessionId);
  if (session?.wantsWorker === true) await queueWork(tx, world, sessionId);
}
