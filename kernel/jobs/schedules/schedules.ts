// Recurring work. The next occurrence of each schedule is a row, unique by schedule and nominal time,
// written in the transaction that fires the one before: however many processes look, none is lost or doubled.
import type { Ids } from "../../base/ids.ts";
import type { Database, Tx } from "../../sql/database.ts";
import type { Hints } from "../../sql/hints.ts";
import { nextCron, parseCron } from "../../cron/cron.ts";
import { enqueue, type NewJob } from "../jobs.ts";
import { jobLimits } from "../limits.ts";
import * as queries from "./queries.ts";

/** Intervals count from 1970 on, so that all processes mean the same moments. */
export type Timing = { everyMs: number } | { cron: string; timeZone: string };

export interface Schedule {
  name: string;
  timing: Timing;
  /**
   * What happens when occurrences passed while no process ran: the oldest fires, the rest do not (`once`);
   * nothing that is more than a minute late fires (`skip`); each fires (`each`).
   */
  missed?: "once" | "skip" | "each";
  /** The work of one occurrence; put in by the transaction that marks it as fired. */
  job(nominalAt: Date): NewJob;
}

interface FireWorld {
  db: Database;
  ids: Ids;
  hints: Hints;
}

/** The first occurrence after a moment; none for a cron expression that never comes, as 30 February. */
export function nextOccurrence(timing: Timing, after: Date): Date | undefined {
  if ("cron" in timing) return nextCron(parseCron(timing.cron), timing.timeZone, after);
  return new Date((Math.floor(after.getTime() / timing.everyMs) + 1) * timing.everyMs);
}

/** Writes the first occurrence of what is new, and moves the pending one where the timing was changed. */
export async function startSchedules(
  { db }: { db: Database },
  schedules: readonly Schedule[],
): Promise<void> {
  const missing = await queries.selectOutdated(db, schedules.map(asKnown));
  for (const { schedule: name, now } of missing) {
    const schedule = schedules.find((known) => known.name === name);
    const nominalAt = schedule && nextOccurrence(schedule.timing, now);
    if (schedule === undefined || nominalAt === undefined) continue;
    const occurrence = { ...asKnown(schedule), nominalAt };
    await db.tx(async (tx) => {
      await queries.retime(tx, occurrence);
      await queries.insertOccurrence(tx, occurrence);
    });
  }
}

/** Fires what is due; answers how many occurrences were dealt with. */
export async function fireDue(world: FireWorld, schedules: readonly Schedule[]): Promise<number> {
  const known = schedules.map(asKnown);
  // Looked at without a lock first: a transaction each second in each process would be three times the cost.
  if (known.length === 0 || !(await queries.isAnyDue(world.db, known))) return 0;
  return world.db.tx(async (tx) => {
    const due = await queries.lockDue(tx, known);
    for (const occurrence of due) {
      const schedule = schedules.find(({ name }) => name === occurrence.schedule);
      if (schedule !== undefined) await fire(tx, world, schedule, occurrence);
    }
    return due.length;
  });
}

async function fire(
  tx: Tx,
  world: FireWorld,
  schedule: Schedule,
  { nominalAt, now }: queries.DueRow,
): Promise<void> {
  const missed = schedule.missed ?? "once";
  const late = now.getTime() - nominalAt.getTime() > jobLimits.missedAfterMs;
  if (!(missed === "skip" && late)) await enqueue(tx, world, schedule.job(nominalAt));
  await queries.markFired(tx, schedule.name, nominalAt);
  await queries.deleteFiredBefore(tx, schedule.name, nominalAt);
  const next = nextOccurrence(schedule.timing, missed === "each" ? nominalAt : now);
  if (next !== undefined) {
    await queries.insertOccurrence(tx, { ...asKnown(schedule), nominalAt: next });
  }
}

function asKnown({ name, timing }: Schedule): queries.ScheduleTiming {
  return {
    schedule: name,
    timing: "cron" in timing ? `${timing.cron} ${timing.timeZone}` : `every ${timing.everyMs} ms`,
  };
}
