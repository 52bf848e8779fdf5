// Background work of federation: renews keys, and forgets expired jtis and refusals in time.
import type { World } from "../../kernel/context.ts";
import { repeated } from "../../kernel/jobs/repeated.ts";
import { fetchAndStore } from "./issuers/keys.ts";
import { limits } from "./limits.ts";
import { claimDue, deleteEndedJtis } from "./issuers/queries.ts";

/** Rule FED4. Each due issuer is postponed before it is asked: a run that dies leaves it to the next. */
export async function pollDue(world: World): Promise<void> {
  const now = world.clock.now();
  const again = new Date(now.getTime() + limits.pollEveryMs);
  const due = await world.db.tx((tx) => claimDue(tx, { now, again, rows: limits.pollsAtOnce }));
  await Promise.all(due.map((issuer) => fetchAndStore(world, issuer)));
}

const poll = repeated<World>({
  kind: "federation.poll",
  timing: { everyMs: limits.pollLookMs },
  run: async (world, run) => {
    await pollDue(world);
    await world.db.tx(async (tx) => {
      await deleteEndedJtis(tx, world.clock.now(), limits.sweepRowsMax);
      await run.finish(tx);
    });
  },
});

export const kinds = [poll.kind];
export const schedules = [poll.schedule];
