// Statements about sticky routes.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { preparedAs, sql, type Statement } from "../../kernel/sql/statement.ts";
import { limits } from "./limits.ts";

export interface StickyRouteRow {
  key: string;
  target: string;
  /** A JSON list of skeletons, the newest first: the same question may be asked again, or twice at once. */
  skeleton: string;
}

export function findRoutes(
  queries: Queryable,
  organizationId: string,
  keys: readonly string[],
  now: Date,
): Promise<StickyRouteRow[]> {
  return queries.query<StickyRouteRow>(
    preparedAs(
      "fallbacks.find_routes",
      sql`
        select key, target, skeleton
        from sticky_routes
        where organization_id = ${organizationId}
          and key = any(${keys}::text[])
          and expires_at > ${now}`,
    ),
  );
}

export function upsertRoute(
  organizationId: string,
  route: StickyRouteRow,
  expiresAt: Date,
): Statement {
  return preparedAs(
    "fallbacks.upsert_route",
    sql`
      insert into sticky_routes (organization_id, key, target, skeleton, expires_at)
      values (${organizationId}, ${route.key}, ${route.target}, ${route.skeleton}, ${expiresAt})
      on conflict (organization_id, key) do update
      set target = excluded.target, expires_at = excluded.expires_at, skeleton = (
        select json_agg(bones order by at)::text
        from (
          select bones, min(at) as at
          from jsonb_array_elements(excluded.skeleton::jsonb || sticky_routes.skeleton::jsonb)
            with ordinality as one (bones, at)
          group by bones
          order by min(at)
          limit ${limits.skeletonsMax}) as kept)
      where sticky_routes.expires_at <= excluded.expires_at`,
  );
}

/** Of every organization: no lookup finds expired rows. Gives how many were deleted. */
export async function deleteExpired(tx: Tx, now: Date, rowsMax: number): Promise<number> {
  const gone = await tx.query<{ key: string }>(sql`
    delete from sticky_routes
    where (organization_id, key) in (
      select organization_id, key
      from sticky_routes
      where expires_at <= ${now}
      order by expires_at
      limit ${rowsMax})
    returning key`);
  return gone.length;
}
