// Statements of mounts of stores.
import { textArray } from "../../../kernel/sql/rows/arrays.ts";
import type { Queryable } from "../../../kernel/sql/database.ts";
import { preparedAs, sql } from "../../../kernel/sql/statement.ts";

/** Of the last version in the workspace: whoever has seen it has seen all of the store. */
export async function findMark(
  on: Queryable,
  workspaceId: string,
  storeId: string,
): Promise<number | undefined> {
  const [row] = await on.query<{ seq: number }>(
    preparedAs(
      "memory_mount_mark",
      sql`select workspace.seq from memory_stores as store
          join memory_workspaces as workspace using (workspace_id)
        where store.workspace_id = ${workspaceId} and store.id = ${storeId} and store.is_complete`,
    ),
  );
  return row?.seq;
}

/** Those of these versions that the session has written. */
export async function findOwnVersions(
  on: Queryable,
  sessionId: string,
  versionIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await on.query<{ id: string }>(sql`
    select id from memory_versions
    where id = any(${textArray(versionIds)}::text[]) 
      and actor_type = 'session' and actor_id = ${sessionId}`);
  return new Set(rows.map(({ id }) => id));
}

/** Of those that are asked for: read once when a mount is taken over, not for each call. */
export async function findVersionsOf(
  on: Queryable,
  storeId: string,
  asked: readonly { path: string; sha256: string }[],
): Promise<ReadonlySet<string>> {
  const rows = await on.query<{ path: string; sha256: string }>(sql`
    select distinct asked.path, asked.sha256
    from unnest(
        ${textArray(asked.map(({ path }) => path))}::text[],
        ${textArray(asked.map(({ sha256 }) => sha256))}::text[]
      ) as asked (path, sha256)
      join memory_versions as version using (path)
    where version.store_id = ${storeId} and version.content_sha256 = asked.sha256`);
  return new Set(rows.map(({ path, sha256 }) => `${path} ${sha256}`));
}
