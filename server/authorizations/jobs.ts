// Background work of authorizations.
import type { World } from "../../kernel/context.ts";
import type { JobKind } from "../../kernel/jobs/run.ts";
import type { Schedule } from "../../kernel/jobs/schedules/schedules.ts";
import * as queries from "./queries.ts";
import { deleteUnusedClients } from "./clients/queries.ts";
import { limits } from "./limits.ts";

const sweep = "authorizations.sweep";

export const kinds: readonly JobKind<World>[] = [
  {
    kind: sweep,
    run: async ({ db, clock }, run) => {
      const beforeMs = (keptMs: number) => new Date(clock.now().getTime() - keptMs);
      await db.tx(async (tx) => {
        await queries.deleteOld(tx, beforeMs(limits.keepMs));
        const unused = beforeMs(limits.unusedClientKeptMs);
        await deleteUnusedClients(tx, unused, limits.sweepRowsMax);
        await run.finish(tx);
      });
    },
  },
];

export const schedules: readonly Schedule[] = [
  {
    name: sweep,
    timing: { everyMs: 60 * 60 * 1000 },
    missed: "once",
    job: () => ({ kind: sweep, payload: {} }),
  },
];
