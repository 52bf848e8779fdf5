// What goes in the background: rows of deleted stores, old versions, and what redaction leaves in files.
import type { World } from "../../kernel/context.ts";
import { enqueue } from "../../kernel/jobs/jobs.ts";
import { repeated } from "../../kernel/jobs/repeated.ts";
import type { JobKind } from "../../kernel/jobs/run.ts";
import { limits } from "./limits.ts";
import * as queries from "./stores/queries.ts";
import { lockWorkspace } from "./memories/queries-write.ts";
import { indexWords } from "./search/index-words.ts";

export const removeKind = "memory.remove";
const vacuumKind = "memory.vacuum";

const remove: JobKind<World, { storeId: string }> = {
  kind: removeKind,
  run: async ({ db }, run) => {
    const { storeId } = run.job.payload;
    while (!run.signal.aborted && (await db.tx((tx) => queries.deleteRemains(tx, storeId))) > 0);
    run.signal.throwIfAborted();
    await db.tx((tx) => run.finish(tx));
  },
};

/** One that has not begun is enough for all redactions before it. */
export const vacuumJob = { kind: vacuumKind, key: vacuumKind, payload: {} };

const vacuum: JobKind<World> = {
  kind: vacuumKind,
  concurrency: 1,
  timeoutMs: 3 * limits.vacuumMsMax,
  run: async (world, run) => {
    const isDone = await queries.freeScrubbed(world.db);
    await world.db.tx(async (tx) => {
      await run.finish(tx);
      // What was scrubbed since the other one began may not be among what it frees.
      if (!isDone) await enqueue(tx, world, { ...vacuumJob, delayMs: limits.vacuumAgainMs });
    });
  },
};

const words = repeated<World>({
  kind: "memory.words",
  timing: { everyMs: 60 * 1000 },
  run: async (world, run) => {
    await indexWords(world, null, run.signal);
    await world.db.tx((tx) => run.finish(tx));
  },
});

/** Rule MEM22. */
const sweep = repeated<World>({
  kind: "memory.sweep",
  timing: { everyMs: 24 * 60 * 60 * 1000 },
  run: async (world, run) => {
    const { db, clock } = world;
    const before = new Date(clock.now().getTime() - limits.retentionMs);
    let after = "";
    for (;;) {
      const stores = await queries.listAllStores(db, after, limits.sweptRowsMax);
      for (const { id, workspaceId } of stores) {
        await sweepStore(world, workspaceId, id, before);
        run.signal.throwIfAborted();
        after = id;
      }
      if (stores.length < limits.sweptRowsMax) break;
    }
    await db.tx((tx) => run.finish(tx));
  },
});

async function sweepStore(
  { db }: World,
  workspaceId: string,
  storeId: string,
  before: Date,
): Promise<void> {
  let from = { at: "-infinity", seq: 0 };
  for (;;) {
    const { at, seq } = await db.tx(async (tx) => {
      await lockWorkspace(tx, workspaceId);
      return queries.deleteOldVersions(tx, workspaceId, { storeId, before, from });
    });
    if (at === null || seq === null) return;
    from = { at, seq };
  }
}

/** Handlers get the payload that this noun put in. */
export const kinds = [remove, vacuum, sweep.kind, words.kind] as readonly JobKind<World>[];
export const schedules = [sweep.schedule, words.schedule];
