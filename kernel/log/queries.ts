// The statements of the event log.
import type { Queryable, Tx } from "../sql/database.ts";
import { givenRows } from "../sql/rows/given-rows.ts";
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
  /** A count of 0 is only looked at. Expected of null: wherever it stands. */
  streams: { stream: string; count: number; expected: number | null }[];
  /** Each with the index of its stream, and its number among what that gets. */
  events: (Omit<EventRow, "position" | "at" | "data"> & {
    index: number;
    number: number;
    data: string;
  })[];
  at: Date;
}

/**
 * Moves the heads and inserts the events in one statement; the row lock of a head lasts until the commit, so
 * positions have no gaps and become visible in order. Answers where each stands; null: it was not at `expected`.
 */
export async function insertEvents(
  queries: Queryable,
  { streams, events, at }: NewRows,
): Promise<(number | null)[]> {
  const column = <Key extends keyof NewRows["events"][0]>(key: Key) =>
    events.map((each) => each[key]);
  const rows = await queries.query<{ position: number | null }>(
    preparedAs(
      "log_insert_events",
      sql`
        with asked as materialized (
          select index, stream, count, expected from ${givenRows("asked", {
            index: ["integer", streams.map((_, index) => index)],
            stream: ["text", streams.map(({ stream }) => stream)],
            count: ["bigint", streams.map(({ count }) => count)],
            expected: ["bigint", streams.map(({ expected }) => expected)],
          })}
        ), moved as (
          insert into log_streams as head (stream, position)
          select stream, count from asked
          where count > 0 and (coalesce(expected, 0) = 0
            or exists (select from log_streams where log_streams.stream = asked.stream))
          order by stream
          on conflict (stream) do update
            set position = head.position + excluded.position
            where coalesce((select expected from asked where asked.stream = excluded.stream), head.position)
              = head.position
          returning stream, position
        ), inserted as (
          insert into log_events (stream, position, id, type, data, bytes, at, processed_at)
          select moved.stream, moved.position - asked.count + event.number,
            event.id, event.type, event.data, event.bytes, ${at}::timestamptz, event.processed_at
          from ${givenRows("event", {
            index: ["integer", column("index")],
            number: ["integer", column("number")],
            id: ["text", column("id")],
            type: ["text", column("type")],
            data: ["json", column("data")],
            bytes: ["integer", column("bytes")],
            processed_at: ["timestamptz", column("processedAt")],
          })}
          join asked on asked.index = event.index
          join moved on moved.stream = asked.stream
        )
        select case when asked.count > 0 then moved.position
          else coalesce((select position from log_streams where log_streams.stream = asked.stream), 0)
          end as position
        from asked left join moved on moved.stream = asked.stream
        order by asked.index`,
    ),
  );
  return rows.map(({ position }) => position);
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

/** Those that were not processed before. */
export function setProcessed(
  tx: Tx,
  events: readonly { stream: string; position: number; at: Date }[],
): Promise<{ stream: string; position: number }[]> {
  return tx.query<{ stream: string; position: number }>(
    preparedAs(
      "log_set_processed",
      sql`
        update log_events as event set processed_at = asked.at
        from ${givenRows("asked", {
          stream: ["text", events.map(({ stream }) => stream)],
          position: ["bigint", events.map(({ position }) => position)],
          at: ["timestamptz", events.map(({ at }) => at)],
        })}
        where event.stream = asked.stream and event.position = asked.position and event.processed_at is null
        returning event.stream, event.position`,
    ),
  );
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

/** One without events. */
export async function insertHead(tx: Tx, stream: string): Promise<void> {
  await tx.query(
    preparedAs("log_open", sql`insert into log_streams (stream, position) values (${stream}, 0)`),
  );
}

/** Of those with an id: no client waits for the others. */
export async function countWaiting(
  on: Queryable,
  stream: string,
  types: readonly string[],
): Promise<number> {
  const [row] = await on.query<{ count: number }>(
    preparedAs(
      "log_count_waiting",
      sql`select count(*)::integer as count from log_events
        where stream = ${stream} and processed_at is null and id is not null
          and type = any(${types}::text[])`,
    ),
  );
  return row?.count ?? 0;
}

export async function listWaiting(on: Queryable, stream: string): Promise<number[]> {
  const rows = await on.query<{ position: number }>(
    preparedAs(
      "log_list_waiting",
      sql`select position from log_events
        where stream = ${stream} and processed_at is null and id is not null order by position`,
    ),
  );
  return rows.map(({ position }) => position);
}

export async function deleteHead(queries: Queryable, stream: string): Promise<void> {
  await queries.query(sql`delete from log_streams where stream = ${stream}`);
}

export async function deleteEvents(queries: Queryable, stream: string): Promise<void> {
  await queries.query(sql`delete from log_events where stream = ${stream}`);
}
