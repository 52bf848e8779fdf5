// What goes in the background: sums of the ledger for reports.
import type { World } from "../../kernel/context.ts";
import type { JobKind } from "../../kernel/jobs/run.ts";
import type { Schedule } from "../../kernel/jobs/schedules/schedules.ts";
import { limits } from "./limits.ts";
import { advanceSums } from "./sums/sums.ts";

const sumsKind = "usage.sums";

/** Rule REP9. */
const sums: JobKind<World> = {
  kind: sumsKind,
  concurrency: 1,
  run: async (world, run) => {
    await advanceSums(world, { signal: run.signal });
    await world.db.tx((tx) => run.finish(tx));
  },
};

export const kinds: readonly JobKind<World>[] = [sums];

export const schedules: readonly Schedule[] = [
  {
    name: sumsKind,
    timing: { everyMs: limits.sumsEveryMs },
    missed: "once",
    job: () => ({ kind: sumsKind, key: sumsKind, payload: {} }),
  },
];
