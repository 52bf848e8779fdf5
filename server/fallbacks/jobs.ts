// Background work of fallbacks.
import type { World } from "../../kernel/context.ts";
import { repeated } from "../../kernel/jobs/repeated.ts";
import { limits } from "./limits.ts";
import { deleteExpired } from "./queries.ts";

/** Safe to run twice: what has expired is gone after the first time. */
const sweep = repeated<World>({
  kind: "fallbacks.sweep",
  timing: { everyMs: 15 * 60 * 1000 },
  run: async ({ db, clock }, run) => {
    const now = clock.now();
    const batch = () => db.tx((tx) => deleteExpired(tx, now, limits.sweepRowsMax));
    while ((await batch()) === limits.sweepRowsMax && !run.signal.aborted);
    await db.tx((tx) => run.finish(tx));
  },
});

export const kinds = [sweep.kind];
export const schedules = [sweep.schedule];
