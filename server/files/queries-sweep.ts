// Statements of the sweep: files whose time is over, and blobs that no row knows.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import type { RemovedFile } from "./queries.ts";

/** Expired with their bytes still there, the longest expired first. */
export async function listExpired(on: Queryable, now: Date, rows: number): Promise<string[]> {
  const found = await on.query<{ id: string }>(sql`
    select id from files
    where expires_at <= ${now} and sha256 is not null
    order by expires_at limit ${rows}`);
  return found.map(({ id }) => id);
}

/** Undefined where another process was here before. */
export async function emptyFile(
  tx: Tx,
  id: string,
): Promise<(RemovedFile & { workspaceId: string }) | undefined> {
  const [row] = await tx.query<RemovedFile & { workspaceId: string }>(sql`
    update files set sha256 = null
    from (select id, sha256 from files where id = ${id} and sha256 is not null for update) as was
    where files.id = was.id
    returning files.organization_id as "organizationId", files.workspace_id as "workspaceId",
      files.bytes, was.sha256`);
  return row;
}

/** Answers how many there were: no statement takes more than these. */
export async function deleteEmptied(on: Queryable, before: Date, rows: number): Promise<number> {
  const gone = await on.query(sql`
    with old as (
      select id from files where expires_at <= ${before} and sha256 is null
      order by expires_at limit ${rows}
    )
    delete from files using old where files.id = old.id returning files.id`);
  return gone.length;
}

/** Which of these hold the bytes of no file. */
export async function listUnknown(on: Queryable, blobIds: readonly string[]): Promise<Set<string>> {
  const rows = await on.query<{ id: string }>(sql`
    select id from unnest(${blobIds}::text[]) as asked (id)
    where not exists (select from file_contents where file_contents.blob_id = asked.id)`);
  return new Set(rows.map(({ id }) => id));
}
