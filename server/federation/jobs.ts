// Background work of federation: renews keys, and forgets expired jtis and refusals in time.
import type { World } from "../../kernel/context.ts";
import type { JobKind } from "../../kernel/jobs/run.ts";
import type { Schedule } from "../../kernel/jobs/schedules/schedules.ts";
import { fetchAndStore } from "./issuers/keys.ts";
import { limits } from "./limits.ts";
import { claimDue, deleteEndedJtis } from "./issuers/queries.ts";

const poll = "federation.poll";

/** Rule FED4. Each due issuer is postponed before it is asked: a run that dies leaves it to the next. */
export async function pollDue(world: World): Promise<void> {
  const now = world.clock.now();
  const again = new Date(now.getTime() + limits.pollEveryMs);
  const due = await world.db.tx((tx) => claimDue(tx, { now, again, rows: limits.pollsAtOnce }));
  await Promise.all(due.map((issuer) => fetchAndStore(world, issuer)));
}

export const kinds: readonly JobKind<World>[] = [
  {
    kind: poll,
    run: async (world, run) => {
      await pollDue(world);
      await world.db.tx(async (tx) => {
        await deleteEndedJtis(tx, world.clock.now(), limits.sweepRowsMax);
        await run.finish(tx);
      });
    },
  },
];

export const schedules: readonly Schedule[] = [
  {
    name: poll,
    timing: { everyMs: limits.pollLookMs },
    missed: "once",
    job: () => ({ kind: poll, payload: {} }),
  },
];
