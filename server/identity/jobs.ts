// Background work of identity.
import type { World } from "../../kernel/context.ts";
import { everyHour, repeated } from "../../kernel/jobs/repeated.ts";
import * as proof from "./sign_in/queries-proof.ts";
import * as signIns from "./sign_in/queries.ts";
import { limits } from "./limits.ts";

/** Safe to run twice: the first run deletes what has ended. */
const sweep = repeated<World>({
  kind: "identity.sweep",
  timing: everyHour,
  run: async ({ db, clock }, run) => {
    const now = clock.now();
    const idleSince = new Date(now.getTime() - limits.signInIdleMs);
    await db.tx(async (tx) => {
      await signIns.deleteEnded(tx, now, idleSince);
      await proof.deleteSpentTokens(tx, now);
      await run.finish(tx);
    });
  },
});

export const kinds = [sweep.kind];
export const schedules = [sweep.schedule];
