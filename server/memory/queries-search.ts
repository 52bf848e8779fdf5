// The statement behind the search.
import type { Queries } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";

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
  on: Queries,
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
