// What becomes of files whose time is over, and of blobs that no file knows.
import { timeOfId } from "../../kernel/base/ids.ts";
import type { World } from "../../kernel/context.ts";
import { repeated } from "../../kernel/jobs/repeated.ts";
import { limits } from "./limits.ts";
import { blobIdIn, blobPrefix } from "./bytes/blob-keys.ts";
import { lockForSweep } from "./queries.ts";
import * as queries from "./queries-sweep.ts";
import { release, removeBlob, tellFile } from "./bytes/store.ts";

const sweep = repeated<World>({
  kind: "files.sweep",
  timing: { everyMs: limits.sweepEveryMs },
  run: async (world, run) => {
    await emptyExpired(world, run.signal);
    const before = new Date(world.clock.now().getTime() - limits.expiredRetentionMs);
    while (
      (await queries.deleteEmptied(world.db, before, limits.sweptFilesMax)) ===
        limits.sweptFilesMax &&
      !run.signal.aborted
    );
    await removeStrays(world, run.signal);
    await world.db.tx((tx) => run.finish(tx));
  },
});

/** Their bytes go, and stop counting; what is known of them stays for a while. */
async function emptyExpired(world: World, signal: AbortSignal): Promise<void> {
  const { db, clock } = world;
  for (;;) {
    const ids = await queries.listExpired(db, clock.now(), limits.sweptFilesMax);
    for (const id of ids) await emptyOne(world, id);
    if (ids.length < limits.sweptFilesMax || signal.aborted) return;
  }
}

async function emptyOne(world: World, id: string): Promise<void> {
  const emptied = await world.db.tx(async (tx) => {
    const gone = await queries.emptyFile(tx, id);
    if (gone === undefined) return undefined;
    tellFile(tx, world, gone.workspaceId, id);
    return { gone, blobId: await release(tx, gone) };
  });
  if (emptied?.blobId === undefined) return;
  await removeBlob(world, emptied.gone.organizationId, emptied.blobId);
}

/** Of uploads whose process died before their row was there, and of files whose bytes could not be removed. */
async function removeStrays(world: World, signal: AbortSignal): Promise<void> {
  const before = world.clock.now().getTime() - limits.strayMs;
  let keys: string[] = [];
  for await (const { key } of world.blobs.list(blobPrefix)) {
    if (timeOfId(blobIdIn(key)).getTime() > before) continue;
    keys.push(key);
    if (keys.length < limits.sweptBlobsMax) continue;
    await removeUnknown(world, keys);
    keys = [];
    if (signal.aborted) return;
  }
  await removeUnknown(world, keys);
}

async function removeUnknown(world: World, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const suspects = await queries.listUnknown(world.db, keys.map(blobIdIn));
  const suspected = keys.filter((key) => suspects.has(blobIdIn(key)));
  for (let from = 0; from < suspected.length; from += limits.removedBlobsMax)
    await removeStill(world, suspected.slice(from, from + limits.removedBlobsMax));
}

/** Asked again while no upload can commit: an upload may have ended meanwhile, or its clock be another. */
async function removeStill({ db, blobs }: World, keys: readonly string[]): Promise<void> {
  await db.tx(async (tx) => {
    await lockForSweep(tx);
    const unknown = await queries.listUnknown(tx, keys.map(blobIdIn));
    for (const key of keys) if (unknown.has(blobIdIn(key))) await blobs.delete(key);
  });
}

export const kinds = [sweep.kind];
export const schedules = [sweep.schedule];
