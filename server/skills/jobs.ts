// What becomes of archives that no version knows, as after an upload that broke off.
import { timeOfId } from "../../kernel/base/ids.ts";
import type { World } from "../../kernel/context.ts";
import { repeated } from "../../kernel/jobs/repeated.ts";
import { blobIdIn, blobPrefix } from "./content/blob-keys.ts";
import { listUnknown, lockForSweep } from "./content/queries.ts";
import { limits } from "./limits.ts";

const sweep = repeated<World>({
  kind: "skills.sweep",
  timing: { everyMs: limits.sweepEveryMs },
  run: async (world, run) => {
    const before = world.clock.now().getTime() - limits.strayMs;
    let keys: string[] = [];
    for await (const { key } of world.blobs.list(blobPrefix)) {
      if (timeOfId(blobIdIn(key)).getTime() > before) continue;
      keys.push(key);
      if (keys.length < limits.sweptBlobsMax) continue;
      await removeUnknown(world, keys);
      keys = [];
      if (run.signal.aborted) return;
    }
    await removeUnknown(world, keys);
    await world.db.tx((tx) => run.finish(tx));
  },
});

async function removeUnknown(world: World, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const suspects = await listUnknown(world.db, keys.map(blobIdIn));
  const suspected = keys.filter((key) => suspects.has(blobIdIn(key)));
  for (let from = 0; from < suspected.length; from += limits.removedBlobsMax)
    await removeStill(world, suspected.slice(from, from + limits.removedBlobsMax));
}

/** Asked again while no upload can commit: an upload may have ended meanwhile, or its clock be another. */
async function removeStill({ db, blobs }: World, keys: readonly string[]): Promise<void> {
  await db.tx(async (tx) => {
    await lockForSweep(tx);
    const unknown = await listUnknown(tx, keys.map(blobIdIn));
    for (const key of keys) if (unknown.has(blobIdIn(key))) await blobs.delete(key);
  });
}

export const kinds = [sweep.kind];
export const schedules = [sweep.schedule];
