// Statements about the members that a provider has put into groups.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { sql } from "../../../kernel/sql/statement.ts";

export interface MembershipRow {
  user_id: string;
  id: string;
  name: string;
}

export function listGroupsOf(
  queries: Queryable,
  organizationId: string,
  userIds: readonly string[],
): Promise<MembershipRow[]> {
  return queries.query<MembershipRow>(sql`
    select m.user_id, g.id, g.name
    from scim_group_members m join rbac_groups g on g.id = m.group_id
    where g.organization_id = ${organizationId} and m.user_id = any(${userIds}::text[])
    order by m.user_id, g.id
    limit 100000`);
}

export async function listGroupIdsOf(
  tx: Tx,
  organizationId: string,
  userId: string,
): Promise<string[]> {
  const rows = await listGroupsOf(tx, organizationId, [userId]);
  return rows.map(({ id }) => id);
}

export interface MemberRow {
  group_id: string;
  user_id: string;
  display_name: string;
}

export function listMembers(
  queries: Queryable,
  organizationId: string,
  groupIds: readonly string[],
  rows: number,
): Promise<MemberRow[]> {
  return queries.query<MemberRow>(sql`
    select m.group_id, m.user_id, s.display_name
    from scim_group_members m
    join scim_users s on s.id = m.user_id
    where s.organization_id = ${organizationId} and m.group_id = any(${groupIds}::text[])
    order by m.group_id, m.user_id
    limit ${rows}`);
}

/** How many members each of these groups has. */
export function countMembers(
  queries: Queryable,
  organizationId: string,
  groupIds: readonly string[],
): Promise<{ group_id: string; count: number }[]> {
  return queries.query<{ group_id: string; count: number }>(sql`
    select m.group_id, count(*) as count
    from scim_group_members m join rbac_groups g on g.id = m.group_id
    where g.organization_id = ${organizationId} and m.group_id = any(${groupIds}::text[])
    group by m.group_id`);
}

/** The organization's people among these ids, switched-off ones too. */
export function listKnown(
  tx: Tx,
  organizationId: string,
  userIds: readonly string[],
): Promise<{ id: string; active: boolean }[]> {
  return tx.query<{ id: string; active: boolean }>(sql`
    select id, active from scim_users
    where organization_id = ${organizationId} and id = any(${userIds}::text[])
    order by id
    for share`);
}

export async function insertMembers(
  tx: Tx,
  organizationId: string,
  groupId: string,
  userIds: readonly string[],
): Promise<void> {
  await tx.query(sql`
    insert into scim_group_members (group_id, user_id)
    select ${groupId}, id from scim_users
    where organization_id = ${organizationId} and id = any(${userIds}::text[])
    on conflict do nothing`);
}

export async function deleteMembers(
  tx: Tx,
  organizationId: string,
  groupId: string,
  userIds: readonly string[],
): Promise<void> {
  await tx.query(sql`
    delete from scim_group_members m
    using rbac_groups g
    where g.organization_id = ${organizationId} and g.id = m.group_id and m.group_id = ${groupId}
      and m.user_id = any(${userIds}::text[])`);
}

/** Members of the group that are not among these ids. */
export async function listOthers(
  tx: Tx,
  organizationId: string,
  { groupId, except }: { groupId: string; except: readonly string[] },
): Promise<string[]> {
  const rows = await tx.query<{ user_id: string }>(sql`
    select m.user_id
    from scim_group_members m join rbac_groups g on g.id = m.group_id
    where g.organization_id = ${organizationId} and m.group_id = ${groupId}
      and m.user_id <> all(${except}::text[])
    order by m.user_id
    limit 1000000`);
  return rows.map(({ user_id }) => user_id);
}
