// Background work of the request log: its days are made, indexed and dropped.
import type { World } from "../../kernel/context.ts";
import { repeated } from "../../kernel/jobs/repeated.ts";
import { keepDays } from "./days.ts";
import { limits } from "./limits.ts";
import { keptDays } from "./settings.ts";

const keep = repeated<World>({
  kind: "requests.keep_days",
  timing: { everyMs: limits.keepDaysEveryMs },
  concurrency: 1,
  run: async (world, run) => {
    await keepDays(world, keptDays(world), world.clock.now());
    await world.db.tx((tx) => run.finish(tx));
  },
});

export const kinds = [keep.kind];
export const schedules = [keep.schedule];
