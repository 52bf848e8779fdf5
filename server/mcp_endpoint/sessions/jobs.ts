// Background work of sessions: those that no client has used for long are forgotten.
import type { World } from "../../../kernel/context.ts";
import type { JobKind } from "../../../kernel/jobs/run.ts";
import type { Schedule } from "../../../kernel/jobs/schedules/schedules.ts";
import { limits } from "../limits.ts";
import * as queries from "./queries.ts";

const sweep = "mcp_sessions.sweep";

export const kinds: readonly JobKind<World>[] = [
  {
    kind: sweep,
    run: async ({ db, clock }, run) => {
      const before = new Date(clock.now().getTime() - limits.sessionKeptMs);
      await db.tx(async (tx) => {
        await queries.deleteUnused(tx, before);
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
