// Background work of kept conversations.
import type { World } from "../../../kernel/context.ts";
import type { JobKind } from "../../../kernel/jobs/run.ts";
import type { Schedule } from "../../../kernel/jobs/schedules/schedules.ts";
import { threadLimits } from "./limits.ts";
import { deleteExpired } from "./queries.ts";

const kind = "messages.sweep_threads";

/** Safe to run twice: what has expired is not found by any request. */
export const sweepThreads: JobKind<World> = {
  kind,
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
};

export const sweepThreadsSchedule: Schedule = {
  name: kind,
  timing: { everyMs: threadLimits.sweepEveryMs },
  missed: "once",
  job: () => ({ kind, payload: {} }),
};
