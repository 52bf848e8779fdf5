// What happens to the files of a batch when it has ended, was deleted, or is 29 days old.
import { timeOfId } from "../../kernel/base/ids.ts";
import { deleteSegment, listTails, recoverSegment } from "../../kernel/blob/segments.ts";
import type { World } from "../../kernel/context.ts";
import { repeated } from "../../kernel/jobs/repeated.ts";
import type { JobKind } from "../../kernel/jobs/run.ts";
import { limits } from "./limits.ts";
import { blobPrefix, requestsKey, segmentKey } from "./blob-keys.ts";
import * as queries from "./queries-files.ts";

export const finishKind = "batches.finish";
export const removeKind = "batches.remove";

interface Payload {
  batchId: string;
}

const finish: JobKind<World, Payload> = {
  kind: finishKind,
  /** The requests go, and the results become blobs that can no longer be appended to. */
  run: async (world, run) => {
    const { db } = world;
    const { batchId } = run.job.payload;
    const found = await queries.findFiles(db, batchId);
    if (found !== undefined) {
      await settleFiles(world, batchId, found).catch(async (error: unknown) => {
        if (await queries.isKnown(db, batchId)) throw error;
      });
      // It may have been deleted meanwhile, and its files before these were there.
      if (!(await queries.isKnown(db, batchId))) await removeFiles(world, batchId, found.segments);
    }
    await db.tx(async (tx) => {
      await queries.deleteChunks(tx, batchId);
      await run.finish(tx);
    });
  },
};

async function settleFiles(world: World, batchId: string, found: queries.Files): Promise<void> {
  const { blobs, segmentOptions } = world;
  for (let number = 1; number <= found.segments; number++) {
    const key = segmentKey(batchId, number);
    const bytes = found.bytes[number];
    if (bytes === undefined) await deleteSegment(blobs, key, segmentOptions);
    else await seal(world, key, bytes);
  }
  await blobs.delete(requestsKey(batchId));
}

/** Without a tail it was sealed before. */
async function seal({ blobs, segmentOptions }: World, key: string, bytes: number): Promise<void> {
  const segment = await recoverSegment(blobs, key, bytes, segmentOptions).catch(
    (error: unknown) => {
      if (error instanceof Error && "status" in error && error.status === 404) return undefined;
      throw error;
    },
  );
  if (segment === undefined) return;
  try {
    await segment.seal();
  } catch (error) {
    await segment.close();
    throw error;
  }
}

const remove: JobKind<World, Payload & { segments: number }> = {
  kind: removeKind,
  run: async (world, run) => {
    const { batchId, segments } = run.job.payload;
    await removeFiles(world, batchId, segments);
    await removeResults(world, batchId);
    await world.db.tx((tx) => run.finish(tx));
  },
};

async function removeFiles(
  { blobs, segmentOptions }: Pick<World, "blobs" | "segmentOptions">,
  batchId: string,
  segments: number,
): Promise<void> {
  await blobs.delete(requestsKey(batchId));
  for (let number = 1; number <= segments; number++)
    await deleteSegment(blobs, segmentKey(batchId, number), segmentOptions);
}

async function removeResults({ db }: World, batchId: string): Promise<void> {
  while ((await queries.deleteResults(db, batchId, limits.sweptResultsMax)) > 0);
}

const sweep = repeated<World>({
  kind: "batches.sweep",
  timing: { everyMs: 15 * 60 * 1000 },
  run: async (world, run) => {
    const { db, clock } = world;
    const before = new Date(clock.now().getTime() - limits.retentionMs);
    for (;;) {
      const old = await queries.listOld(db, before, limits.sweptBatchesMax);
      for (const { id, segments } of old) {
        await removeFiles(world, id, segments);
        await removeResults(world, id);
        await db.tx((tx) => queries.setEmptied(tx, id, clock.now()));
      }
      if (old.length < limits.sweptBatchesMax || run.signal.aborted) break;
    }
    await removeStrays(world);
    await db.tx((tx) => run.finish(tx));
  },
});

/** Of bodies whose process died before their batch was there, and of writers that learned of its end too late. */
async function removeStrays(world: World): Promise<void> {
  const before = world.clock.now().getTime() - limits.strayMs;
  let ids = new Set<string>();
  for await (const id of idsOfFiles(world)) {
    if (timeOfId(id).getTime() > before) continue;
    ids.add(id);
    if (ids.size < limits.sweptIdsMax) continue;
    await removeUnknown(world, ids);
    ids = new Set();
  }
  await removeUnknown(world, ids);
}

async function* idsOfFiles({ blobs, segmentOptions }: World): AsyncGenerator<string> {
  for await (const { key } of blobs.list(blobPrefix)) yield idIn(key);
  for await (const key of listTails(segmentOptions))
    if (key.startsWith(blobPrefix)) yield idIn(key);
}

const idIn = (key: string) => key.split("/")[1] ?? "";

async function removeUnknown(
  { db, blobs, segmentOptions }: World,
  ids: ReadonlySet<string>,
): Promise<void> {
  const unknown = new Set(ids.size === 0 ? [] : await queries.listUnknown(db, [...ids]));
  if (unknown.size === 0) return;
  for await (const { key } of blobs.list(blobPrefix))
    if (unknown.has(idIn(key))) await blobs.delete(key);
  for await (const key of listTails(segmentOptions))
    if (key.startsWith(blobPrefix) && unknown.has(idIn(key)))
      await deleteSegment(blobs, key, segmentOptions);
}

/** Handlers get the payload that this noun put in. */
export const kinds = [finish, remove, sweep.kind] as readonly JobKind<World>[];
export const schedules = [sweep.schedule];
