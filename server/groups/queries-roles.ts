// Statements about roles: what they hold, and which groups have them.
import type { Queries, Tx } from "../../kernel/sql/database.ts";
import { named, sql } from "../../kernel/sql/statement.ts";

/** What the roles of a person's groups are: ids, of those that are built in too. */
export async function listRoleIdsOf(
  queries: Queries,
  organizationId: string,
  userId: string,
): Promise<string[]> {
  const rows = await queries.query<{ role_id: string }>(
    named(
      "groups.list_role_ids_of",
      sql`
        select distinct r.role_id
        from rbac_group_members m join rbac_group_roles r on r.group_id = m.group_id
        where m.organization_id = ${organizationId} and m.user_id = ${userId}`,
    ),
  );
  return rows.map((row) => row.role_id);
}

/** The actions that roles hold; of roles of this organization alone. */
export async function listActionsOf(
  queries: Queries,
  organizationId: string,
  roleIds: readonly string[],
): Promise<{ role_id: string; action: string }[]> {
  return queries.query<{ role_id: string; action: string }>(
    named(
      "groups.list_actions_of",
      sql`
        select p.role_id, p.action
        from rbac_roles r join rbac_role_permissions p on p.role_id = r.id
        where r.organization_id = ${organizationId} and r.id = any(${roleIds})
        order by p.role_id, p.action`,
    ),
  );
}

/** Which roles groups have, in the order in which roles were made. */
export function listRolesOfGroups(
  queries: Queries,
  organizationId: string,
  groupIds: readonly string[],
): Promise<{ group_id: string; role_id: string }[]> {
  return queries.query<{ group_id: string; role_id: string }>(sql`
    select group_id, role_id from rbac_group_roles
    where organization_id = ${organizationId} and group_id = any(${groupIds})
    order by group_id, role_id`);
}

export async function insertGroupRoles(
  tx: Tx,
  organizationId: string,
  groupId: string,
  roleIds: readonly string[],
): Promise<void> {
  await tx.query(sql`
    insert into rbac_group_roles (group_id, role_id, organization_id)
    select ${groupId}, role, ${organizationId} from unnest(${roleIds}::text[]) as role
    on conflict (group_id, role_id) do nothing`);
}

export async function deleteGroupRoles(
  tx: Tx,
  organizationId: string,
  groupId: string,
  keep: readonly string[],
): Promise<void> {
  await tx.query(sql`
    delete from rbac_group_roles
    where organization_id = ${organizationId} and group_id = ${groupId}
      and role_id <> all(${keep})`);
}

/** From here on no statement of the transaction may take longer; what it was allowed before. */
export async function hurry(tx: Tx, msMax: number | string): Promise<string> {
  const [before] = await tx.query<{ ms: string }>(sql`
    select current_setting('statement_timeout') as ms`);
  await tx.query(sql`select set_config('statement_timeout', ${String(msMax)}, true)`);
  return before?.ms ?? "0";
}
