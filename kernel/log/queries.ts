// The statements of the event log.
import type { Queryable, Tx } from "../sql/database.ts";
import { preparedAs, sql } from "../sql/statement.ts";

export type Order = "oldest_first" | "newest_first";

export interface EventRow {
  /** Null where the appender gave none. */
  id: string | null;
  position: number;
  type: string;
  data: unknown;
  /** Of the data as text. */
  bytes: number;
  at: Date;
  processedAt: Date | null;
}

export interface NewRows {
  ids: (string | null)[];
  types: string[];
  data: string[];
  bytes: number[];
  processed: (Date | null)[];
  at: Date;
  expected: number | null;
}

/**
 * Moves the head and inserts the events in one statement; the head's row lock lasts until the commit, so
 * positions have no gaps and become visible in order. No row: the head is not at `expected`.
 */
export async function insertEvents(
  queries: Queryable,
  stream: string,
  { ids, types, data, bytes, processed, at, expected }: NewRows,
): Promise<number | undefined> {
  const rows = await queries.query<{ position: number }>(
    preparedAs(
      "log_insert_events",
      sql`
        with head as (
          insert into log_streams (stream, position)
          select ${stream}::text, ${types.length}::bigint
          where coalesce(${expected}::bigint, 0) = 0
            or exists (select from log_streams where stream = ${stream}::text)
          on conflict (stream) do update
            set position = log_streams.position + excluded.position
            where ${expected}::bigint is null
              or log_streams.position = ${expected}::bigint
          returning position
        ), inserted as (
          insert into log_events (stream, position, id, type, data, bytes, at, processed_at)
          select ${stream}::text, head.position - ${types.length}::bigint + event.number,
            event.id, event.type, event.data, event.bytes, ${at}::timestamptz, event.processed_at
          from head, unnest(${ids}::text[], ${types}::text[], ${data}::json[], ${bytes}::integer[],
              ${processed}::timestamptz[])
            with ordinality as event (id, type, data, bytes, processed_at, number)
        )
        select position from head`,
    ),
  );
  return rows[0]?.position;
}

const columns = sql`id, position, type, data, bytes, at, processed_at as "processedAt"`;
const rowColumns = sql`id, position, type, data, bytes, at, processed_at`;

export interface EventRange {
  after: number;
  before: number;
  types: readonly string[] | undefined;
  order: Order;
  limit: number;
  bytesMax: number;
}

/** Ends with the event that reaches `bytesMax`. */
export function selectEvents(
  queries: Queryable,
  stream: string,
  { after, before, types, order, limit, bytesMax }: EventRange,
): Promise<EventRow[]> {
  const direction = order === "oldest_first" ? sql`asc` : sql`desc`;
  const between = sql`stream = ${stream} and position > ${after} and position < ${before}`;
  // Each type by its own part of the index: among 100,000 events the two of a rare type cost no walk over all.
  const events =
    types === undefined
      ? sql`log_events where ${between}`
      : sql`unnest(${types}::text[]) as wanted (name) cross join lateral (
          select ${rowColumns} from log_events where ${between} and type = wanted.name
          order by position ${direction} limit ${limit}) as event`;
  const name = `log_select_${order}${types === undefined ? "" : "_of_types"}`;
  return queries.query<EventRow>(
    preparedAs(
      name,
      sql`
        select ${columns} from (
          select ${rowColumns}, sum(bytes) over (order by position ${direction}
            rows between unbounded preceding and 1 preceding) as bytes_before
          from ${events}
          order by position ${direction}
          limit ${limit}) as page
        where coalesce(bytes_before, 0) < ${bytesMax}
        order by position ${direction}`,
    ),
  );
}

export async function findEvent(
  queries: Queryable,
  stream: string,
  id: string,
): Promise<EventRow | undefined> {
  const rows = await queries.query<EventRow>(
    preparedAs(
      "log_find_event",
      sql`select ${columns} from log_events where stream = ${stream} and id = ${id}`,
    ),
  );
  return rows[0];
}

/** The positions that were not processed before. */
export async function setProcessed(
  tx: Tx,
  stream: string,
  positions: readonly number[],
  at: Date,
): Promise<number[]> {
  const rows = await tx.query<{ position: number }>(
    preparedAs(
      "log_set_processed",
      sql`
        update log_events set processed_at = ${at}
        where stream = ${stream} and position = any(${positions}::bigint[]) and processed_at is null
        returning position`,
    ),
  );
  return rows.map(({ position }) => position).sort((a, b) => a - b);
}

/** A place in the order of processing: events that were processed at one moment stand in the order of the stream. */
export interface ProcessedPlace {
  processedAt: Date;
  position: number;
}

export interface ProcessedRange {
  /** Both are not within it. */
  after: ProcessedPlace;
  before: ProcessedPlace;
  types: readonly string[] | undefined;
  order: Order;
  limit: number;
}

export function selectProcessed(
  queries: Queryable,
  stream: string,
  { after, before, types, order, limit }: ProcessedRange,
): Promise<EventRow[]> {
  const direction = order === "oldest_first" ? sql`asc` : sql`desc`;
  return queries.query<EventRow>(
    preparedAs(
      `log_select_processed_${order}`,
      sql`
        select ${columns} from log_events
        where stream = ${stream} and processed_at is not null
          and (processed_at, position) > (${after.processedAt}::timestamptz, ${after.position}::bigint)
          and (processed_at, position) < (${before.processedAt}::timestamptz, ${before.position}::bigint)
          and (${types ?? null}::text[] is null or type = any(${types ?? null}::text[]))
        order by processed_at ${direction}, position ${direction}
        limit ${limit}`,
    ),
  );
}

export function selectHeads(
  queries: Queryable,
  streams: string[],
): Promise<{ stream: string; position: number }[]> {
  return queries.query(
    preparedAs(
      "log_select_heads",
      sql`select stream, position from log_streams where stream = any(${streams}::text[])`,
    ),
  );
}

export async function deleteHead(queries: Queryable, stream: string): Promise<void> {
  await queries.query(sql`delete from log_streams where stream = ${stream}`);
}

export async function deleteEvents(queries: Queryable, stream: string): Promise<void> {
  await queries.query(sql`delete from log_events where stream = ${stream}`);
}

export interface SnapshotRow {
  position: number;
  state: unknown;
}

/** None where the stream is gone: its head is locked against being deleted until the commit. */
export async function insertSnapshot(
  tx: Tx,
  stream: string,
  { kind, position, state }: { kind: string; position: number; state: string },
): Promise<void> {
  await tx.query(
    preparedAs(
      "log_insert_snapshot",
      sql`
        insert into log_snapshots (stream, kind, position, state)
        select head.stream, ${kind}::text, ${position}::bigint, ${state}::json
        from log_streams as head
        where head.stream = ${stream} and head.position >= ${position}
        for key share of head
        on conflict (stream, kind, position) do nothing`,
    ),
  );
}

/** All but the newest. */
export async function deleteOldSnapshots(
  tx: Tx,
  stream: string,
  kind: string,
  kept: number,
): Promise<void> {
  await tx.query(
    preparedAs(
      "log_delete_old_snapshots",
      sql`
        delete from log_snapshots
        where stream = ${stream} and kind = ${kind} and position < (
          select min(position) from (
            select position from log_snapshots where stream = ${stream} and kind = ${kind}
            order by position desc limit ${kept}) as newest)`,
    ),
  );
}

export async function selectSnapshot(
  queries: Queryable,
  stream: string,
  kind: string,
  upTo: number,
): Promise<SnapshotRow | undefined> {
  const rows = await queries.query<SnapshotRow>(
    preparedAs(
      "log_select_snapshot",
      sql`
        select position, state from log_snapshots
        where stream = ${stream} and kind = ${kind} and position <= ${upTo}
        order by position desc
        limit 1`,
    ),
  );
  return rows[0];
}

export async function deleteSnapshots(queries: Queryable, stream: string): Promise<void> {
  await queries.query(sql`delete from log_snapshots where stream = ${stream}`);
}
