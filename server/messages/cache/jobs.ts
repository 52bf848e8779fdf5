// Background work of the prompt cache.
import type { World } from "../../../kernel/context.ts";
import type { JobKind } from "../../../kernel/jobs/run.ts";
import type { Schedule } from "../../../kernel/jobs/schedules/schedules.ts";
import { deleteExpired } from "./queries.ts";

const sweep = "messages.sweep_cache";
const rowsPerSweep = 5_000;

/** Safe to run twice: what has expired is gone after the first time, and no lookup had read it before. */
export const kinds: readonly JobKind<World>[] = [
  {
    kind: sweep,
    run: async ({ db, clock }, run) => {
      const sweepSome = () =>
        db.tx(async (tx) => {
          await run.fence(tx);
          const isLast = (await deleteExpired(tx, clock.now(), rowsPerSweep)) < rowsPerSweep;
          if (isLast) await run.finish(tx);
          return isLast;
        });
      while (!(await sweepSome()));
    },
  },
];

export const schedules: readonly Schedule[] = [
  {
    name: sweep,
    timing: { everyMs: 10 * 60 * 1000 },
    missed: "once",
    job: () => ({ kind: sweep, payload: {} }),
  },
];
