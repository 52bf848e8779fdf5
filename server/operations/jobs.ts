// Background work of operations.
import type { World } from "../../kernel/context.ts";
import type { JobKind } from "../../kernel/jobs/run.ts";
import type { Schedule } from "../../kernel/jobs/schedules/schedules.ts";
import { deleteMinutes } from "./queries-traffic.ts";
import { limits } from "./limits.ts";

const sweep = "operations.sweep";

/** Safe to run twice; what one run leaves, the next one takes. */
export const kinds: readonly JobKind<World>[] = [
  {
    kind: sweep,
    run: async ({ db, clock }, run) => {
      const before = new Date(clock.now().getTime() - limits.minutesKeptMs);
      await db.tx(async (tx) => {
        await deleteMinutes(tx, before, limits.sweepRowsMax);
        await run.finish(tx);
      });
    },
  },
];

export const schedules: readonly Schedule[] = [
  {
    name: sweep,
    timing: { everyMs: 60 * 60 * 1000 },
    missed: "once",
    job: () => ({ kind: sweep, payload: {} }),
  },
];
