// Background work of sessions: those that no client has used for long are forgotten.
import type { World } from "../../../kernel/context.ts";
import { everyHour, repeated } from "../../../kernel/jobs/repeated.ts";
import { limits } from "../limits.ts";
import * as queries from "./queries.ts";

const sweep = repeated<World>({
  kind: "mcp_sessions.sweep",
  timing: everyHour,
  run: async ({ db, clock }, run) => {
    const before = new Date(clock.now().getTime() - limits.sessionKeptMs);
    await db.tx(async (tx) => {
      await queries.deleteUnused(tx, before);
      await run.finish(tx);
    });
  },
});

export const kinds = [sweep.kind];
export const schedules = [sweep.schedule];
