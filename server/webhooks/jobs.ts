// Background work of webhooks: deliveries, and old ones that are forgotten.
import type { World } from "../../kernel/context.ts";
import { repeated } from "../../kernel/jobs/repeated.ts";
import type { JobKind } from "../../kernel/jobs/run.ts";
import { deliverKinds } from "./deliveries/attempt.ts";
import { limits } from "./limits.ts";
import { deleteOldDeliveries } from "./deliveries/queries.ts";

/** Rule WHK13. */
export async function forgetOld({ db, clock }: World): Promise<void> {
  const before = new Date(clock.now().getTime() - limits.deliveriesKeptMs);
  const rows = limits.sweepRowsMax;
  while ((await db.tx((tx) => deleteOldDeliveries(tx, before, rows))) === rows);
}

const sweep = repeated<World>({
  kind: "webhooks.sweep",
  timing: { everyMs: limits.sweepEveryMs },
  run: async (world, run) => {
    await forgetOld(world);
    await world.db.tx((tx) => run.finish(tx));
  },
});

export const kinds: readonly JobKind<World>[] = [...deliverKinds, sweep.kind];
export const schedules = [sweep.schedule];
