// When nothing goes on in simulated processes any more but what waits for its turn, for time, or for another's lock.
import { systemClock } from "../../kernel/base/clock.ts";
import { sql } from "../../kernel/sql/statement.ts";
import type { TimedDatabase } from "../kernel/timed-database.ts";

export interface Busy {
  /** Statements that were sent and have no answer. */
  inFlight(): number;
  readsFiles: boolean;
}

/** What goes on without the database and without time has ended after so many iterations of the event loop. */
const turnsOfLoop = { plain: 3, withFiles: 40 };
/** A process reads or writes a file. */
const isAtFiles = () =>
  process.getActiveResourcesInfo().some((kind) => /^(FS|Close)Req/.test(kind));

export function makeSettle(timed: TimedDatabase, { inFlight, readsFiles }: Busy) {
  const turnsInARow = readsFiles ? turnsOfLoop.withFiles : turnsOfLoop.plain;
  return async (): Promise<void> => {
    for (let sure = 0; sure < 2;) {
      for (let i = 0; i < turnsInARow; i++) await new Promise((resolve) => setImmediate(resolve));
      if (readsFiles && isAtFiles()) {
        sure = 0;
        continue;
      }
      if (inFlight() === 0) {
        sure += 1;
        continue;
      }
      const before = inFlight();
      // Either they come back or they all wait for locks that another process holds.
      await systemClock.sleep(1);
      const waiting = await lockWaits(timed);
      // One that was answered meanwhile is followed by others, which must come to their turn first.
      if (waiting === before && before === inFlight()) sure += 1;
      else sure = 0;
    }
  };
}

/**
 * Asked of the lock table itself: `wait_event` still says Lock for a moment after the lock was granted.
 */
async function lockWaits({ observer }: TimedDatabase): Promise<number> {
  const [row] = await observer.query<{ count: number }>(sql`
    select count(*) from pg_stat_activity
    where datname = current_database() and state = 'active' and cardinality(pg_blocking_pids(pid)) > 0`);
  return row?.count ?? 0;
}
