// Background work of the prompt cache.
import type { World } from "../../../kernel/context.ts";
import { repeated } from "../../../kernel/jobs/repeated.ts";
import { deleteExpired } from "./queries.ts";

const rowsPerSweep = 5_000;

/** Safe to run twice: what has expired is gone after the first time, and no lookup had read it before. */
const sweep = repeated<World>({
  kind: "messages.sweep_cache",
  timing: { everyMs: 10 * 60 * 1000 },
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
});

export const kinds = [sweep.kind];
export const schedules = [sweep.schedule];
