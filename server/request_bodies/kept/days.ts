// The days of kept bodies: each is a partition, made before it begins, dropped whole when no workspace may keep it.
import type { World } from "../../../kernel/context.ts";
import { limits } from "../limits.ts";
import * as queries from "./queries.ts";

type DayWorld = Pick<World, "db">;

const numberOf = (at: Date): number => Math.floor(at.getTime() / limits.dayMs);
const written = (day: number): string => new Date(day * limits.dayMs).toISOString().slice(0, 10);

/** The days of rows, where the job has not made them ahead of their time. */
export function makeBodyDays({ db }: DayWorld) {
  const known = new Set<number>();
  return {
    makeFor: async (rows: readonly { at: Date }[]): Promise<void> => {
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

export async function keepBodyDays({ db }: DayWorld, now: Date): Promise<void> {
  const today = numberOf(now);
  for (let ahead = 0; ahead <= limits.daysAhead; ahead++)
    await queries.makeDay(db, written(today + ahead));
  for (const day of await queries.listDays(db))
    if (numberOf(new Date(day)) < today - limits.keptDaysMax) await queries.dropDay(db, day);
}
