// Statements about the last requests of providers.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { sql } from "../../../kernel/sql/statement.ts";

export interface RequestRow {
  id: string;
  organization_id: string;
  token_id: string;
  at: Date;
  method: string;
  path: string;
  status: number;
  milliseconds: number;
  problem: string | null;
}

/** Of all organizations among them. */
export async function insertRequests(tx: Tx, rows: readonly RequestRow[]): Promise<void> {
  await tx.query(sql`
    insert into scim_requests
      (id, organization_id, token_id, at, method, path, status, milliseconds, problem)
    select r.id, r.organization_id, r.token_id, r.at, r.method, r.path, r.status, r.milliseconds,
           r.problem
    from unnest(
      ${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.organization_id)}::text[],
      ${rows.map((row) => row.token_id)}::text[], ${rows.map((row) => row.at)}::timestamptz[],
      ${rows.map((row) => row.method)}::text[], ${rows.map((row) => row.path)}::text[],
      ${rows.map((row) => row.status)}::int[], ${rows.map((row) => row.milliseconds)}::int[],
      ${rows.map((row) => row.problem)}::text[])
      as r (id, organization_id, token_id, at, method, path, status, milliseconds, problem)`);
}

export async function deleteOldRequests(
  tx: Tx,
  organizationId: string,
  kept: number,
): Promise<void> {
  await tx.query(sql`
    delete from scim_requests
    where organization_id = ${organizationId}
      and id <= (
        select id from scim_requests
        where organization_id = ${organizationId}
        order by id desc
        offset ${kept} limit 1)`);
}

export function listRequests(
  queries: Queryable,
  organizationId: string,
  rows: number,
): Promise<RequestRow[]> {
  return queries.query<RequestRow>(sql`
    select id, organization_id, token_id, at, method, path, status, milliseconds, problem
    from scim_requests
    where organization_id = ${organizationId}
    order by id desc
    limit ${rows}`);
}
