// Statements about the files of batches.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";

export interface Files {
  /** How many were begun. */
  segments: number;
  /** How far each is good, by its number; absent where nothing in it counts. */
  bytes: Record<number, number>;
}

export async function findFiles(on: Queryable, batchId: string): Promise<Files | undefined> {
  const [row] = await on.query<Files>(sql`
    select segments, coalesce((
      select json_object_agg(segment, bytes) from batch_segments where batch_id = batches.id
    ), '{}') as bytes
    from batches where id = ${batchId}`);
  return row;
}

export async function deleteChunks(tx: Tx, batchId: string): Promise<void> {
  await tx.query(sql`delete from batch_chunks where batch_id = ${batchId}`);
}

/** Batches whose results are to be taken away, the oldest first. */
export function listOld(
  on: Queryable,
  before: Date,
  rows: number,
): Promise<{ id: string; segments: number }[]> {
  return on.query(sql`
    select id, segments from batches
    where emptied_at is null and created_at <= ${before} and state = 'ended'
    order by created_at limit ${rows}`);
}

/** Answers how many there were: no transaction takes more than these. */
export async function deleteResults(on: Queryable, batchId: string, rows: number): Promise<number> {
  const gone = await on.query(sql`
    with old as (
      select index from batch_results where batch_id = ${batchId} order by index limit ${rows}
    )
    delete from batch_results using old
    where batch_id = ${batchId} and batch_results.index = old.index
    returning batch_results.index`);
  return gone.length;
}

export async function setEmptied(tx: Tx, batchId: string, at: Date): Promise<void> {
  await tx.query(sql`update batches set emptied_at = ${at} where id = ${batchId}`);
}

export async function isKnown(on: Queryable, batchId: string): Promise<boolean> {
  const rows = await on.query(sql`select 1 from batches where id = ${batchId}`);
  return rows.length > 0;
}

/** Which of these there are not. */
export async function listUnknown(on: Queryable, batchIds: readonly string[]): Promise<string[]> {
  const rows = await on.query<{ id: string }>(sql`
    select id from unnest(${batchIds}::text[]) as asked (id)
    where not exists (select from batches where batches.id = asked.id)`);
  return rows.map(({ id }) => id);
}
