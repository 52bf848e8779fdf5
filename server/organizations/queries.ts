// Statements about organizations.
import type { OrganizationType } from "../../kernel/context.ts";
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";

export interface OrganizationRow {
  id: string;
  type: OrganizationType;
  name: string;
  created_at: Date;
}

export async function insertOrganization(tx: Tx, row: OrganizationRow): Promise<void> {
  await tx.query(sql`
    insert into organizations (id, type, name, created_at)
    values (${row.id}, ${row.type}, ${row.name}, ${row.created_at})`);
}

export async function renameOrganization(tx: Tx, id: string, name: string): Promise<void> {
  await tx.query(sql`update organizations set name = ${name} where id = ${id}`);
}

export async function findOrganization(
  queries: Queryable,
  id: string,
): Promise<OrganizationRow | undefined> {
  const [row] = await queries.query<OrganizationRow>(sql`
    select id, type, name, created_at from organizations where id = ${id}`);
  return row;
}

/** Across tenants: for the operator at the terminal only. */
export async function countOrganizations(queries: Queryable): Promise<number> {
  const [row] = await queries.query<{ count: number }>(sql`
    select count(*) as count from (select 1 from organizations limit 2) as found`);
  return row?.count ?? 0;
}
