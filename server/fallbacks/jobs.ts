// Background work of fallbacks.
import type { World } from "../../kernel/context.ts";
import type { JobKind } from "../../kernel/jobs/run.ts";
import type { Schedule } from "../../kernel/jobs/schedules/schedules.ts";
import { limits } from "./limits.ts";
import { deleteExpired } from "./queries.ts";

const sweep = "fallbacks.sweep";

/** Safe to run twice: what has expired is gone after the first time. */
export const kinds: readonly JobKind<World>[] = [
  {
    kind: sweep,
    run: async ({ db, clock }, run) => {
      const now = clock.now();
      const batch = () => db.tx((tx) => deleteExpired(tx, now, limits.sweepRowsMax));
      while ((await batch()) === limits.sweepRowsMax && !run.signal.aborted);
      await db.tx((tx) => run.finish(tx));
    },
  },
];

export const schedules: readonly Schedule[] = [
  {
    name: sweep,
    timing: { everyMs: 15 * 60 * 1000 },
    missed: "once",
    job: () => ({ kind: sweep, payload: {} }),
  },
];
