// Statements of an import: rows of a store that is not seen yet, in chunks, and the moment when it is seen.
import { plainArray, textArray } from "../../../kernel/sql/rows/arrays.ts";
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { sql } from "../../../kernel/sql/statement.ts";
import type { Author, LiveMemory } from "../memories/apply.ts";
import type { Operation } from "../schema.ts";

/** A row of an import: `seq` says what it is and where it stood until it gets its number in the workspace. */
export interface StagedRow {
  id: string;
  memoryId: string;
  seq: number;
  operation: Operation;
  path: string | null;
  text: string | null;
  sha256: string | null;
  bytes: number | null;
  createdAt: Date;
  author: Author | null;
  redactedAt: Date | null;
  redactedBy: Author | null;
  reason: string | null;
}

export interface Import {
  storeId: string;
  at: Date;
  author: Author;
}

export async function insertRows(
  tx: Tx,
  { storeId, at, author }: Import,
  rows: readonly StagedRow[],
): Promise<void> {
  const of = (read: (row: StagedRow) => string | null) => textArray(rows.map(read));
  const time = (date: Date | null) => date?.toISOString() ?? null;
  await tx.query(sql`
    insert into memory_versions (id, store_id, memory_id, seq, operation, path, content,
      content_sha256, bytes, created_at, actor_type, actor_id, redacted_at, redacted_by_type,
      redacted_by_id, redaction_reason, imported_at, imported_by_type, imported_by_id)
    select id, ${storeId}, memory_id, seq, operation, path, content, sha256, bytes, created_at,
      actor_type, actor_id, redacted_at, redacted_by_type, redacted_by_id, reason,
      ${at}::timestamptz, ${author.type}, ${author.id}
    from unnest(
      ${of(({ id }) => id)}::text[],
      ${of(({ memoryId }) => memoryId)}::text[],
      ${plainArray(rows.map(({ seq }) => seq))}::bigint[],
      ${of(({ operation }) => operation)}::text[],
      ${of(({ path }) => path)}::text[],
      ${of(({ text }) => text)}::text[],
      ${of(({ sha256 }) => sha256)}::text[],
      ${rows.map(({ bytes }) => bytes)}::int[],
      ${of(({ createdAt }) => time(createdAt))}::timestamptz[],
      ${of((row) => row.author?.type ?? null)}::text[],
      ${of((row) => row.author?.id ?? null)}::text[],
      ${of(({ redactedAt }) => time(redactedAt))}::timestamptz[],
      ${of(({ redactedBy }) => redactedBy?.type ?? null)}::text[],
      ${of(({ redactedBy }) => redactedBy?.id ?? null)}::text[],
      ${of(({ reason }) => reason)}::text[]
    ) as row (id, memory_id, seq, operation, path, content, sha256, bytes, created_at, actor_type,
      actor_id, redacted_at, redacted_by_type, redacted_by_id, reason)`);
}

export async function deleteRows(tx: Tx, storeId: string, ids: readonly string[]): Promise<void> {
  await tx.query(sql`
    delete from memory_versions
    where store_id = ${storeId} and id = any(${textArray(ids)}::text[])`);
}

/** Counts a chunk. False where the store is gone, because the sweep took it for lost. */
export async function count(
  tx: Tx,
  workspaceId: string,
  { storeId, bytes, versions, at }: { storeId: string; bytes: number; versions: number; at: Date },
): Promise<boolean> {
  const counted = await tx.query(sql`
    with store as (
      update memory_stores set bytes = bytes + ${bytes}
      where workspace_id = ${workspaceId} and id = ${storeId} and not is_complete returning 1
    )
    update memory_workspaces set bytes = bytes + ${bytes}, seq = seq + ${versions},
      written_at = greatest(written_at, ${at})
    where workspace_id = ${workspaceId} and exists (select from store) returning 1 as one`);
  return counted.length > 0;
}

export interface Bounds {
  /** Rows whose number is from this one on, and before that one. */
  seqMin: number;
  seqMax: number;
}

/** A version of a memory that had one before, though it is said to have been made; or one after its end. */
export async function findMisplaced(
  on: Queryable,
  storeId: string,
  { seqMin, seqMax }: Bounds,
): Promise<{ seq: number; operation: Operation } | undefined> {
  const [row] = await on.query<{ seq: number; operation: Operation }>(sql`
    select seq, operation from (
      select seq, operation,
        lag(operation) over (partition by memory_id order by seq) as before
      from memory_versions
      where store_id = ${storeId} and seq >= ${seqMin} and seq < ${seqMax}
    ) as step
    where before is not null and (operation = 'created' or before = 'deleted')
    order by seq limit 1`);
  return row;
}

export interface StepRow {
  id: string;
  memoryId: string;
  seq: number;
  operation: Operation;
  path: string | null;
  sha256: string | null;
  bytes: number | null;
  createdAt: Date;
  at: string;
  redactedAt: Date | null;
}

export function listSteps(
  on: Queryable,
  storeId: string,
  { seqMin, seqMax, from, rows }: Bounds & { from: { at: string; seq: number }; rows: number },
): Promise<StepRow[]> {
  return on.query<StepRow>(sql`
    select id, memory_id as "memoryId", seq, operation, path, content_sha256 as sha256, bytes,
      created_at as "createdAt", created_at::text as at, redacted_at as "redactedAt"
    from memory_versions
    where store_id = ${storeId} and seq >= ${seqMin} and seq < ${seqMax}
      and (created_at, seq) > (${from.at}::timestamptz, ${from.seq}::bigint)
    order by created_at, seq limit ${rows}`);
}

/** In the order of the ids, after the last number of the workspace. */
export async function number(
  tx: Tx,
  storeId: string,
  { seq, ids }: { seq: number; ids: readonly string[] },
): Promise<void> {
  await tx.query(sql`
    update memory_versions as version set seq = ${seq}::bigint + given.number
    from unnest(${textArray(ids)}::text[]) with ordinality as given (id, number)
    where version.store_id = ${storeId} and version.id = given.id`);
}

export interface ImportedFileRow {
  id: string;
  memoryId: string;
  operation: Operation;
  path: string;
}

/** Files become versions, as if they had been written at this moment. */
export async function writeFiles(
  tx: Tx,
  { storeId, at }: Import,
  { seq, files }: { seq: number; files: readonly ImportedFileRow[] },
): Promise<void> {
  await tx.query(sql`
    update memory_versions as version set seq = ${seq}::bigint + given.number,
      memory_id = given.memory_id, operation = given.operation, path = given.path,
      created_at = ${at}, imported_at = null, imported_by_type = null, imported_by_id = null
    from unnest(
      ${textArray(files.map(({ id }) => id))}::text[],
      ${textArray(files.map(({ memoryId }) => memoryId))}::text[],
      ${textArray(files.map(({ operation }) => operation))}::text[],
      ${textArray(files.map(({ path }) => path))}::text[]
    ) with ordinality as given (id, memory_id, operation, path, number)
    where version.store_id = ${storeId} and version.id = given.id`);
}

/** Their words are found later, as those of any memory. */
export async function insertHeads(
  tx: Tx,
  workspaceId: string,
  heads: readonly LiveMemory[],
): Promise<void> {
  const of = (read: (head: LiveMemory) => string) => textArray(heads.map(read));
  await tx.query(sql`
    insert into memories (id, store_id, workspace_id, path, version_id, content_sha256, bytes,
      created_at, updated_at)
    select id, store_id, ${workspaceId}::text, path, version_id, sha256, bytes, created_at,
      updated_at
    from unnest(
      ${of(({ id }) => id)}::text[],
      ${of(({ storeId }) => storeId)}::text[],
      ${of(({ path }) => path)}::text[],
      ${of(({ versionId }) => versionId)}::text[],
      ${of(({ sha256 }) => sha256)}::text[],
      ${plainArray(heads.map(({ bytes }) => bytes))}::int[],
      ${of(({ createdAt }) => createdAt.toISOString())}::timestamptz[],
      ${of(({ updatedAt }) => updatedAt.toISOString())}::timestamptz[]
    ) as head (id, store_id, path, version_id, sha256, bytes, created_at, updated_at)`);
}

export interface Completion {
  id: string;
  name: string;
  description: string;
  metadata: Record<string, string>;
  memories: number;
}

/** From here on it is seen. False where it is gone. */
export async function complete(
  tx: Tx,
  workspaceId: string,
  { id, name, description, metadata, memories }: Completion,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update memory_stores set is_complete = true, name = ${name}, description = ${description},
      metadata = ${JSON.stringify(metadata)}, memories = ${memories}
    where workspace_id = ${workspaceId} and id = ${id} and not is_complete returning 1 as one`);
  return rows.length > 0;
}

/** Stores that an import began to fill and left: of all workspaces, oldest first. */
export function listLost(
  on: Queryable,
  before: Date,
  rows: number,
): Promise<{ id: string; workspaceId: string }[]> {
  return on.query(sql`
    select id, workspace_id as "workspaceId" from memory_stores
    where not is_complete and created_at < ${before} order by id limit ${rows}`);
}
