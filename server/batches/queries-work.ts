// Statements of the processes that work batches off: chunks are taken, held, and written back under their lease.
import { plainArray, textArray } from "../../kernel/sql/rows/arrays.ts";
import type { OrganizationType } from "../../kernel/context.ts";
import { leasable, type Lease } from "../../kernel/work/lease.ts";
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { preparedAs, sql } from "../../kernel/sql/statement.ts";
import type { BatchState } from "./queries.ts";
import type { ResultType, Tally } from "./schema.ts";

export const chunkLeases = leasable("batch_chunks");

export interface ChunkRow {
  batchId: string;
  firstIndex: number;
  start: number;
  customIds: string[];
  lengths: number[];
  /** By position in the chunk: what is wrong with it, or that tools of its MCP servers are being called. */
  faults: Record<number, string | typeof callsTools> | null;
}

/** Whatever became of these calls, they are not made a second time. */
export const callsTools = { calls_tools: true } as const;

/**
 * Chunks of the batch whose turn it is: that of the workspace that was served longest ago, and within it of the
 * batch that was. Chunks that others hold are passed by.
 */
export async function claimChunks(
  on: Queryable,
  owner: string,
  { leaseMs, except, most }: { leaseMs: number; except: readonly string[]; most: number },
): Promise<(ChunkRow & Lease)[]> {
  const taken = await chunkLeases.take<ChunkRow>(on, {
    name: "batches_claim",
    owner,
    leaseMs,
    picked: sql`
      select row.id from batch_chunks as row
      where not row.is_done
        and (row.lease_until is null or row.lease_until < statement_timestamp())
        and row.batch_id = (
          select batch.id
          from (
            select id, served_at, max(served_at) over (partition by workspace_id) as served
            from batches where state <> 'ended'
          ) as batch
          where not batch.id = any(${except}::text[]) and exists (
            select from batch_chunks as open
            where open.batch_id = batch.id and not open.is_done
              and (open.lease_until is null or open.lease_until < statement_timestamp())
          )
          order by batch.served, batch.served_at, batch.id
          limit 1
        )
      order by row.batch_id, row.id
      limit ${most}
      for no key update skip locked`,
    returning: sql`row.batch_id as "batchId", row.first_index as "firstIndex", row.start,
      row.custom_ids as "customIds", row.lengths, row.faults`,
  });
  const [first] = taken;
  if (first === undefined) return [];
  await on.query(
    preparedAs(
      "batches_served",
      sql`update batches set served_at = clock_timestamp() where id = ${first.batchId}`,
    ),
  );
  return taken.sort((a, b) => a.firstIndex - b.firstIndex);
}

/** Rule BAT35: what runs in a workspace that is archived is canceled. */
const effectiveState = sql`case when workspace.archived_at is not null
  and batch.state = 'in_progress' then 'canceling' else batch.state end`;

/** On whose behalf the requests of a batch run. */
export interface BatchOwner {
  organizationId: string;
  organizationType: OrganizationType;
  workspaceId: string;
  credentialId: string;
  userId: string | null;
  /** Who made the key that created it. */
  keyMakerId: string | null;
  betas: string[];
  expiresAt: Date;
  state: BatchState;
}

export async function findOwner(on: Queryable, batchId: string): Promise<BatchOwner | undefined> {
  const [row] = await on.query<BatchOwner>(
    preparedAs(
      "batches_owner",
      sql`select batch.organization_id as "organizationId", organization.type as "organizationType",
          batch.workspace_id as "workspaceId", batch.credential_id as "credentialId",
          batch.user_id as "userId", key.created_by as "keyMakerId", batch.betas,
          batch.expires_at as "expiresAt",
          ${effectiveState} as state
        from batches as batch
        join organizations as organization on organization.id = batch.organization_id
        join workspaces as workspace on workspace.id = batch.workspace_id
        left join keys as key on key.id = batch.credential_id
        where batch.id = ${batchId}`,
    ),
  );
  return row;
}

export async function listStates(
  on: Queryable,
  ids: readonly string[],
): Promise<Map<string, BatchState>> {
  const rows = await on.query<{ id: string; state: BatchState }>(
    preparedAs(
      "batches_states",
      sql`select batch.id, ${effectiveState} as state
        from batches as batch join workspaces as workspace on workspace.id = batch.workspace_id
        where batch.id = any(${ids}::text[])`,
    ),
  );
  return new Map(rows.map(({ id, state }) => [id, state]));
}

/** Which of these requests have their result. */
export async function listDone(
  on: Queryable,
  batchId: string,
  indexes: readonly number[],
): Promise<Set<number>> {
  const rows = await on.query<{ index: number }>(
    preparedAs(
      "batches_done",
      sql`select index from batch_results
        where batch_id = ${batchId} and index = any(${plainArray(indexes)}::int[])`,
    ),
  );
  return new Set(rows.map(({ index }) => index));
}

/** Under the lease of the chunk: a process that takes it from here on knows. */
export async function markToolCalls(tx: Tx, chunkId: string, position: number): Promise<void> {
  const mark = JSON.stringify({ [position]: callsTools });
  await tx.query(
    preparedAs(
      "batches_mark_tool_calls",
      sql`update batch_chunks
        set faults = (coalesce(faults::jsonb, '{}'::jsonb) || ${mark}::jsonb)::json
        where id = ${chunkId}`,
    ),
  );
}

/** A number that no other writer of this batch has. */
export async function takeSegment(on: Queryable, batchId: string): Promise<number> {
  const [row] = await on.query<{ segments: number }>(sql`
    update batches set segments = segments + 1 where id = ${batchId} returning segments`);
  if (row === undefined) throw new Error(`There is no batch ${batchId} any more.`);
  return row.segments;
}

export interface NewResult {
  index: number;
  customId: string;
  type: ResultType;
  isRefusal: boolean;
  start: number;
  length: number;
}

export interface SegmentState {
  segment: number;
  /** Of the file, up to the last of these results. */
  bytes: number;
}

/** Results, and how far their file is good; a second result of one request would be an error. */
export async function insertResults(
  tx: Tx,
  batchId: string,
  { segment, bytes }: SegmentState,
  results: readonly NewResult[],
): Promise<void> {
  const numbers = (of: (result: NewResult) => number) => plainArray(results.map(of));
  const tally = tallyOf(results);
  const refused = results.filter(({ isRefusal }) => isRefusal).length;
  await tx.query(
    preparedAs(
      "batches_insert_results",
      sql`with inserted as (
          insert into batch_results
            (batch_id, index, custom_id, type, is_refusal, segment, start, length)
          select ${batchId}::text, index, custom_id, type, is_refusal, ${segment}::int, start, length
          from unnest(${numbers(({ index }) => index)}::int[],
            ${textArray(results.map(({ customId }) => customId))}::text[],
            ${textArray(results.map(({ type }) => type))}::text[],
            ${plainArray(results.map(({ isRefusal }) => isRefusal))}::boolean[],
            ${numbers(({ start }) => start)}::bigint[], ${numbers(({ length }) => length)}::int[])
            as result (index, custom_id, type, is_refusal, start, length)
        )
        insert into batch_segments as row
          (batch_id, segment, bytes, succeeded, errored, canceled, expired, refused)
        values (${batchId}::text, ${segment}::int, ${bytes}::bigint, ${tally.succeeded}::int,
          ${tally.errored}::int, ${tally.canceled}::int, ${tally.expired}::int, ${refused}::int)
        on conflict (batch_id, segment) do update set bytes = excluded.bytes,
          succeeded = row.succeeded + excluded.succeeded,
          errored = row.errored + excluded.errored,
          canceled = row.canceled + excluded.canceled,
          expired = row.expired + excluded.expired,
          refused = row.refused + excluded.refused`,
    ),
  );
}

function tallyOf(results: readonly NewResult[]): Tally {
  const tally: Tally = { succeeded: 0, errored: 0, canceled: 0, expired: 0 };
  for (const { type } of results) tally[type]++;
  return tally;
}

/** Answers how many chunks of the batch are left. The batch's row stays locked, so that one is the last. */
export async function finishChunks(
  tx: Tx,
  batchId: string,
  chunks: readonly string[],
): Promise<number> {
  await tx.query(
    preparedAs(
      "batches_finish_chunks",
      sql`update batch_chunks set is_done = true, lease_owner = null, lease_until = null
        where id = any(${chunks}::text[])`,
    ),
  );
  const [row] = await tx.query<{ left: number }>(
    preparedAs(
      "batches_count_down",
      sql`update batches set chunks_left = chunks_left - ${chunks.length}::int
        where id = ${batchId} returning chunks_left as left`,
    ),
  );
  return row?.left ?? 0;
}

/** Never before what was before, wherever the clock has jumped meanwhile. */
export async function setEnded(tx: Tx, batchId: string, at: Date): Promise<void> {
  await tx.query(sql`
    update batches set state = 'ended',
      ended_at = greatest(${at}::timestamptz, created_at, cancel_initiated_at)
    where id = ${batchId}`);
}
