// Statements that read memories and their versions.
import { textArray } from "../../../kernel/sql/rows/arrays.ts";
import type { Queryable } from "../../../kernel/sql/database.ts";
import {
  empty,
  identifier,
  joinStatements,
  preparedAs,
  sql,
  type Statement,
} from "../../../kernel/sql/statement.ts";
import type { Author, LiveMemory } from "./apply.ts";
import type { Operation, View } from "../schema.ts";

export interface MemoryRow extends LiveMemory {
  content: string | null;
}

/** An item of a list, which knows its store. One that is rolled up has a path and nothing else. */
export type ItemRow = Omit<MemoryRow, "storeId" | "content"> & { content?: string | null };
export type FolderRow = { id: null; path: string };

const itemColumns = sql`memory.id, memory.path, memory.version_id as "versionId",
  memory.content_sha256 as sha256, memory.bytes, memory.created_at as "createdAt",
  memory.updated_at as "updatedAt"`;

const outNames = (alias: Statement, names: readonly string[]): Statement =>
  joinStatements(
    names.map((name) => sql`${alias}.${identifier(name)}`),
    ", ",
  );
const itemNames = "id path versionId sha256 bytes createdAt updatedAt".split(" ");

/** Texts are read where they are asked for only: they may be long. */
const textColumn = sql`
  (select content from memory_versions as head where head.id = memory.version_id) as content`;
const columnsOf = (view: View): Statement =>
  view === "full" ? sql`${itemColumns}, ${textColumn}` : itemColumns;
const namesOf = (view: View): readonly string[] =>
  view === "full" ? [...itemNames, "content"] : itemNames;

export interface MemoryKey {
  workspaceId: string;
  storeId: string;
  memoryId: string;
}

/** One answer for each key, in their order; each looked up by its id, whatever the planner knows of the tables. */
export async function findMemories(
  on: Queryable,
  keys: readonly MemoryKey[],
  view: View,
): Promise<(MemoryRow | undefined)[]> {
  const rows = await on.query<ItemRow & { place: number }>(
    preparedAs(
      `memory_find_${view}`,
      sql`select ${outNames(sql`memory`, namesOf(view))}, want.place::int
        from unnest(
            ${textArray(keys.map(({ workspaceId }) => workspaceId))}::text[],
            ${textArray(keys.map(({ storeId }) => storeId))}::text[],
            ${textArray(keys.map(({ memoryId }) => memoryId))}::text[]
          ) with ordinality as want (workspace_id, store_id, memory_id, place),
          lateral (
            select memory.store_id, ${columnsOf(view)} from memories as memory
            where memory.id = want.memory_id offset 0
          ) as memory,
          lateral (
            select workspace_id, is_complete from memory_stores as store
            where store.id = want.store_id offset 0
          ) as store
        where memory.store_id = want.store_id and store.workspace_id = want.workspace_id
          and store.is_complete`,
    ),
  );
  const found: (MemoryRow | undefined)[] = keys.map(() => undefined);
  for (const { place, content = null, ...row } of rows) {
    const key = keys[place - 1];
    if (key !== undefined) found[place - 1] = { ...row, content, storeId: key.storeId };
  }
  return found;
}

export async function findText(on: Queryable, versionId: string): Promise<string | null> {
  const [row] = await on.query<{ content: string | null }>(
    sql`select content from memory_versions where id = ${versionId}`,
  );
  return row?.content ?? null;
}

export interface PathWindow {
  workspaceId: string;
  /** Paths from this one on, and before that one, in the order of their bytes. */
  from: string;
  to: string;
  rows: number;
  view: View;
}

/**
 * What a list finds, or undefined where there is no such store: one question for both. An empty store has one row, with
 * null where no item has it.
 */
async function ofStore<Row extends object>(
  on: Queryable,
  name: string,
  { workspaceId, storeId }: { workspaceId: string; storeId: string },
  { names, never }: { names: readonly string[]; never: keyof Row },
  items: Statement,
): Promise<Row[] | undefined> {
  const rows = await on.query<Row>(
    preparedAs(
      name,
      sql`select ${outNames(sql`item`, names)} from memory_stores as store
        left join lateral (${items}) as item on true
        where store.workspace_id = ${workspaceId} and store.id = ${storeId} and store.is_complete`,
    ),
  );
  return rows.length === 0 ? undefined : rows.filter((row) => row[never] !== null);
}

export function listBelow(
  on: Queryable,
  storeId: string,
  { workspaceId, from, to, rows, view }: PathWindow,
): Promise<(ItemRow | FolderRow)[] | undefined> {
  return ofStore<ItemRow | FolderRow>(
    on,
    `memory_list_below_${view}`,
    { workspaceId, storeId },
    { names: namesOf(view), never: "path" },
    sql`select ${columnsOf(view)} from memories as memory
      where store_id = ${storeId} and path >= ${from} and path < ${to}
      order by path limit ${rows}`,
  );
}

/** Steps from child to child: what lies below one is passed over, not read, so a page costs what it holds. */
export function listChildren(
  on: Queryable,
  storeId: string,
  prefix: string,
  { workspaceId, from, to, rows, view }: PathWindow,
): Promise<(ItemRow | FolderRow)[] | undefined> {
  return ofStore<ItemRow | FolderRow>(
    on,
    `memory_list_children_${view}`,
    { workspaceId, storeId },
    { names: namesOf(view), never: "path" },
    sql`with recursive step as (
        select null::text collate "C" as child, false as is_folder, ${from}::text collate "C" as next
        union all
        select found.child, found.is_folder, case when found.is_folder
            then found.child || '0' else found.child || chr(1) end
        from step, lateral (
          select case when slash = 0 then path else left(path, length(${prefix}) + slash - 1) end
              as child, slash > 0 as is_folder
          from (
            select path, strpos(substr(path, length(${prefix}) + 1), '/') as slash from memories
            where store_id = ${storeId} and path >= step.next and path < ${to}
            order by path limit 1
          ) as nearest
        ) as found
      ), page as (
        select child, is_folder from step where child is not null limit ${rows}
      )
      select ${columnsOf(view)} from page
        join memories as memory on memory.store_id = ${storeId} and memory.path = child
        where not is_folder
      union all
      select null, child || '/', ${joinStatements(
        namesOf(view)
          .slice(2)
          .map(() => sql`null`),
        ", ",
      )} from page where is_folder
      order by path limit ${rows}`,
  );
}

export interface VersionRow {
  id: string;
  storeId: string;
  memoryId: string;
  seq: number;
  operation: Operation;
  path: string | null;
  content: string | null;
  sha256: string | null;
  bytes: number | null;
  createdAt: Date;
  actorType: Author["type"] | null;
  actorId: string | null;
  redactedAt: Date | null;
  redactedByType: Author["type"] | null;
  redactedById: string | null;
  reason: string | null;
  importedAt: Date | null;
  importedByType: Author["type"] | null;
  importedById: string | null;
}

const versionNames = [
  ..."id storeId memoryId seq operation path content sha256 bytes createdAt".split(" "),
  ..."actorType actorId redactedAt redactedByType redactedById reason".split(" "),
  ..."importedAt importedByType importedById".split(" "),
];
const versionColumns = (view: View): Statement => sql`version.id, version.store_id as "storeId",
  version.memory_id as "memoryId", version.seq, version.operation, version.path,
  ${view === "full" ? sql`version.content` : sql`null as content`},
  version.content_sha256 as sha256, version.bytes, version.created_at as "createdAt",
  version.actor_type as "actorType", version.actor_id as "actorId",
  version.redacted_at as "redactedAt", version.redacted_by_type as "redactedByType",
  version.redacted_by_id as "redactedById", version.redaction_reason as reason,
  version.imported_at as "importedAt", version.imported_by_type as "importedByType",
  version.imported_by_id as "importedById"`;

export async function findVersion(
  on: Queryable,
  workspaceId: string,
  storeId: string,
  id: string,
  view: View,
): Promise<VersionRow | undefined> {
  const [row] = await on.query<VersionRow>(
    preparedAs(
      `memory_find_version_${view}`,
      sql`select ${versionColumns(view)}
        from memory_versions as version join memory_stores as store on store.id = version.store_id
        where store.workspace_id = ${workspaceId} and store.id = ${storeId} and store.is_complete
          and version.id = ${id}`,
    ),
  );
  return row;
}

export interface VersionFilter {
  memoryId: string | null;
  operation: Operation | null;
  author: Author | null;
  from: Date | null;
  to: Date | null;
  /** Versions before this one. */
  before: { at: string; seq: number } | null;
  rows: number;
  view: View;
}

/** Conditions are written only where they are asked for, so that each list has the index made for it. */
export function listVersions(
  on: Queryable,
  workspaceId: string,
  storeId: string,
  filter: VersionFilter,
): Promise<VersionRow[] | undefined> {
  const { memoryId, operation, author, from, to, before, rows, view } = filter;
  const byTime = memoryId === null && author === null && (operation ?? "modified") === "modified";
  const when = (wanted: unknown, condition: () => Statement) =>
    wanted === null ? empty : condition();
  const cursor =
    before === null
      ? empty
      : byTime
        ? sql`and (created_at, seq) < (${before.at}::timestamptz, ${before.seq}::bigint)`
        : sql`and seq < ${before.seq}`;
  const conditions = { memoryId, operation, author, from, to, before };
  const shape = Object.entries(conditions).flatMap(([name, value]) => (value === null ? [] : name));
  return ofStore<VersionRow>(
    on,
    ["memory_list_versions", view, byTime ? "time" : "seq", ...shape].join("_"),
    { workspaceId, storeId },
    { names: versionNames, never: "id" },
    sql`select ${versionColumns(view)} from memory_versions as version
      where store_id = ${storeId}
        ${when(memoryId, () => sql`and memory_id = ${memoryId}`)}
        ${when(operation, () => sql`and operation = ${operation}`)}
        ${when(author, () => sql`and actor_type = ${author?.type} and actor_id = ${author?.id}`)}
        ${when(from, () => sql`and created_at >= ${from}`)}
        ${when(to, () => sql`and created_at <= ${to}`)}
        ${cursor}
      order by ${byTime ? sql`created_at desc, seq desc` : sql`seq desc`}
      limit ${rows}`,
  );
}
