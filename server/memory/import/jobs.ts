// Removes what imports left whose process died on the way.
import type { World } from "../../../kernel/context.ts";
import type { JobKind } from "../../../kernel/jobs/run.ts";
import type { Schedule } from "../../../kernel/jobs/schedules/schedules.ts";
import { limits } from "../limits.ts";
import { transferLimits } from "../transfer/limits.ts";
import { listLost } from "./queries.ts";
import { removeUnfinished } from "./staged-store.ts";

const sweepKind = "memory.imports";

/** Twice does no harm: what is gone is not found again. */
export const sweepImports: JobKind<World> = {
  kind: sweepKind,
  run: async (world, run) => {
    const { db, clock } = world;
    const before = new Date(clock.now().getTime() - transferLimits.lostAfterMs);
    for (;;) {
      const lost = await listLost(db, before, limits.sweptRowsMax);
      for (const { id, workspaceId } of lost) await removeUnfinished(world, workspaceId, id);
      run.signal.throwIfAborted();
      if (lost.length < limits.sweptRowsMax) break;
    }
    await db.tx((tx) => run.finish(tx));
  },
};

export const sweepSchedule: Schedule = {
  name: sweepKind,
  timing: { everyMs: 60 * 60 * 1000 },
  missed: "once",
  job: () => ({ kind: sweepKind, payload: {} }),
};
