// Work of self-hosted environments: handed out, acknowledged, listed, shown, changed and stopped.
import { conflict, invalid } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import { noContent, type Reply } from "../../../kernel/http/output/reply.ts";
import { makeCursors, pageSize, toCursorPage } from "../../../kernel/http/pages.ts";
import { hashSecret, newSecret, secretPrefixes } from "../../../kernel/secret/token.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { recordByCaller } from "../../audit/module.ts";
import { workspaceOf } from "../../workspaces/module.ts";
import { lockOpenEnvironment, metadataOf } from "../service.ts";
import { limits } from "./limits.ts";
import { present } from "./present.ts";
import * as queries from "./queries.ts";
import * as workers from "./queries-workers.ts";
import { isGivenUp, queueAgain, workChannel } from "./queue.ts";
import { expectEnvironment, expectWork, isOthers, isWorker, lost } from "./reach.ts";
import type { PollQuery, StopWork, UpdateWork, Work, WorkQuery, WorkQueueStats } from "./schema.ts";

/** Waits for work as long as it may, and says in vain that there is none. */
export async function poll(
  context: Context,
  environmentId: string,
  { block_ms: blockMs = 0, reclaim_older_than_ms: reclaimMs = limits.reclaimMs }: PollQuery,
): Promise<Work | Reply> {
  const { db, clock, hints, headers, signal } = context;
  await expectEnvironment(context, environmentId);
  const workerId = headers["anthropic-worker-id"];
  if (
    typeof workerId === "string" &&
    workerId !== "" &&
    workerId.length <= limits.workerIdCharactersMax
  )
    await workers.notePoll(db, environmentId, workerId);
  const endMs = clock.monotonicMs() + blockMs;
  for (;;) {
    // Listened for before it is asked: what is queued in between is not missed.
    const woken = new AbortController();
    const forget = hints.listen(workChannel, (key) => {
      if (key === environmentId || key === "*") woken.abort();
    });
    try {
      const work = await handOut(context, environmentId, reclaimMs);
      if (work !== undefined) return work;
      const leftMs = endMs - clock.monotonicMs();
      if (leftMs <= 0 || signal.aborted) return noContent();
      await clock.sleep(leftMs, AbortSignal.any([woken.signal, signal]));
    } finally {
      forget();
    }
  }
}

async function handOut(
  { db, random, publicUrl }: Context,
  environmentId: string,
  reclaimMs: number,
): Promise<Work | undefined> {
  return db.tx(async (tx) => {
    const row = await queries.handOut(tx, environmentId, reclaimMs);
    if (row === undefined) return undefined;
    const token = newSecret(secretPrefixes.session, random);
    const { id, epoch } = row;
    await workers.insertToken(tx, id, { epoch, secretSha256: hashSecret(token) });
    const secret = JSON.stringify({ sessions_token: token, api_base_url: publicUrl });
    return present(row, Buffer.from(secret).toString("base64url"));
  });
}

export async function acknowledge(
  context: Context,
  environmentId: string,
  id: string,
): Promise<Work> {
  await expectEnvironment(context, environmentId);
  return context.db.tx(async (tx) => {
    const row = expectWork(context.who, id, await queries.lockWork(tx, environmentId, id));
    if (row.state === "queued") {
      if (isOthers(context.who, row)) throw lost(id);
      // A token says which worker it is: it holds the work from now on. Of a key the first heartbeat says so.
      return present(await queries.setAcknowledged(tx, id, context.who.worker?.epoch ?? null));
    }
    throw conflict(
      `The work ${id} is ${row.state}: it was acknowledged already, or is over. Poll for more.`,
      { code: "work_not_queued" },
    );
  });
}

export async function listWork(context: Context, environmentId: string, query: WorkQuery) {
  const { db, secrets } = context;
  await expectEnvironment(context, environmentId);
  const size = pageSize(query.limit);
  const cursors = makeCursors(secrets);
  const [list, tenant] = [`work ${environmentId}`, workspaceOf(context)];
  const before = cursors.read(list, tenant, query.page) as string | undefined;
  const window = { before: before ?? null, rows: size + 1 };
  const rows = await queries.listWork(db, environmentId, window);
  const page = toCursorPage(rows, size, ({ id }) => cursors.write(list, tenant, id));
  return { ...page, data: page.data.map((row) => present(row)) };
}

export async function retrieveWork(
  context: Context,
  environmentId: string,
  id: string,
): Promise<Work> {
  await expectEnvironment(context, environmentId);
  return present(
    expectWork(context.who, id, await queries.findWork(context.db, environmentId, id)),
  );
}

export async function updateWork(
  context: Context,
  environmentId: string,
  id: string,
  { metadata }: UpdateWork,
): Promise<Work> {
  await expectEnvironment(context, environmentId);
  return context.db.tx(async (tx) => {
    const row = expectWork(context.who, id, await queries.lockWork(tx, environmentId, id));
    if (metadata == null) return present(row);
    const next = metadataOf(row.metadata, metadata);
    const changed = await queries.setMetadata(tx, id, next);
    await recordWorkEvent(tx, context, "updated", row);
    return present(changed);
  });
}

export async function workStats(context: Context, environmentId: string): Promise<WorkQueueStats> {
  await expectEnvironment(context, environmentId);
  const row = await workers.queueStats(context.db, environmentId);
  return {
    type: "work_queue_stats",
    depth: row.depth,
    pending: row.pending,
    oldest_queued_at: row.oldestQueuedAt?.toISOString() ?? null,
    workers_polling: row.workersPolling,
  };
}

/** Where the session still wants a worker, new work is queued when this one is over. */
export async function stopWork(
  context: Context,
  environmentId: string,
  id: string,
  { force }: StopWork,
): Promise<Work> {
  const { db, who } = context;
  await expectEnvironment(context, environmentId);
  return db.tx(async (tx) => {
    const found = expectWork(who, id, await queries.findWork(tx, environmentId, id));
    const { sessionId } = found;
    const session = sessionId === null ? undefined : await queries.lockSession(tx, sessionId);
    const row = expectWork(who, id, await queries.lockWork(tx, environmentId, id));
    if (row.state === "stopped")
      throw conflict(`The work ${id} has stopped already.`, { code: "work_already_stopped" });
    if (isOthers(who, row)) throw lost(id);
    if (!isWorker(who)) await recordWorkEvent(tx, context, "stopped", row);
    const isBegun = row.state !== "queued";
    if (force !== true && isBegun)
      return present(await queries.setStopping(tx, id, { isLeft: isWorker(who) }));
    // What a worker had under way when somebody else stopped it may have had its effect.
    const isUnknown = !isWorker(who) && row.latestHeartbeatAt !== null && session !== undefined;
    // The sweep answers its calls.
    const isEnd = isWorker(who) && session?.wantsWorker === true && isGivenUp(row, session);
    const isDue = isUnknown || (isEnd && session.oldestCallId !== null);
    const stopped = await queries.setStopped(tx, id, { isDue, isLeft: isWorker(who) });
    if (!isDue && sessionId !== null && session !== undefined)
      await queueAgain(tx, context, { sessionId, ended: row, session });
    return present(stopped);
  });
}

/** A worker that takes it and gives it back works; one that waits already is the one that is asked for. */
export async function checkWorkers(context: Context, environmentId: string): Promise<Work> {
  const { db, ids, hints } = context;
  return db.tx(async (tx) => {
    const { config } = await lockOpenEnvironment(tx, context, environmentId);
    if (config.type !== "self_hosted")
      throw invalid(
        `The environment ${environmentId} is a cloud environment: it has no workers that could be checked.`,
      );
    const given = { id: ids.next("work_"), checkId: ids.next("check_") };
    await queries.queueCheck(tx, environmentId, given);
    const check = await queries.findLiveCheck(tx, environmentId);
    if (check === undefined) throw new Error("a check that was queued waits");
    if (check.id === given.id) await recordWorkEvent(tx, context, "created", check);
    tx.afterCommit(() => hints.send(workChannel, environmentId));
    return present(check);
  });
}

const recordWorkEvent = (tx: Tx, context: Context, verb: string, row: queries.WorkRow) =>
  recordByCaller(tx, context, {
    action: `environment_work.${verb}`,
    target: { type: "environment_work", id: row.id },
    details: { environment_id: row.environmentId },
  });
