// Creates, shows, cancels and deletes batches.
import type { Context } from "../../kernel/context.ts";
import { invalid, notFound } from "../../kernel/base/failure.ts";
import { unknownPageId, idWindow, toIdPage } from "../../kernel/http/pages.ts";
import { enqueue } from "../../kernel/jobs/jobs.ts";
import { recordByCaller } from "../audit/module.ts";
import { receiveBody } from "./intake/receive-body.ts";
import { removeKind } from "./jobs.ts";
import { limits } from "./limits.ts";
import { batchesChannel, requestsKey, resultsPath } from "./blob-keys.ts";
import * as queries from "./queries.ts";
import type { BatchQuery, MessageBatch } from "./schema.ts";
import { workspaceOf } from "../workspaces/module.ts";
import { isCommitUnknown } from "../../kernel/sql/database.ts";

export async function createBatch(
  context: Context,
  body: AsyncIterable<Buffer>,
): Promise<MessageBatch> {
  const { who, clock, ids, db, blobs, hints } = context;
  const workspaceId = workspaceOf(context);
  const id = ids.next("msgbatch_");
  const { requests, bodyBytes, chunks } = await receiveBody(context, id, body);
  const createdAt = clock.now();
  const expiresAt = new Date(createdAt.getTime() + limits.expiryMs);
  try {
    await db.tx(async (tx) => {
      await queries.insertBatch(tx, {
        id,
        organizationId: who.organizationId,
        workspaceId,
        credentialId: who.credentialId,
        userId: who.userId ?? who.serviceAccountId ?? null,
        betas: [...context.betas],
        requests,
        bodyBytes,
        chunks: chunks.length,
        createdAt,
        expiresAt,
      });
      for (let at = 0; at < chunks.length; at += limits.chunksPerInsert)
        await queries.insertChunks(tx, id, chunks.slice(at, at + limits.chunksPerInsert));
      await recordBatchEvent(tx, context, "batch.created", id, { requests });
      tx.afterCommit(() => hints.send(batchesChannel, id));
    });
  } catch (error) {
    // Whether it was committed may be unknown: then the sweep finds what is not needed.
    if (!isCommitUnknown(error)) await blobs.delete(requestsKey(id)).catch(() => {});
    throw error;
  }
  return present(context, {
    id,
    state: "in_progress",
    requests,
    createdAt,
    expiresAt,
    cancelInitiatedAt: null,
    endedAt: null,
    emptiedAt: null,
    succeeded: 0,
    errored: 0,
    canceled: 0,
    expired: 0,
  });
}

export async function retrieveBatch(context: Context, id: string): Promise<MessageBatch> {
  return present(context, await findBatch(context, id));
}

export async function listBatches(context: Context, query: BatchQuery) {
  const window = idWindow(query, { itemsMax: limits.pageItemsMax });
  const { after = null, before = null, rows } = window;
  const workspaceId = workspaceOf(context);
  const pageId = after ?? before;
  if (pageId !== null && (await queries.findBatch(context.db, workspaceId, pageId)) === undefined)
    throw unknownPageId(window, "a batch");
  const found = await queries.listBatches(context.db, workspaceId, { after, before, rows });
  return toIdPage(
    found.map((row) => present(context, row)),
    window,
  );
}

/** Rule BAT17. A second time it changes nothing. */
export async function cancelBatch(context: Context, id: string): Promise<MessageBatch> {
  const { db, clock, hints } = context;
  const workspaceId = workspaceOf(context);
  await db.tx(async (tx) => {
    const state = await queries.lockState(tx, workspaceId, id);
    if (state === undefined) throw noBatch(id);
    if (state === "ended")
      throw invalid(`The batch ${id} has ended: there is nothing left of it to cancel.`, {
        headers: { "x-should-retry": "false" },
      });
    if (state === "canceling") return;
    await queries.setCanceling(tx, workspaceId, id, clock.now());
    await recordBatchEvent(tx, context, "batch.cancel_initiated", id);
    tx.afterCommit(() => hints.send(batchesChannel, id));
  });
  return retrieveBatch(context, id);
}

export async function deleteBatch(context: Context, id: string) {
  const { db } = context;
  const workspaceId = workspaceOf(context);
  await db.tx(async (tx) => {
    const state = await queries.lockState(tx, workspaceId, id);
    if (state === undefined) throw noBatch(id);
    if (state !== "ended")
      throw invalid(
        `The batch ${id} is ${state === "canceling" ? "being canceled" : "in progress"}: ` +
          "cancel it, wait until it has ended, then delete it.",
        { headers: { "x-should-retry": "false" } },
      );
    const segments = await queries.deleteBatch(tx, workspaceId, id);
    await recordBatchEvent(tx, context, "batch.deleted", id);
    await enqueue(tx, context, { kind: removeKind, payload: { batchId: id, segments } });
  });
  return { id, type: "message_batch_deleted" as const };
}

export async function findBatch(context: Context, id: string): Promise<queries.BatchRow> {
  const row = await queries.findBatch(context.db, workspaceOf(context), id);
  if (row === undefined) throw noBatch(id);
  return row;
}

const noBatch = (id: string) => notFound("message batch", id);

/** When its results became unavailable; undefined where they still are. What is gone stays gone. */
export function archivedAt(
  { state, createdAt, emptiedAt }: Pick<queries.BatchRow, "state" | "createdAt" | "emptiedAt">,
  now: Date,
): Date | undefined {
  const at = new Date(createdAt.getTime() + limits.retentionMs);
  const isOver = emptiedAt !== null || now.getTime() >= at.getTime();
  return state === "ended" && isOver ? at : undefined;
}

/** Clients of the newer version see counts only once the batch has ended. */
function present({ clock, dialect, publicUrl }: Context, row: queries.BatchRow): MessageBatch {
  const { id, state, requests, succeeded, errored, canceled, expired } = row;
  const archived = archivedAt(row, clock.now());
  const showsCounts = state === "ended" || dialect === "2023-06-01";
  const counts = showsCounts
    ? { succeeded, errored, canceled, expired }
    : { succeeded: 0, errored: 0, canceled: 0, expired: 0 };
  const resolved = counts.succeeded + counts.errored + counts.canceled + counts.expired;
  return {
    id,
    type: "message_batch",
    processing_status: state,
    request_counts: { processing: requests - resolved, ...counts },
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
    cancel_initiated_at: row.cancelInitiatedAt?.toISOString() ?? null,
    archived_at: archived?.toISOString() ?? null,
    results_url: state === "ended" && archived === undefined ? publicUrl + resultsPath(id) : null,
  };
}

const recordBatchEvent = (
  tx: Parameters<typeof recordByCaller>[0],
  context: Context,
  action: string,
  id: string,
  details: Record<string, unknown> = {},
) =>
  recordByCaller(tx, context, {
    action,
    target: { type: "message_batch", id },
    details,
  });
