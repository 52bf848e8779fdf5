// The statements of a group of writes, under the lock of its workspace.
import { plainArray, textArray } from "../../../kernel/sql/rows/arrays.ts";
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { preparedAs, sql } from "../../../kernel/sql/statement.ts";
import type { AppliedWrites, WorkspaceState, LiveMemory, StoreState } from "./apply.ts";

export interface WorkspaceRow {
  stores: number;
  bytes: number;
  seq: number;
  writtenAt: Date;
}

/** The transaction that holds it is the only one that writes to the stores of the workspace. */
export async function lockWorkspace(
  tx: Tx,
  workspaceId: string,
): Promise<WorkspaceRow | undefined> {
  const [row] = await tx.query<WorkspaceRow>(
    preparedAs(
      "memory_lock_workspace",
      sql`select stores, bytes, seq, written_at as "writtenAt" from memory_workspaces
        where workspace_id = ${workspaceId} for no key update`,
    ),
  );
  return row;
}

export async function addWorkspace(tx: Tx, workspaceId: string): Promise<void> {
  await tx.query(sql`
    insert into memory_workspaces (workspace_id, stores, bytes, seq, written_at)
    values (${workspaceId}, 0, 0, 0, 'epoch')
    on conflict do nothing`);
}

export interface LoadedStore extends StoreState {
  id: string;
}

export function loadStores(
  on: Queryable,
  workspaceId: string,
  ids: readonly string[],
): Promise<LoadedStore[]> {
  return on.query<LoadedStore>(
    preparedAs(
      "memory_load_stores",
      sql`select id, archived_at is not null as "isArchived", memories, bytes from memory_stores
        where workspace_id = ${workspaceId} and id = any(${textArray(ids)}::text[]) and is_complete`,
    ),
  );
}

export interface Wanted {
  memoryIds: readonly string[];
  /** Paths that must be free, or be a memory's, each with its store. */
  paths: readonly { storeId: string; path: string }[];
  /** Paths under which nothing may stand, each with its store. */
  folders: readonly { storeId: string; path: string }[];
  /** Of each folder: more than the group can take away, so that none is missed. */
  belowMax: number;
}

/** The memories that a group writes, and those that may be in its way. */
export function loadHeads(on: Queryable, wanted: Wanted): Promise<LiveMemory[]> {
  const { memoryIds, paths, folders, belowMax } = wanted;
  const arrays = (of: typeof paths) => ({
    stores: textArray(of.map(({ storeId }) => storeId)),
    paths: textArray(of.map(({ path }) => path)),
  });
  const [exact, above] = [arrays(paths), arrays(folders)];
  return on.query<LiveMemory>(
    preparedAs(
      "memory_load_heads",
      sql`with found as (
          select id from memories where id = any(${textArray(memoryIds)}::text[])
          union
          select memory.id
          from unnest(${exact.stores}::text[], ${exact.paths}::text[]) as want (store_id, path)
          join memories as memory using (store_id, path)
          union
          select below.id
          from unnest(${above.stores}::text[], ${above.paths}::text[]) as want (store_id, path),
            lateral (
              select id from memories as memory
              where memory.store_id = want.store_id
                and memory.path > want.path || '/' and memory.path < want.path || '0'
              order by memory.path limit ${belowMax}
            ) as below
        )
        select id, store_id as "storeId", path, version_id as "versionId",
          content_sha256 as sha256, bytes, created_at as "createdAt", updated_at as "updatedAt"
        from found join memories using (id)`,
    ),
  );
}

/** Those that are gone, and those that move: a path is free before it is taken again. */
export async function removeHeads(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query(
    preparedAs(
      "memory_remove_heads",
      sql`delete from memories where id = any(${textArray(ids)}::text[])`,
    ),
  );
}

export interface WriteGroup {
  workspaceId: string;
  now: Date;
  /** Of the last version before this group. */
  seq: number;
  state: WorkspaceState;
  applied: AppliedWrites;
}

/** Of versions that keep the text of the one before. */
export async function loadTexts(
  on: Queryable,
  versionIds: readonly string[],
): Promise<Map<string, string | null>> {
  const rows = await on.query<{ id: string; content: string | null }>(sql`
    select id, content from memory_versions where id = any(${textArray(versionIds)}::text[])`);
  return new Map(rows.map(({ id, content }) => [id, content]));
}

/** Versions, heads and counts in one statement. */
export async function writeGroup(tx: Tx, group: WriteGroup): Promise<void> {
  const { workspaceId, now, seq, state, applied } = group;
  const { versions } = applied;
  const heads = [...applied.touched].flatMap((id) => state.heads.get(id) ?? []);
  const stores = [...new Set(versions.map(({ storeId }) => storeId))];
  const of = <T>(read: (version: (typeof versions)[number]) => T) => versions.map(read);
  await tx.query(
    preparedAs(
      "memory_write_group",
      sql`with written as (
          insert into memory_versions (id, store_id, memory_id, seq, operation, path, content,
            content_sha256, bytes, created_at, actor_type, actor_id)
          select given.id, store_id, memory_id, ${seq}::bigint + number, operation, path, content,
            sha256, bytes, ${now}::timestamptz, actor_type, actor_id
          from unnest(
            ${textArray(of(({ id }) => id))}::text[],
            ${textArray(of(({ storeId }) => storeId))}::text[],
            ${textArray(of(({ memoryId }) => memoryId))}::text[],
            ${textArray(of(({ operation }) => operation))}::text[],
            ${textArray(of(({ path }) => path))}::text[],
            ${textArray(of(({ text }) => text))}::text[],
            ${textArray(of(({ sha256 }) => sha256))}::text[],
            ${of(({ bytes }) => bytes)}::int[],
            ${textArray(of(({ author }) => author?.type ?? null))}::text[],
            ${textArray(of(({ author }) => author?.id ?? null))}::text[]
          ) with ordinality as given (id, store_id, memory_id, operation, path, content,
            sha256, bytes, actor_type, actor_id, number)
        ), headed as (
          insert into memories (id, store_id, workspace_id, path, version_id, content_sha256, bytes,
            created_at, updated_at)
          select id, store_id, ${workspaceId}::text, path, version_id, sha256, bytes, created_at,
            updated_at
          from unnest(
            ${textArray(heads.map(({ id }) => id))}::text[],
            ${textArray(heads.map(({ storeId }) => storeId))}::text[],
            ${textArray(heads.map(({ path }) => path))}::text[],
            ${textArray(heads.map(({ versionId }) => versionId))}::text[],
            ${textArray(heads.map(({ sha256 }) => sha256))}::text[],
            ${plainArray(heads.map(({ bytes }) => bytes))}::int[],
            ${textArray(heads.map(({ createdAt }) => createdAt.toISOString()))}::timestamptz[],
            ${textArray(heads.map(({ updatedAt }) => updatedAt.toISOString()))}::timestamptz[]
          ) as head (id, store_id, path, version_id, sha256, bytes, created_at, updated_at)
          on conflict (id) do update set version_id = excluded.version_id,
            content_sha256 = excluded.content_sha256, bytes = excluded.bytes,
            updated_at = excluded.updated_at, search = null
        ), counted as (
          update memory_stores as store set memories = given.memories, bytes = given.bytes
          from unnest(
            ${textArray(stores)}::text[],
            ${plainArray(stores.map((id) => state.stores.get(id)?.memories ?? 0))}::int[],
            ${plainArray(stores.map((id) => state.stores.get(id)?.bytes ?? 0))}::bigint[]
          ) as given (id, memories, bytes)
          where store.id = given.id
        )
        update memory_workspaces
        set seq = seq + ${versions.length}, bytes = ${state.bytes}, written_at = ${now}
        where workspace_id = ${workspaceId}`,
    ),
  );
}
