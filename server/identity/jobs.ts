// Background work of identity.
import type { World } from "../../kernel/context.ts";
import type { JobKind } from "../../kernel/jobs/run.ts";
import type { Schedule } from "../../kernel/jobs/schedules/schedules.ts";
import * as proof from "./sign_in/queries-proof.ts";
import * as signIns from "./sign_in/queries.ts";
import { limits } from "./limits.ts";

const sweep = "identity.sweep";

/** Safe to run twice: the first run deletes what has ended. */
export const kinds: readonly JobKind<World>[] = [
  {
    kind: sweep,
    run: async ({ db, clock }, run) => {
      const now = clock.now();
      const idleSince = new Date(now.getTime() - limits.signInIdleMs);
      await db.tx(async (tx) => {
        await signIns.deleteEnded(tx, now, idleSince);
        await proof.deleteSpentTokens(tx, now);
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
