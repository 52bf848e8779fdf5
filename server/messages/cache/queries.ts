// Statements of the prompt cache.
import type { Queryable } from "../../../kernel/sql/database.ts";
import { preparedAs, sql, type Statement } from "../../../kernel/sql/statement.ts";

/** A key that has not expired. */
export interface CacheEntry {
  ttlSeconds: number;
  expiresAt: Date;
}

export interface CacheRow {
  key: string;
  ttlSeconds: number;
}

/** One query for a request, however many prefixes it has and models it may be tried on. */
export async function cacheLookup(
  queries: Queryable,
  workspaceId: string,
  keys: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, CacheEntry>> {
  if (keys.length === 0) return new Map();
  const rows = await queries.query<{ key: string; ttl_seconds: number; expires_at: Date }>(
    preparedAs(
      "cache_lookup",
      sql`
        select key, ttl_seconds, expires_at
        from prompt_cache
        where workspace_id = ${workspaceId} and key = any (${keys}::text[]) and expires_at > ${now}
      `,
    ),
  );
  return new Map(
    rows.map((row) => [row.key, { ttlSeconds: row.ttl_seconds, expiresAt: row.expires_at }]),
  );
}

/** Rows in the order of their keys, so that two requests never wait for each other in a ring. */
export function rememberStatement(
  workspaceId: string,
  rows: readonly CacheRow[],
  now: Date,
): Statement {
  const sorted = [...rows].sort((a, b) => (a.key < b.key ? -1 : 1));
  const keys = sorted.map(({ key }) => key);
  const seconds = sorted.map(({ ttlSeconds }) => ttlSeconds);
  return preparedAs(
    "cache_remember",
    sql`
      insert into prompt_cache as old (workspace_id, key, ttl_seconds, expires_at)
      select ${workspaceId}, key, ttl, ${now}::timestamptz + ttl * interval '1 second'
      from unnest(${keys}::text[], ${seconds}::integer[])
        as new (key, ttl)
      on conflict (workspace_id, key) do update set
        ttl_seconds = case
          when old.expires_at > ${now} then greatest(old.ttl_seconds, excluded.ttl_seconds)
          else excluded.ttl_seconds
        end,
        expires_at = case
          when old.expires_at > ${now} then greatest(
            old.expires_at,
            ${now}::timestamptz + greatest(old.ttl_seconds, excluded.ttl_seconds) * interval '1 second'
          )
          else excluded.expires_at
        end
    `,
  );
}

/** Gives how many rows it deleted. A page at a time, so that no statement holds many rows. */
export async function deleteExpired(
  queries: Queryable,
  now: Date,
  rowsMax: number,
): Promise<number> {
  const gone = await queries.query<{ key: string }>(sql`
    delete from prompt_cache
    where (workspace_id, key) in (
      select workspace_id, key
      from prompt_cache
      where expires_at <= ${now}
      order by expires_at
      limit ${rowsMax}
      for update skip locked
    )
    returning key
  `);
  return gone.length;
}
