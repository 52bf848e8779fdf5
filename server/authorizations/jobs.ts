// Background work of authorizations.
import type { World } from "../../kernel/context.ts";
import { everyHour, repeated } from "../../kernel/jobs/repeated.ts";
import * as queries from "./queries.ts";
import { deleteUnusedClients } from "./clients/queries.ts";
import { limits } from "./limits.ts";

const sweep = repeated<World>({
  kind: "authorizations.sweep",
  timing: everyHour,
  run: async ({ db, clock }, run) => {
    const beforeMs = (keptMs: number) => new Date(clock.now().getTime() - keptMs);
    await db.tx(async (tx) => {
      await queries.deleteOld(tx, beforeMs(limits.keepMs));
      const unused = beforeMs(limits.unusedClientKeptMs);
      await deleteUnusedClients(tx, unused, limits.sweepRowsMax);
      await run.finish(tx);
    });
  },
});

export const kinds = [sweep.kind];
export const schedules = [sweep.schedule];
