// The statements of snapshots.
import type { Queryable, Tx } from "../sql/database.ts";
import { preparedAs, sql } from "../sql/statement.ts";

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
