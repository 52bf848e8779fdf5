// Counts refused connections in memory and writes them many at once: no connection waits for the database.
import type { World } from "../../../kernel/context.ts";
import { type Refusal, shown } from "../../sandboxes/module.ts";
import { refusalLimits } from "./limits.ts";
import { type CountedRefusal, countRefusals } from "./queries.ts";

export interface RefusalRecorder {
  note(sessionId: string, refusal: Refusal): void;
  /** What was noted until now, unless the database fails: then it is kept for the next time. */
  write(): Promise<void>;
}

export function makeRefusalRecorder({ db, clock }: Pick<World, "db" | "clock">): RefusalRecorder {
  let waiting = new Map<string, CountedRefusal>();

  function add(refusal: CountedRefusal): void {
    const { sessionId, host, port, reason } = refusal;
    const key = JSON.stringify([sessionId, host, port, reason]);
    const known = waiting.get(key);
    if (known !== undefined) {
      known.count += refusal.count;
      known.lastAt = refusal.lastAt;
      return;
    }
    const isFull = waiting.size >= refusalLimits.waitingMax;
    // Of these there are few: one of a reason for each sandbox that runs here.
    if (isFull && host !== "*") add({ ...refusal, host: "*", port: 0 });
    else waiting.set(key, refusal);
  }

  return {
    note(sessionId, { host, port, reason }) {
      const at = clock.now();
      add({ sessionId, host: shown(host), port, reason, count: 1, firstAt: at, lastAt: at });
    },
    async write() {
      if (waiting.size === 0) return;
      const given = waiting;
      waiting = new Map();
      try {
        await db.tx((tx) => countRefusals(tx, [...given.values()]));
      } catch (error) {
        const since = [...waiting.values()];
        waiting = given;
        for (const refusal of since) add(refusal);
        throw error;
      }
    },
  };
}
