// Statements about stores, and about what goes: redacted, deleted and old versions.
import type { Database, Queryable, Tx } from "../../../kernel/sql/database.ts";
import { preparedAs, sql } from "../../../kernel/sql/statement.ts";
import type { Author } from "../memories/apply.ts";
import { limits } from "../limits.ts";

export interface StoreRow {
  id: string;
  name: string;
  description: string;
  metadata: Record<string, string>;
  memories: number;
  bytes: number;
  createdAt: Date;
  updatedAt: Date;
  archivedAt: Date | null;
}

const columns = sql`id, name, description, metadata, memories, bytes, created_at as "createdAt",
  updated_at as "updatedAt", archived_at as "archivedAt"`;

export async function findStore(
  on: Queryable,
  workspaceId: string,
  id: string,
): Promise<StoreRow | undefined> {
  const [row] = await on.query<StoreRow>(
    preparedAs(
      "memory_find_store",
      sql`select ${columns} from memory_stores
        where workspace_id = ${workspaceId} and id = ${id} and is_complete`,
    ),
  );
  return row;
}

export interface StoreFilter {
  includesArchived: boolean;
  from: Date | null;
  to: Date | null;
  /** Older than this one. */
  before: string | null;
  rows: number;
}

export function listStores(
  on: Queryable,
  workspaceId: string,
  { includesArchived, from, to, before, rows }: StoreFilter,
): Promise<StoreRow[]> {
  return on.query<StoreRow>(
    preparedAs(
      "memory_list_stores",
      sql`select ${columns} from memory_stores
        where workspace_id = ${workspaceId} and is_complete
          and (${includesArchived} or archived_at is null)
          and (${from}::timestamptz is null or created_at >= ${from})
          and (${to}::timestamptz is null or created_at <= ${to})
          and (${before}::text is null or id < ${before})
        order by id desc limit ${rows}`,
    ),
  );
}

export interface NewStore extends Pick<StoreRow, "id" | "name" | "description" | "metadata"> {
  organizationId: string;
  isComplete: boolean;
  createdAt: Date;
}

export async function insertStore(tx: Tx, workspaceId: string, store: NewStore): Promise<void> {
  await tx.query(sql`
    insert into memory_stores (id, organization_id, workspace_id, name, description, metadata,
      memories, bytes, is_complete, created_at, updated_at)
    values (${store.id}, ${store.organizationId}, ${workspaceId}, ${store.name},
      ${store.description}, ${JSON.stringify(store.metadata)}, 0, 0, ${store.isComplete},
      ${store.createdAt}, ${store.createdAt})`);
}

/** Of stores and of bytes: below zero where something goes. */
export async function addToWorkspace(
  tx: Tx,
  workspaceId: string,
  { stores = 0, bytes = 0 }: { stores?: number; bytes?: number },
): Promise<void> {
  await tx.query(sql`
    update memory_workspaces set stores = stores + ${stores}, bytes = bytes + ${bytes}
    where workspace_id = ${workspaceId}`);
}

export async function setStore(
  tx: Tx,
  workspaceId: string,
  id: string,
  { name, description, metadata, updatedAt }: Omit<StoreRow, "id" | "memories" | "bytes">,
): Promise<void> {
  await tx.query(sql`
    update memory_stores set name = ${name}, description = ${description},
      metadata = ${JSON.stringify(metadata)}, updated_at = greatest(${updatedAt}, updated_at)
    where workspace_id = ${workspaceId} and id = ${id}`);
}

export async function setArchived(
  tx: Tx,
  workspaceId: string,
  id: string,
  at: Date,
): Promise<void> {
  await tx.query(sql`
    update memory_stores set archived_at = greatest(${at}, created_at),
      updated_at = greatest(${at}, updated_at)
    where workspace_id = ${workspaceId} and id = ${id}`);
}

export async function deleteStore(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx.query(sql`
    with gone as (
      delete from memory_stores where workspace_id = ${workspaceId} and id = ${id} returning bytes
    )
    update memory_workspaces set stores = stores - 1, bytes = memory_workspaces.bytes - gone.bytes
    from gone where workspace_id = ${workspaceId}`);
}

/** Of a store that is gone: answers how many rows went. */
export async function deleteRemains(on: Queryable, storeId: string): Promise<number> {
  const [row] = await on.query<{ rows: number }>(sql`
    with live as (
      delete from memories where id in
        (select id from memories where store_id = ${storeId}
          order by path limit ${limits.sweptRowsMax})
      returning 1
    ), versions as (
      delete from memory_versions where id in
        (select id from memory_versions where store_id = ${storeId}
          order by created_at, seq limit ${limits.sweptRowsMax})
      returning 1
    )
    select (select count(*) from live)::int + (select count(*) from versions)::int as rows`);
  return row?.rows ?? 0;
}

export interface LockedVersion {
  createdAt: Date;
  isRedacted: boolean;
  isHead: boolean;
}

export async function lockVersion(
  tx: Tx,
  workspaceId: string,
  storeId: string,
  id: string,
): Promise<LockedVersion | undefined> {
  const [row] = await tx.query<LockedVersion>(sql`
    select version.created_at as "createdAt", version.redacted_at is not null as "isRedacted",
      exists (
        select from memories as memory
        where memory.id = version.memory_id and memory.version_id = version.id
      ) as "isHead"
    from memory_versions as version join memory_stores as store on store.id = version.store_id
    where store.workspace_id = ${workspaceId} and store.id = ${storeId} and store.is_complete
      and version.id = ${id}
    for no key update of version`);
  return row;
}

export interface Redaction {
  id: string;
  storeId: string;
  at: Date;
  author: Author;
  reason: string | null;
}

export async function redact(
  tx: Tx,
  workspaceId: string,
  { id, storeId, at, author, reason }: Redaction,
): Promise<void> {
  await tx.query(sql`
    with before as (select coalesce(bytes, 0) as bytes from memory_versions where id = ${id}),
    scrubbed as (
      update memory_versions set path = null, content = null, content_sha256 = null, bytes = null,
        redacted_at = ${at}, redacted_by_type = ${author.type}, redacted_by_id = ${author.id},
        redaction_reason = ${reason}
      where store_id = ${storeId} and id = ${id}
    ), lighter as (
      update memory_stores set bytes = memory_stores.bytes - before.bytes
      from before where id = ${storeId}
    )
    update memory_workspaces set bytes = memory_workspaces.bytes - before.bytes
    from before where workspace_id = ${workspaceId}`);
}

/**
 * Frees the rows that scrubbed versions stood in, and makes the indexes of words and paths anew, which keep what they
 * had: until then it is in the database's files. False while another process does it.
 */
export const freeScrubbed = (on: Database): Promise<boolean> =>
  on.maintain({
    name: "memory: free what was scrubbed",
    statements: [
      sql`vacuum memory_versions, memories`,
      // Of an attempt that was broken off.
      sql`drop index concurrently if exists memories_search_ccnew`,
      sql`drop index concurrently if exists memories_by_path_ccnew`,
      sql`reindex index concurrently memories_search`,
      sql`reindex index concurrently memories_by_path`,
    ],
    msMax: limits.vacuumMsMax,
  });

/** Stores by id, of all workspaces. */
export function listAllStores(
  on: Queryable,
  after: string,
  rows: number,
): Promise<{ id: string; workspaceId: string }[]> {
  return on.query(sql`
    select id, workspace_id as "workspaceId" from memory_stores
    where id > ${after} and is_complete order by id limit ${rows}`);
}

export interface Sweep {
  storeId: string;
  /** Versions written before go. */
  before: Date;
  /** Where the sweep goes on. */
  from: { at: string; seq: number };
}

export interface Swept {
  /** The last version that was looked at; null where there was none. */
  at: string | null;
  seq: number | null;
  bytes: number;
}

/**
 * Looks at so many old versions of a store, and deletes those that nothing keeps. The bytes of a store that is
 * gone were taken from its workspace when it went.
 */
export async function deleteOldVersions(
  tx: Tx,
  workspaceId: string,
  { storeId, before, from }: Sweep,
): Promise<Swept> {
  const [row] = await tx.query<Swept>(sql`
    with old as (
      select id, memory_id, seq, created_at, bytes, imported_at from memory_versions
      where store_id = ${storeId} and created_at < ${before}
        and (created_at, seq) > (${from.at}::timestamptz, ${from.seq}::bigint)
      order by created_at, seq limit ${limits.sweptRowsMax}
    ), gone as (
      delete from memory_versions where id in (
        select old.id from old
        where (old.imported_at is null or old.imported_at < ${before})
          and not exists (
            select from memories as memory where memory.id = old.memory_id
              and old.seq >= coalesce((
                select newer.seq from memory_versions as newer
                where newer.store_id = ${storeId} and newer.memory_id = old.memory_id
                order by newer.seq desc offset ${limits.versionsAlwaysKept - 1} limit 1), 0)
          )
      ) returning bytes
    ), freed as (select coalesce(sum(bytes), 0)::bigint as bytes from gone),
    of_store as (
      update memory_stores set bytes = memory_stores.bytes - freed.bytes from freed
      where id = ${storeId} and freed.bytes > 0
      returning freed.bytes
    ), of_workspace as (
      update memory_workspaces set bytes = memory_workspaces.bytes - of_store.bytes from of_store
      where workspace_id = ${workspaceId}
    )
    select last.at, last.seq, freed.bytes from freed left join (
      select created_at::text as at, seq from old order by created_at desc, seq desc limit 1
    ) as last on true`);
  return row ?? { at: null, seq: null, bytes: 0 };
}
