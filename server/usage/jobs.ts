// What goes in the background: sums of the ledger for reports.
import type { World } from "../../kernel/context.ts";
import { repeated } from "../../kernel/jobs/repeated.ts";
import { limits } from "./limits.ts";
import { advanceSums } from "./sums/sums.ts";

/** Rule REP9. */
const sums = repeated<World>({
  kind: "usage.sums",
  timing: { everyMs: limits.sumsEveryMs },
  isOneEnough: true,
  concurrency: 1,
  run: async (world, run) => {
    await advanceSums(world, { signal: run.signal });
    await world.db.tx((tx) => run.finish(tx));
  },
});

export const kinds = [sums.kind];
export const schedules = [sums.schedule];
