// Ends work whose worker is heard of no more, so that what waits for it goes on.
import type { World } from "../../../kernel/context.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { every } from "../../../kernel/work/every.ts";
import { part } from "../../../kernel/work/parts.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries.ts";
import { isGivenUp, queueAgain, workChannel } from "./queue.ts";

/** `lost`: their worker may have run them, and whether they had an effect is not known. `given_up`: no worker does. */
export type WhyLost = "lost" | "given_up";

/** Answers the calls of a session that wait for a worker. */
export type AnswerLostCalls = (
  tx: Tx,
  world: World,
  sessionId: string,
  why: WhyLost,
) => Promise<void>;

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
  const before = sessionId === null ? undefined : await queries.lockSession(tx, sessionId);
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
  if (before === undefined) return;
  if (wasBeaten && !row.isLeft) await answerLostCalls(tx, world, sessionId, "lost");
  else if (before.oldestCallId !== null && isGivenUp(row, before)) {
    const { logger } = world;
    logger.warn({ work: id, session: sessionId }, "calls that no worker answers were given up");
    await answerLostCalls(tx, world, sessionId, "given_up");
  }
  const session = await queries.lockSession(tx, sessionId);
  if (session !== undefined) await queueAgain(tx, world, { sessionId, ended: row, session });
}
