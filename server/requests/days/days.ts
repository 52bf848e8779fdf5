// The days of the request log: each is a partition, made before it begins, indexed when it is over, dropped whole.
import type { World } from "../../../kernel/context.ts";
import { limits } from "../limits.ts";
import type { LoggedRequest } from "../log/queries.ts";
import * as queries from "./queries.ts";

type DayWorld = Pick<World, "db">;

const numberOf = (at: Date): number => Math.floor(at.getTime() / limits.dayMs);
const startOf = (day: number) => new Date(day * limits.dayMs);
const written = (day: number): string => startOf(day).toISOString().slice(0, 10);

/** The days of rows, where the job has not made them ahead of their time. */
export function makeDays({ db }: DayWorld) {
  const known = new Set<number>();
  return {
    makeFor: async (rows: readonly LoggedRequest[]): Promise<void> => {
      for (const { at } of rows) {
        const day = numberOf(at);
        if (known.has(day)) continue;
        await queries.makeDay(db, written(day));
        known.add(day);
      }
    },
    /** Where a write failed, a day may be missing. */
    forget: () => known.clear(),
  };
}

/** Makes the next days, indexes those that are over, and drops all but the last `kept`, today among them. */
export async function keepDays({ db }: DayWorld, kept: number, now: Date): Promise<void> {
  const today = numberOf(now);
  for (let ahead = 0; ahead <= limits.daysAhead; ahead++)
    await queries.makeDay(db, written(today + ahead));
  for (const day of await queries.listDays(db)) {
    const number = numberOf(new Date(day));
    if (number <= today - kept) await queries.dropDay(db, day);
    else if (startOf(number + 1).getTime() + limits.indexedAfterMs <= now.getTime())
      await queries.indexDay(db, day);
  }
}

/** The beginning of the first day that may have no indexes of its own yet. */
export const openSince = (now: Date): Date =>
  startOf(numberOf(new Date(now.getTime() - limits.openForMs)));
