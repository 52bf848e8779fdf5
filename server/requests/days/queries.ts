// Statements that make, index and drop the days of the request log; a day is written as 2026-11-28.
import type { Queryable } from "../../../kernel/sql/database.ts";
import { sql } from "../../../kernel/sql/statement.ts";

export async function makeDay(on: Queryable, day: string): Promise<void> {
  await on.query(sql`select requests_make_day(${day}::date)`);
}

export async function indexDay(on: Queryable, day: string): Promise<void> {
  await on.query(sql`select requests_index_day(${day}::date)`);
}

export async function dropDay(on: Queryable, day: string): Promise<void> {
  await on.query(sql`select requests_drop_day(${day}::date)`);
}

export async function listDays(on: Queryable): Promise<string[]> {
  const rows = await on.query<{ day: string }>(
    sql`select to_char(day, 'YYYY-MM-DD') as day from requests_days order by day`,
  );
  return rows.map(({ day }) => day);
}
