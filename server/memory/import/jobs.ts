// Removes what imports left whose process died on the way.
import type { World } from "../../../kernel/context.ts";
import { everyHour, repeated } from "../../../kernel/jobs/repeated.ts";
import { limits } from "../limits.ts";
import { transferLimits } from "../transfer/limits.ts";
import { listLost } from "./queries.ts";
import { removeUnfinished } from "./staged-store.ts";

/** Twice does no harm: what is gone is not found again. */
export const sweepImports = repeated<World>({
  kind: "memory.imports",
  timing: everyHour,
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
});
