// Statements behind the search.
import { textArray } from "../../../kernel/sql/rows/arrays.ts";
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { sql } from "../../../kernel/sql/statement.ts";

export interface MatchRow {
  memory_id: string;
  memory_store_id: string;
  store_name: string;
  path: string;
  content: string;
  updatedAt: Date;
}

export interface Search {
  /** As people type them: quotes, `or` and a minus are understood. */
  words: string;
  /** The words before the one that may be the beginning of another; null where there is none. */
  before: string;
  beginning: string | null;
  storeId: string | null;
  /** How many better matches are on the pages before. */
  passed: number;
  rows: number;
}

/** Texts are read for the page alone. */
export function search(
  on: Queryable,
  workspaceId: string,
  { words, before, beginning, storeId, passed, rows }: Search,
): Promise<MatchRow[]> {
  return on.query<MatchRow>(sql`
    with asked as (
      select case when ${beginning}::text is null then typed
        else typed || (websearch_to_tsquery('simple', ${before})
          && to_tsquery('simple', '''' || coalesce(${beginning}, '') || ''':*')) end as query
      from websearch_to_tsquery('simple', ${words}) as typed
    ), best as (
      select memory.id, memory.store_id, memory.path, memory.version_id, memory.updated_at,
        ts_rank(memory.search, asked.query) as rank, store.name
      from asked, memories as memory join memory_stores as store on store.id = memory.store_id
      where memory.workspace_id = ${workspaceId} and memory.search @@ asked.query
        and store.is_complete and (${storeId}::text is null or memory.store_id = ${storeId})
      order by rank desc, memory.id desc offset ${passed} limit ${rows}
    )
    select best.id as memory_id, best.store_id as memory_store_id, best.name as store_name,
      best.path, best.updated_at as "updatedAt", version.content
    from best join memory_versions as version on version.id = best.version_id
    order by best.rank desc, best.id desc`);
}

export interface Unsearched {
  id: string;
  path: string;
  content: string;
}

/** Rows that another transaction writes at this moment are passed by: what they hold is about to change. */
export function lockUnsearched(
  tx: Tx,
  workspaceId: string | null,
  rows: number,
): Promise<Unsearched[]> {
  return tx.query<Unsearched>(sql`
    select memory.id, memory.path, version.content
    from memories as memory join memory_versions as version on version.id = memory.version_id
    where memory.search is null and (${workspaceId}::text is null or memory.workspace_id = ${workspaceId})
    order by memory.workspace_id, memory.id limit ${rows}
    for no key update of memory skip locked`);
}

export interface Words {
  id: string;
  pathWords: string;
  words: string;
}

/** Words of the path weigh more. */
export async function setWords(tx: Tx, found: readonly Words[]): Promise<void> {
  if (found.length === 0) return;
  await tx.query(sql`
    update memories as memory
    set search = setweight(to_tsvector('simple', path_words), 'A') || to_tsvector('simple', words)
    from unnest(
      ${textArray(found.map(({ id }) => id))}::text[],
      ${textArray(found.map(({ pathWords }) => pathWords))}::text[],
      ${textArray(found.map(({ words }) => words))}::text[]
    ) as given (id, path_words, words)
    where memory.id = given.id`);
}
