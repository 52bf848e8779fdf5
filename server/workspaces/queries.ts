// Statements about workspaces.
import type { Queries, Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";

export interface WorkspaceRow {
  id: string;
  name: string;
  is_default: boolean;
  archived_at: Date | null;
}

export async function insertWorkspace(
  tx: Tx,
  organizationId: string,
  row: { id: string; name: string; isDefault: boolean; createdAt: Date },
): Promise<void> {
  await tx.query(sql`
    insert into workspaces (id, organization_id, name, is_default, created_at)
    values (${row.id}, ${organizationId}, ${row.name}, ${row.isDefault}, ${row.createdAt})`);
}

export function listWorkspaces(queries: Queries, organizationId: string): Promise<WorkspaceRow[]> {
  return queries.query<WorkspaceRow>(sql`
    select id, name, is_default, archived_at
    from workspaces
    where organization_id = ${organizationId} and archived_at is null
    order by is_default desc, id
    limit 1000`);
}

/** The workspace of that id, or the default one for null. */
export async function findWorkspace(
  queries: Queries,
  organizationId: string,
  id: string | null,
): Promise<WorkspaceRow | undefined> {
  const [row] = await queries.query<WorkspaceRow>(sql`
    select id, name, is_default, archived_at
    from workspaces
    where organization_id = ${organizationId}
      and (id = ${id} or (${id}::text is null and is_default))`);
  return row;
}

/** Locked against archiving until the transaction ends. */
export async function shareWorkspace(
  tx: Tx,
  organizationId: string,
  id: string | null,
): Promise<WorkspaceRow | undefined> {
  const [row] = await tx.query<WorkspaceRow>(sql`
    select id, name, is_default, archived_at
    from workspaces
    where organization_id = ${organizationId}
      and (id = ${id} or (${id}::text is null and is_default))
    for share`);
  return row;
}
