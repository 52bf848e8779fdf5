// Background work of kept conversations.
import type { World } from "../../../kernel/context.ts";
import { repeated } from "../../../kernel/jobs/repeated.ts";
import { threadLimits } from "./limits.ts";
import { deleteExpired } from "./queries.ts";

/** Safe to run twice: what has expired is not found by any request. */
export const sweepThreads = repeated<World>({
  kind: "messages.sweep_threads",
  timing: { everyMs: threadLimits.sweepEveryMs },
  run: async ({ db, clock }, run) => {
    const sweepSome = () =>
      db.tx(async (tx) => {
        await run.fence(tx);
        const { sweepRows } = threadLimits;
        const isLast = (await deleteExpired(tx, clock.now(), sweepRows)) < sweepRows;
        if (isLast) await run.finish(tx);
        return isLast;
      });
    while (!(await sweepSome()));
  },
});
