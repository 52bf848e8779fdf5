// Statements about encrypted values, wherever they lie.
import type { Queryable } from "../../kernel/sql/database.ts";
import { identifier, sql } from "../../kernel/sql/statement.ts";
import type { SealedColumn } from "./queries-columns.ts";

export interface Sealed {
  key: string;
  value: string;
  owner: string | null;
}

export function readBatch(
  on: Queryable,
  { table, key, value, owner, rows }: SealedColumn,
  { active, after }: { active: string; after: string },
): Promise<Sealed[]> {
  return on.query<Sealed>(sql`
    select ${key} as key, ${value} as value, ${owner ?? sql`null`} as owner
    from ${identifier(table)} as row
    where ${key} > ${after} and ${value} is not null
      and not starts_with(${value}, ${`v1.${active}.`})
    order by ${key} limit ${rows}`);
}

/** Only what was read is replaced: a row that was written meanwhile is under the active key already. */
export async function replace(
  on: Queryable,
  { table, column, key, value, set }: SealedColumn,
  row: Sealed,
  next: string,
): Promise<number> {
  const change = set?.(next) ?? sql`${identifier(column)} = ${next}`;
  const replaced = await on.query(sql`
    update ${identifier(table)} as row set ${change}
    where ${key} = ${row.key} and ${value} = ${row.value} returning 1 as one`);
  return replaced.length;
}

export async function countUnder(
  on: Queryable,
  { table, value }: SealedColumn,
  keyId: string,
): Promise<number> {
  const [row] = await on.query<{ values: number }>(sql`
    select count(*)::int as values from ${identifier(table)} as row
    where starts_with(${value}, ${`v1.${keyId}.`})`);
  return row?.values ?? 0;
}
