// Background work of webhooks: deliveries, and old ones that are forgotten.
import type { World } from "../../kernel/context.ts";
import type { JobKind } from "../../kernel/jobs/run.ts";
import type { Schedule } from "../../kernel/jobs/schedules/schedules.ts";
import { deliverKind } from "./deliveries/attempt.ts";
import { limits } from "./limits.ts";
import { deleteOldDeliveries } from "./deliveries/queries.ts";

const sweep = "webhooks.sweep";

/** Rule WHK13. */
export async function forgetOld({ db, clock }: World): Promise<void> {
  const before = new Date(clock.now().getTime() - limits.deliveriesKeptMs);
  const rows = limits.sweepRowsMax;
  while ((await db.tx((tx) => deleteOldDeliveries(tx, before, rows))) === rows);
}

export const kinds: readonly JobKind<World>[] = [
  deliverKind,
  {
    kind: sweep,
    run: async (world, run) => {
      await forgetOld(world);
      await world.db.tx((tx) => run.finish(tx));
    },
  },
];

export const schedules: readonly Schedule[] = [
  {
    name: sweep,
    timing: { everyMs: limits.sweepEveryMs },
    missed: "once",
    job: () => ({ kind: sweep, payload: {} }),
  },
];
