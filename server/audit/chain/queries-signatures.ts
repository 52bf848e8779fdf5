// Statements about the signatures that are kept in the database, of all organizations.
import type { Queryable } from "../../../kernel/sql/database.ts";
import { sql } from "../../../kernel/sql/statement.ts";

/** One row for each organization. */
export const listAnchors = (on: Queryable): Promise<{ organizationId: string; anchor: string }[]> =>
  on.query(sql`
    select organization_id as "organizationId", anchor from audit_checks
    where anchor is not null order by organization_id`);

export async function findClosing(on: Queryable): Promise<string | undefined> {
  const [row] = await on.query<{ signature: string }>(sql`select signature from audit_closing`);
  return row?.signature;
}

interface Replacement {
  before: string;
  next: string;
}

/** Answers how many were replaced: none where it is another one by now. */
export async function replaceAnchor(
  on: Queryable,
  organizationId: string,
  { before, next }: Replacement,
): Promise<number> {
  const rows = await on.query(sql`
    update audit_checks set anchor = ${next}
    where organization_id = ${organizationId} and anchor = ${before} returning 1 as one`);
  return rows.length;
}

export async function replaceClosing(
  on: Queryable,
  { before, next }: Replacement,
): Promise<number> {
  const rows = await on.query(sql`
    update audit_closing set signature = ${next} where signature = ${before} returning 1 as one`);
  return rows.length;
}
