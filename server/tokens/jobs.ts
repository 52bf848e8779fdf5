// Background work of tokens.
import type { World } from "../../kernel/context.ts";
import { repeated } from "../../kernel/jobs/repeated.ts";
import { limits } from "./limits.ts";
import * as families from "./queries-families.ts";
import * as queries from "./queries.ts";

/** Rule TOK11. Safe to run twice; rows that one run leaves, the next one takes. */
const sweep = repeated<World>({
  kind: "tokens.sweep",
  timing: { everyMs: limits.sweepEveryMs },
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
});

export const kinds = [sweep.kind];
export const schedules = [sweep.schedule];
