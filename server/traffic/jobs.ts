// Background work of what is counted by the minute.
import type { World } from "../../kernel/context.ts";
import { everyHour, repeated } from "../../kernel/jobs/repeated.ts";
import { deleteAttempts, deleteRequests } from "./queries.ts";
import { limits } from "./limits.ts";

/** Safe to run twice; what one run leaves, the next one takes. Servers before this one know it by this name. */
const sweep = repeated<World>({
  kind: "operations.sweep",
  timing: everyHour,
  run: async ({ db, clock }, run) => {
    const before = new Date(clock.now().getTime() - limits.minutesKeptMs);
    await db.tx(async (tx) => {
      await deleteRequests(tx, before, limits.sweepRowsMax);
      await deleteAttempts(tx, before, limits.sweepRowsMax);
      await run.finish(tx);
    });
  },
});

export const kinds = [sweep.kind];
export const schedules = [sweep.schedule];
