// Puts what is encrypted in the database under the active master key, a few rows at a time.
import { DecryptionError } from "../../kernel/secret/keyring.ts";
import type { Secrets } from "../../kernel/secret/secrets.ts";
import type { Database, Queryable } from "../../kernel/sql/database.ts";
import { countUnder, readBatch, replace, type Sealed } from "./queries.ts";
import { sealedColumns, type SealedColumn } from "./queries-columns.ts";

export interface ResealedColumn {
  place: string;
  resealed: number;
  /** Under a key that is not there any more, or changed: left as it is. */
  unreadable: number;
}

/** Rule SEC13. Writers go on meanwhile: what they write is under the active key. */
export async function resealAll(
  db: Database,
  secrets: Secrets,
  columns: readonly SealedColumn[] = sealedColumns,
): Promise<ResealedColumn[]> {
  const done: ResealedColumn[] = [];
  for (const column of columns) done.push(await resealColumn(db, secrets, column));
  return done;
}

async function resealColumn(
  db: Database,
  secrets: Secrets,
  column: SealedColumn,
): Promise<ResealedColumn> {
  const counts = { place: placeOf(column), resealed: 0, unreadable: 0 };
  for (let after: string | null = ""; after !== null;) {
    const rows = await readBatch(db, column, { active: secrets.activeKeyId(), after });
    for (const row of rows) {
      const next = rewrapped(secrets, column, row);
      if (next === undefined) counts.unreadable += 1;
      else counts.resealed += await replace(db, column, row, next);
    }
    after = rows.at(-1)?.key ?? null;
  }
  return counts;
}

export const placeOf = ({ table, column }: Pick<SealedColumn, "table" | "column">) =>
  `${table}.${column}`;

function rewrapped(
  secrets: Secrets,
  { context }: SealedColumn,
  { key, value, owner }: Sealed,
): string | undefined {
  try {
    return secrets.rewrap(value, context(key, owner ?? ""));
  } catch (error) {
    if (error instanceof DecryptionError) return undefined;
    throw error;
  }
}

/** How many values of each place stand under a key; places without any are left out. */
export async function countSealed(
  on: Queryable,
  keyId: string,
  columns: readonly SealedColumn[] = sealedColumns,
): Promise<{ place: string; values: number }[]> {
  const counts: { place: string; values: number }[] = [];
  for (const column of columns) {
    counts.push({ place: placeOf(column), values: await countUnder(on, column, keyId) });
  }
  return counts.filter(({ values }) => values > 0);
}
