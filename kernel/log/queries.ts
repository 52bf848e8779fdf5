// The statements of the event log.
import type { Queryable } from "../sql/database.ts";
import { preparedAs, sql } from "../sql/statement.ts";

export interface EventRow {
  position: number;
  type: string;
  data: unknown;
  at: Date;
}

/**
 * Moves the head and inserts the events in one statement; the head's row lock lasts until the commit, so
 * positions have no gaps and become visible in order. No row: the head is not at `expected`.
 */
export async function insertEvents(
  queries: Queryable,
  stream: string,
  events: { types: string[]; data: string[]; at: Date; expected: number | null },
): Promise<number | undefined> {
  const rows = await queries.query<{ position: number }>(
    preparedAs(
      "log_insert_events",
      sql`
        with head as (
          insert into log_streams (stream, position)
          select ${stream}::text, ${events.types.length}::bigint
          where coalesce(${events.expected}::bigint, 0) = 0
            or exists (select from log_streams where stream = ${stream}::text)
          on conflict (stream) do update
            set position = log_streams.position + excluded.position
            where ${events.expected}::bigint is null
              or log_streams.position = ${events.expected}::bigint
          returning position
        ), inserted as (
          insert into log_events (stream, position, type, data, at)
          select ${stream}::text, head.position - ${events.types.length}::bigint + event.number,
            event.type, event.data, ${events.at}::timestamptz
          from head, unnest(${events.types}::text[], ${events.data}::json[])
            with ordinality as event (type, data, number)
        )
        select position from head`,
    ),
  );
  return rows[0]?.position;
}

export function selectEvents(
  queries: Queryable,
  stream: string,
  after: number,
  limit: number,
): Promise<EventRow[]> {
  return queries.query<EventRow>(
    preparedAs(
      "log_select_events",
      sql`
        select position, type, data, at
        from log_events
        where stream = ${stream} and position > ${after}
        order by position
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
