// Tables whose days are partitions, each made before it begins and dropped whole; a table's migration brings the
// functions for that, named after it.
import type { Queryable } from "../database.ts";
import { identifier, sql } from "../statement.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** Days are numbered from that of the epoch on, in UTC. */
export const dayOf = (at: Date): number => Math.floor(at.getTime() / dayMs);
export const startOf = (day: number): Date => new Date(day * dayMs);

export type DayAct = "make" | "index" | "drop";

/** Where the day is as it shall be, nothing happens. */
export async function actOnDay(
  on: Queryable,
  table: string,
  act: DayAct,
  day: number,
): Promise<void> {
  const written = startOf(day).toISOString().slice(0, 10);
  await on.query(sql`select ${identifier(`${table}_${act}_day`)}(${written}::date)`);
}

/** Those that there are. */
export async function listDays(on: Queryable, table: string): Promise<number[]> {
  const rows = await on.query<{ day: string }>(
    sql`select to_char(day, 'YYYY-MM-DD') as day from ${identifier(`${table}_days`)} order by day`,
  );
  return rows.map(({ day }) => dayOf(new Date(day)));
}

/** Today, and so many days after it. */
export async function makeAhead(
  on: Queryable,
  table: string,
  { today, days }: { today: number; days: number },
): Promise<void> {
  for (let ahead = 0; ahead <= days; ahead++) await actOnDay(on, table, "make", today + ahead);
}

/** The days of rows, where the job has not made them ahead of their time. */
export function neededDays(on: Queryable, table: string) {
  const known = new Set<number>();
  return {
    makeFor: async (rows: readonly { at: Date }[]): Promise<void> => {
      for (const { at } of rows) {
        const day = dayOf(at);
        if (known.has(day)) continue;
        await actOnDay(on, table, "make", day);
        known.add(day);
      }
    },
    /** Where a write failed, a day may be missing. */
    forget: () => known.clear(),
  };
}
