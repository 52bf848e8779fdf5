// Statements about roles: their actions, and the groups that have them.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { preparedAs, sql } from "../../../kernel/sql/statement.ts";

/** The ids of the roles of a person's groups, built-in ones too. */
export async function listRoleIdsOf(
  queries: Queryable,
  organizationId: string,
  userId: string,
): Promise<string[]> {
  const rows = await queries.query<{ role_id: string }>(
    preparedAs(
      "groups.list_role_ids_of",
      sql`
        select distinct r.role_id
        from rbac_group_members m join rbac_group_roles r on r.group_id = m.group_id
        where m.organization_id = ${organizationId} and m.user_id = ${userId}`,
    ),
  );
  return rows.map((row) => row.role_id);
}

export async function isManaged(
  queries: Queryable,
  organizationId: string,
  userId: string,
): Promise<boolean> {
  const rows = await queries.query<{ id: string }>(sql`
    select id from users
    where organization_id = ${organizationId} and id = ${userId} and role = 'managed'`);
  return rows.length > 0;
}

/** The actions of roles; only of roles of this organization. */
export async function listActionsOf(
  queries: Queryable,
  organizationId: string,
  roleIds: readonly string[],
): Promise<{ role_id: string; action: string }[]> {
  return queries.query<{ role_id: string; action: string }>(
    preparedAs(
      "groups.list_actions_of",
      sql`
        select p.role_id, p.action
        from rbac_roles r join rbac_role_permissions p on p.role_id = r.id
        where r.organization_id = ${organizationId} and r.id = any(${roleIds})
        order by p.role_id, p.action`,
    ),
  );
}

/** The roles of groups, in the order in which they were made. */
export function listRolesOfGroups(
  queries: Queryable,
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

/** Limits the time of all further statements of the transaction; returns the limit before. */
export async function setStatementTimeout(tx: Tx, msMax: number | string): Promise<string> {
  const [before] = await tx.query<{ ms: string }>(sql`
    select current_setting('statement_timeout') as ms`);
  await tx.query(sql`select set_config('statement_timeout', ${String(msMax)}, true)`);
  return before?.ms ?? "0";
}

export interface RoleRow {
  id: string;
  name: string;
  description: string;
  created_at: Date;
  updated_at: Date;
}

const columns = sql`id, name, description, created_at, updated_at`;

/** Newest first. */
export function listRoles(
  queries: Queryable,
  organizationId: string,
  { after, rows }: { after: string | null; rows: number },
): Promise<RoleRow[]> {
  return queries.query<RoleRow>(sql`
    select ${columns} from rbac_roles
    where organization_id = ${organizationId} and (${after}::text is null or id < ${after})
    order by id desc
    limit ${rows}`);
}

export async function findRole(
  queries: Queryable,
  organizationId: string,
  id: string,
): Promise<RoleRow | undefined> {
  const [row] = await queries.query<RoleRow>(sql`
    select ${columns} from rbac_roles where organization_id = ${organizationId} and id = ${id}`);
  return row;
}

/** Locked until the transaction ends: no group gets the role meanwhile. */
export async function lockRole(
  tx: Tx,
  organizationId: string,
  id: string,
): Promise<RoleRow | undefined> {
  const [row] = await tx.query<RoleRow>(sql`
    select ${columns} from rbac_roles
    where organization_id = ${organizationId} and id = ${id}
    for update`);
  return row;
}

/** The roles among these ids that exist, kept from being deleted until the transaction ends. */
export async function shareRoles(
  tx: Tx,
  organizationId: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select id from rbac_roles
    where organization_id = ${organizationId} and id = any(${ids})
    order by id
    for share`);
  return rows.map((row) => row.id);
}

export async function countRoles(queries: Queryable, organizationId: string): Promise<number> {
  const [row] = await queries.query<{ count: number }>(sql`
    select count(*) as count from rbac_roles where organization_id = ${organizationId}`);
  return row?.count ?? 0;
}

export async function insertRole(tx: Tx, organizationId: string, row: RoleRow): Promise<void> {
  await tx.query(sql`
    insert into rbac_roles (id, organization_id, name, description, created_at, updated_at)
    values (${row.id}, ${organizationId}, ${row.name}, ${row.description}, ${row.created_at},
            ${row.updated_at})`);
}

export async function updateRole(tx: Tx, organizationId: string, row: RoleRow): Promise<void> {
  await tx.query(sql`
    update rbac_roles
    set name = ${row.name}, description = ${row.description}, updated_at = ${row.updated_at}
    where organization_id = ${organizationId} and id = ${row.id}`);
}

/** Its actions are deleted with it. */
export async function deleteRole(tx: Tx, organizationId: string, id: string): Promise<void> {
  await tx.query(sql`
    delete from rbac_roles where organization_id = ${organizationId} and id = ${id}`);
}

/** Replaces the actions of a locked role. */
export async function setActions(
  tx: Tx,
  organizationId: string,
  roleId: string,
  held: readonly string[],
): Promise<void> {
  await tx.query(sql`
    delete from rbac_role_permissions p using rbac_roles r
    where r.organization_id = ${organizationId} and r.id = ${roleId} and p.role_id = r.id
      and p.action <> all(${held})`);
  await tx.query(sql`
    insert into rbac_role_permissions (role_id, action)
    select ${roleId}, action from unnest(${held}::text[]) as action
    on conflict (role_id, action) do nothing`);
}

/** The newest groups that have the role. */
export function listHolders(
  queries: Queryable,
  organizationId: string,
  roleId: string,
  rows: number,
): Promise<{ id: string; name: string; source_type: "direct" | "scim" }[]> {
  return queries.query<{ id: string; name: string; source_type: "direct" | "scim" }>(sql`
    select g.id, g.name, g.source_type
    from rbac_group_roles r join rbac_groups g on g.id = r.group_id
    where r.organization_id = ${organizationId} and r.role_id = ${roleId}
    order by r.group_id desc
    limit ${rows}`);
}
