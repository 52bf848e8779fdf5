// Background work of tokens.
import type { World } from "../../kernel/context.ts";
import type { JobKind } from "../../kernel/jobs/run.ts";
import type { Schedule } from "../../kernel/jobs/schedules/schedules.ts";
import { limits } from "./limits.ts";
import * as families from "./queries-families.ts";
import * as queries from "./queries.ts";

const sweep = "tokens.sweep";

/** Rule TOK11. Safe to run twice; rows that one run leaves, the next one takes. */
export const kinds: readonly JobKind<World>[] = [
  {
    kind: sweep,
    run: async ({ db, clock }, run) => {
      const nowMs = clock.now().getTime();
      const ended = new Date(nowMs - limits.endedKeptMs);
      const refusedBefore = new Date(nowMs - limits.refusalsKeptMs);
      await db.tx(async (tx) => {
        await queries.deleteEnded(tx, ended, limits.sweepRowsMax);
        await families.deleteEndedFamilies(tx, ended, limits.sweepRowsMax);
        await queries.deleteRefusals(tx, refusedBefore, limits.sweepRowsMax);
        await run.finish(tx);
      });
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
