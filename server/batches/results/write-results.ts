// Writes results: lines into this process' file, then their rows, their price and their counts in one transaction.
import assert from "node:assert/strict";
import { enqueue } from "../../../kernel/jobs/jobs.ts";
import { openSegment } from "../../../kernel/blob/segments.ts";
import type { World } from "../../../kernel/context.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { insertSettledAttempts, nodeOf } from "../../usage/module.ts";
import { finishKind } from "../jobs.ts";
import { segmentKey } from "../blob-keys.ts";
import * as queries from "../queries-work.ts";
import {
  keepFinished,
  dropChunk,
  type Chunk,
  type ChunkHolder,
  type FinishedItem,
  type ClaimedBatch,
} from "../work/claimed-batches.ts";
import { workLimits } from "../work/limits.ts";

/** Of one batch, as many as go together. Throws where nothing was written: they stay and are tried again. */
export async function writeFinished(
  world: World,
  holder: ChunkHolder,
  batch: ClaimedBatch,
): Promise<readonly FinishedItem[]> {
  const group = nextGroup(batch);
  const node = nodeOf(world);
  await node.acquire();
  const segment = (batch.segment ??= await begin(world, batch));
  // Taken away until the end is known: what stands behind the last good byte must never be read.
  batch.segment = undefined;
  let isFirst = true;
  let written: Written | undefined;
  try {
    written = await world.db.tx(async (tx) => {
      if (!isFirst) throw new Error("the transaction ran twice; its file is begun anew");
      isFirst = false;
      const ours = await holder.fenceAll(tx, new Set(group.map(({ chunk }) => chunk.held)));
      const mine = group.filter(({ chunk }) => ours.has(chunk.held));
      const known = batch.isUnsure ? await listKnown(tx, batch, mine) : none;
      const fresh = mine.filter(({ index }) => !known.has(index));
      const bytes = fresh.length === 0 ? segment.bytes : await append(segment, fresh);
      if (fresh.length > 0) await insert(tx, batch, { ...segment, bytes }, fresh);
      const count = await insertSettledAttempts(tx, node, settledHopsOf(fresh));
      const done = finishedWith(mine);
      if (done.length > 0) await finish(tx, world, batch, done);
      await count();
      return { bytes, mine, done };
    });
  } catch (error) {
    batch.isUnsure = batch.finished.length > 0;
    await segment.file.close().catch(() => {});
    throw error;
  }
  batch.isUnsure = false;
  batch.failedWrites = 0;
  batch.segment = { ...segment, bytes: written.bytes };
  forget(batch, group, written);
  return written.mine;
}

/** One at least, however long it is. */
function nextGroup({ finished }: ClaimedBatch): readonly FinishedItem[] {
  let bytes = 0;
  const end = finished.findIndex(({ line }, index) => {
    bytes += line.length;
    return index > 0 && bytes > workLimits.groupBytesMax;
  });
  return finished.slice(
    0,
    Math.min(workLimits.groupResultsMax, end === -1 ? finished.length : end),
  );
}

interface Written {
  bytes: number;
  mine: readonly FinishedItem[];
  done: readonly Chunk[];
}

const none: ReadonlySet<number> = new Set();

const listKnown = (tx: Tx, batch: ClaimedBatch, mine: readonly FinishedItem[]) =>
  queries.listDone(
    tx,
    batch.id,
    mine.map(({ index }) => index),
  );

async function begin(world: World, batch: ClaimedBatch) {
  const number = await queries.takeSegment(world.db, batch.id);
  const file = await openSegment(world.blobs, segmentKey(batch.id, number), world.tails);
  return { number, file, bytes: 0 };
}

type Segment = NonNullable<ClaimedBatch["segment"]>;

/** Answers the length of the file once they are in it, for good. */
async function append({ file, bytes }: Segment, fresh: readonly FinishedItem[]): Promise<number> {
  const { offset, length } = await file.append(Buffer.concat(fresh.map(({ line }) => line)));
  assert(offset === bytes, "a segment continues where its last commit ended");
  await file.sync();
  const end = offset + length;
  assert(file.syncedLength >= end, "what is committed has been flushed");
  return end;
}

const settledHopsOf = (fresh: readonly FinishedItem[]) =>
  fresh.flatMap(({ settledHops }) => settledHops);

async function insert(
  tx: Tx,
  batch: ClaimedBatch,
  { number, bytes }: Segment,
  fresh: readonly FinishedItem[],
): Promise<void> {
  let start = bytes - fresh.reduce((sum, { line }) => sum + line.length, 0);
  const results = fresh.map(({ index, customId, type, line }) => {
    const result = { index, customId, type, start, length: line.length };
    start += line.length;
    return result;
  });
  await queries.insertResults(tx, batch.id, { segment: number, bytes }, results);
}

function finishedWith(mine: readonly FinishedItem[]): Chunk[] {
  const counts = new Map<Chunk, number>();
  for (const { chunk } of mine) counts.set(chunk, (counts.get(chunk) ?? 0) + 1);
  return [...counts].flatMap(([chunk, count]) => {
    assert(count <= chunk.left, "a chunk has one result for each of its requests");
    return count === chunk.left ? [chunk] : [];
  });
}

async function finish(
  tx: Tx,
  world: World,
  batch: ClaimedBatch,
  done: readonly Chunk[],
): Promise<void> {
  const ids = done.map(({ held }) => held.lease.id);
  const left = await queries.finishChunks(tx, batch.id, ids);
  tx.afterCommit(() => {
    for (const { held } of done) held.end();
  });
  if (left > 0) return;
  await queries.setEnded(tx, batch.id, world.clock.now());
  await enqueue(tx, world, { kind: finishKind, payload: { batchId: batch.id }, key: batch.id });
}

/** Results whose chunk another process holds by now are left to that process. */
function forget(
  batch: ClaimedBatch,
  group: readonly FinishedItem[],
  { mine, done }: Written,
): void {
  const gone = new Set(group);
  keepFinished(batch, (one) => !gone.has(one));
  for (const { chunk } of mine) chunk.left -= 1;
  const kept = new Set(mine);
  for (const one of group) if (!kept.has(one) && !one.chunk.isLost) dropChunk(one.chunk);
  for (const chunk of done) batch.chunks.delete(chunk);
}
