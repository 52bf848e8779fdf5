// Background work of alerts: the look at what rules are about, mails, and old alerts that are forgotten.
import type { World } from "../../kernel/context.ts";
import { everyHour, repeated } from "../../kernel/jobs/repeated.ts";
import type { JobKind } from "../../kernel/jobs/run.ts";
import { limits } from "./limits.ts";
import { look } from "./look/look.ts";
import { mailKind } from "./mail.ts";
import { deleteOldAlerts, deleteOldRefusals } from "./queries.ts";

/** Rule ALT9: what it opens and resolves commits with the job's own end. */
const looks = repeated<World>({
  kind: "alerts.look",
  timing: { everyMs: limits.lookEveryMs },
  isOneEnough: true,
  concurrency: 1,
  run: (world, run) =>
    world.db.tx(async (tx) => {
      await run.fence(tx);
      await look(tx, world);
      await run.finish(tx);
    }),
});

/** Rule ALT12. Safe to run twice; what one run leaves, the next one takes. */
export async function forgetOld({ db, clock }: Pick<World, "db" | "clock">): Promise<void> {
  const now = clock.now().getTime();
  const most = limits.sweepRowsMax;
  await db.tx((tx) => deleteOldAlerts(tx, new Date(now - limits.keptMs), most));
  await db.tx((tx) => deleteOldRefusals(tx, new Date(now - limits.refusalsKeptMs), most));
}

const sweep = repeated<World>({
  kind: "alerts.sweep",
  timing: everyHour,
  run: async (world, run) => {
    await forgetOld(world);
    await world.db.tx((tx) => run.finish(tx));
  },
});

export const kinds: readonly JobKind<World>[] = [looks.kind, mailKind, sweep.kind];
export const schedules = [looks.schedule, sweep.schedule];
