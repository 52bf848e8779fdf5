// Background work of kept bodies: their days are made and dropped, and what a workspace keeps no longer is deleted.
import type { World } from "../../kernel/context.ts";
import { repeated } from "../../kernel/jobs/repeated.ts";
import { keepBodyDays } from "./kept/days.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries.ts";

const sweep = repeated<World>({
  kind: "request_bodies.sweep",
  timing: { everyMs: limits.sweepEveryMs },
  concurrency: 1,
  run: async (world, run) => {
    await sweepBodies(world, run.signal);
    await world.db.tx((tx) => run.finish(tx));
  },
});

/** Rule RBD10. */
export async function sweepBodies(world: World, signal: AbortSignal): Promise<void> {
  await keepBodyDays(world, world.clock.now());
  await deleteOld(world, signal);
}

const workspacesAtOnce = 100;

async function deleteOld({ db, clock }: World, signal: AbortSignal): Promise<void> {
  for (let after = ""; ;) {
    const retentions = await queries.listRetentions(db, { after, rows: workspacesAtOnce });
    for (const { workspaceId, keptDays, keptSince } of retentions) {
      const oldest = new Date(clock.now().getTime() - keptDays * limits.dayMs + 1);
      const before = keptSince !== null && keptSince > oldest ? keptSince : oldest;
      while (!signal.aborted) {
        const rows = limits.deletedAtOnce;
        if ((await queries.deleteBefore(db, workspaceId, { before, rows })) < rows) break;
      }
    }
    after = retentions.at(-1)?.workspaceId ?? "";
    if (retentions.length < workspacesAtOnce || signal.aborted) return;
  }
}

export const kinds = [sweep.kind];
export const schedules = [sweep.schedule];
