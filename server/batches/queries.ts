// Statements about batches as their callers see them.
import type { PageWindow } from "../../kernel/http/pages.ts";
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { preparedAs, sql, type Statement } from "../../kernel/sql/statement.ts";
import type { Outcome, ResultType, Tally } from "./schema.ts";

export type BatchState = "in_progress" | "canceling" | "ended";

export interface BatchRow extends Tally {
  id: string;
  state: BatchState;
  requests: number;
  createdAt: Date;
  expiresAt: Date;
  cancelInitiatedAt: Date | null;
  endedAt: Date | null;
  /** Set when its results were taken away. */
  emptiedAt: Date | null;
}

const tally: Statement = sql`
  coalesce(done.succeeded, 0)::int as succeeded, coalesce(done.errored, 0)::int as errored,
  coalesce(done.canceled, 0)::int as canceled, coalesce(done.expired, 0)::int as expired`;

const columns: Statement = sql`
  batch.id, batch.state, batch.requests, batch.created_at as "createdAt",
  batch.expires_at as "expiresAt", batch.cancel_initiated_at as "cancelInitiatedAt",
  batch.ended_at as "endedAt", batch.emptied_at as "emptiedAt", ${tally}`;

/** The counts of all processes that write results of the batch, together. */
const done: Statement = sql`
  left join lateral (
    select sum(succeeded) as succeeded, sum(errored) as errored, sum(canceled) as canceled,
      sum(expired) as expired
    from batch_segments where batch_segments.batch_id = batch.id
  ) as done on true`;

export async function findBatch(
  on: Queryable,
  workspaceId: string,
  id: string,
): Promise<BatchRow | undefined> {
  const [row] = await on.query<BatchRow>(
    preparedAs(
      "batches_find",
      sql`select ${columns} from batches as batch ${done}
        where batch.workspace_id = ${workspaceId} and batch.id = ${id}`,
    ),
  );
  return row;
}

export function listBatches(
  on: Queryable,
  workspaceId: string,
  window: PageWindow,
): Promise<BatchRow[]> {
  const order = window.before === null ? sql`batch.id desc` : sql`batch.id asc`;
  return on.query<BatchRow>(sql`
    select ${columns} from batches as batch ${done}
    where batch.workspace_id = ${workspaceId}
      and (${window.after}::text is null or batch.id < ${window.after})
      and (${window.before}::text is null or batch.id > ${window.before})
    order by ${order}
    limit ${window.rows}`);
}

export interface NewBatch {
  id: string;
  organizationId: string;
  workspaceId: string;
  credentialId: string;
  userId: string | null;
  betas: readonly string[];
  requests: number;
  bodyBytes: number;
  chunks: number;
  createdAt: Date;
  expiresAt: Date;
}

/** `served_at` is long ago: what is new goes first. */
export async function insertBatch(tx: Tx, batch: NewBatch): Promise<void> {
  await tx.query(sql`
    insert into batches (id, organization_id, workspace_id, credential_id, user_id, betas, state,
      requests, body_bytes, chunks_left, created_at, expires_at, served_at)
    values (${batch.id}, ${batch.organizationId}, ${batch.workspaceId}, ${batch.credentialId},
      ${batch.userId}, ${batch.betas}, 'in_progress', ${batch.requests}, ${batch.bodyBytes},
      ${batch.chunks}, ${batch.createdAt}, ${batch.expiresAt}, 'epoch')`);
}

export interface NewChunk {
  id: string;
  firstIndex: number;
  start: number;
  customIds: readonly string[];
  lengths: readonly number[];
  /** By position in the chunk. */
  faults: Readonly<Record<number, string>> | null;
}

/** Arrays within an array have one length each in PostgreSQL, so they travel as JSON. */
export async function insertChunks(
  tx: Tx,
  batchId: string,
  chunks: readonly NewChunk[],
): Promise<void> {
  await tx.query(
    preparedAs(
      "batches_insert_chunks",
      sql`insert into batch_chunks (id, batch_id, first_index, start, custom_ids, lengths, faults)
        select id, ${batchId}::text, "firstIndex", start, "customIds", lengths, faults
        from json_to_recordset(${JSON.stringify(chunks)}::json) as chunk
          (id text, "firstIndex" int, start bigint, "customIds" text[], lengths int[], faults json)`,
    ),
  );
}

/** Locked against its end, its cancellation and its deletion. */
export async function lockState(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<BatchState | undefined> {
  const [row] = await tx.query<{ state: BatchState }>(sql`
    select state from batches where workspace_id = ${workspaceId} and id = ${id}
    for no key update`);
  return row?.state;
}

/** Never before its creation, wherever the clock has jumped meanwhile. */
export async function setCanceling(
  tx: Tx,
  workspaceId: string,
  id: string,
  at: Date,
): Promise<void> {
  await tx.query(sql`
    update batches set state = 'canceling',
      cancel_initiated_at = greatest(${at}::timestamptz, created_at)
    where workspace_id = ${workspaceId} and id = ${id}`);
}

/** Answers how many files of results were begun. */
export async function deleteBatch(tx: Tx, workspaceId: string, id: string): Promise<number> {
  const [row] = await tx.query<{ segments: number }>(sql`
    delete from batches where workspace_id = ${workspaceId} and id = ${id} returning segments`);
  return row?.segments ?? 0;
}

export interface Segment {
  segment: number;
  bytes: number;
}

export function listSegments(on: Queryable, batchId: string): Promise<Segment[]> {
  return on.query<Segment>(sql`
    select segment, bytes from batch_segments where batch_id = ${batchId} order by segment`);
}

export interface ResultRow {
  index: number;
  customId: string;
  type: ResultType;
  isRefusal: boolean;
  segment: number;
  start: number;
  length: number;
}

export interface ResultFilter {
  outcomes: readonly Outcome[];
  /** What the custom id holds; empty: anything. */
  search: string;
  /** This one alone; empty: any. */
  customId: string;
  /** Of requests that stand behind this one. */
  after: number;
  rows: number;
}

export function listResults(
  on: Queryable,
  batchId: string,
  { outcomes, search, customId, after, rows }: ResultFilter,
): Promise<ResultRow[]> {
  return on.query<ResultRow>(sql`
    select index, custom_id as "customId", type, is_refusal as "isRefusal", segment, start, length
    from batch_results
    where batch_id = ${batchId} and index > ${after} 
      and case when is_refusal then 'refused' else type end = any(${outcomes}::text[])
      and (${search}::text = '' or position(${search}::text in custom_id) > 0)
      and (${customId}::text = '' or custom_id = ${customId})
    order by index
    limit ${rows}`);
}
