// Writes results: lines into this process' file, then their rows, their price and their counts in one transaction.
import assert from "node:assert/strict";
import { enqueue } from "../../../kernel/jobs/jobs.ts";
import type { World } from "../../../kernel/context.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { requestLogOf } from "../../requests/module.ts";
import { insertSettledAttempts, nodeOf } from "../../usage/module.ts";
import { finishKind } from "../jobs.ts";
import * as queries from "../queries-work.ts";
import { addSums } from "../sums/queries.ts";
import { sumsOf } from "../sums/sums.ts";
import {
  indexOf,
  type Chunk,
  type ChunkHolder,
  type FinishedItem,
  type ResultGroup,
} from "../items/items.ts";
import type { ResultFile, ResultFiles } from "./result-files.ts";

/** Throws where it is unknown whether they were written: they stay and are tried again. */
export async function writeResults(
  world: World,
  files: ResultFiles,
  holder: ChunkHolder,
  { batchId, items, completes, isUnsure }: ResultGroup,
): Promise<readonly FinishedItem[]> {
  const node = nodeOf(world);
  await node.acquire();
  const file = await files.take(batchId);
  let isFirst = true;
  try {
    const { bytes, written } = await world.db.tx(async (tx) => {
      if (!isFirst) throw new Error("the transaction ran twice; its file is begun anew");
      isFirst = false;
      const ours = await holder.fenceAll(tx, new Set(items.map(({ chunk }) => chunk.held)));
      const mine = items.filter(({ chunk }) => ours.has(chunk.held));
      const known = isUnsure ? await listKnown(tx, batchId, mine) : none;
      const fresh = mine.filter((item) => !known.has(indexOf(item)));
      const bytes = fresh.length === 0 ? file.bytes : await append(file, fresh);
      if (fresh.length > 0) await insert(tx, batchId, { ...file, bytes }, fresh);
      const count = await insertSettledAttempts(tx, node, settledHopsOf(fresh));
      await addSums(tx, batchId, file.number, sumsOf(settledHopsOf(fresh)));
      const done = completes.filter(({ held }) => ours.has(held));
      if (done.length > 0) await finish(tx, world, batchId, done);
      await count();
      tx.afterCommit(() => {
        for (const { logged } of fresh) if (logged !== undefined) requestLogOf(world).add(logged);
      });
      return { bytes, written: mine };
    });
    files.keep(batchId, { ...file, bytes });
    return written;
  } catch (error) {
    await file.file.close().catch(() => {});
    throw error;
  }
}

const none: ReadonlySet<number> = new Set();

const listKnown = (tx: Tx, batchId: string, mine: readonly FinishedItem[]) =>
  queries.listDone(tx, batchId, mine.map(indexOf));

/** Answers the length of the file once they are in it, for good. */
async function append(
  { file, bytes }: ResultFile,
  fresh: readonly FinishedItem[],
): Promise<number> {
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
  batchId: string,
  { number, bytes }: ResultFile,
  fresh: readonly FinishedItem[],
): Promise<void> {
  let start = bytes - fresh.reduce((sum, { line }) => sum + line.length, 0);
  const results = fresh.map((item) => {
    const { customId, type, isRefusal, line } = item;
    const index = indexOf(item);
    const result = { index, customId, type, isRefusal, start, length: line.length };
    start += line.length;
    return result;
  });
  await queries.insertResults(tx, batchId, { segment: number, bytes }, results);
}

async function finish(
  tx: Tx,
  world: World,
  batchId: string,
  done: readonly Chunk[],
): Promise<void> {
  const ids = done.map(({ held }) => held.lease.id);
  const left = await queries.finishChunks(tx, batchId, ids);
  tx.afterCommit(() => {
    for (const { held } of done) held.end();
  });
  if (left > 0) return;
  await queries.setEnded(tx, batchId, world.clock.now());
  await enqueue(tx, world, { kind: finishKind, payload: { batchId }, key: batchId });
}
