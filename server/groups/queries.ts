// Statements about groups and their members.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";

export type SourceType = "direct" | "scim";

export interface GroupRow {
  id: string;
  name: string;
  source_type: SourceType;
  external_id: string | null;
  created_at: Date;
  updated_at: Date;
}

const columns = sql`id, name, source_type, external_id, created_at, updated_at`;

export async function insertGroup(tx: Tx, organizationId: string, row: GroupRow): Promise<void> {
  await tx.query(sql`
    insert into rbac_groups
      (id, organization_id, name, source_type, external_id, created_at, updated_at)
    values (${row.id}, ${organizationId}, ${row.name}, ${row.source_type}, ${row.external_id},
            ${row.created_at}, ${row.updated_at})`);
}

export async function findGroup(
  queries: Queryable,
  organizationId: string,
  id: string,
): Promise<GroupRow | undefined> {
  const [row] = await queries.query<GroupRow>(sql`
    select ${columns} from rbac_groups where organization_id = ${organizationId} and id = ${id}`);
  return row;
}

/** Locked until the transaction ends: the group is neither deleted nor renamed meanwhile. */
export async function lockGroup(
  tx: Tx,
  organizationId: string,
  id: string,
): Promise<GroupRow | undefined> {
  const [row] = await tx.query<GroupRow>(sql`
    select ${columns} from rbac_groups
    where organization_id = ${organizationId} and id = ${id}
    for update`);
  return row;
}

/** The groups among these ids that exist, in the order of their ids, locked in share mode. */
export function shareGroups(
  tx: Tx,
  organizationId: string,
  ids: readonly string[],
): Promise<GroupRow[]> {
  return tx.query<GroupRow>(sql`
    select ${columns} from rbac_groups
    where organization_id = ${organizationId} and id = any(${ids})
    order by id
    for share`);
}

export async function countGroups(queries: Queryable, organizationId: string): Promise<number> {
  const [row] = await queries.query<{ count: number }>(sql`
    select count(*) as count from rbac_groups where organization_id = ${organizationId}`);
  return row?.count ?? 0;
}

/** Newest first. */
export function listGroups(
  queries: Queryable,
  organizationId: string,
  { after, rows }: { after: string | null; rows: number },
): Promise<GroupRow[]> {
  return queries.query<GroupRow>(sql`
    select ${columns} from rbac_groups
    where organization_id = ${organizationId} and (${after}::text is null or id < ${after})
    order by id desc
    limit ${rows}`);
}

export async function updateGroup(
  tx: Tx,
  organizationId: string,
  id: string,
  change: { name: string; externalId: string | null; updatedAt: Date },
): Promise<void> {
  await tx.query(sql`
    update rbac_groups
    set name = ${change.name}, external_id = ${change.externalId},
        updated_at = ${change.updatedAt}
    where organization_id = ${organizationId} and id = ${id}`);
}

/** Its members and roles are deleted with it. */
export async function deleteGroup(tx: Tx, organizationId: string, id: string): Promise<void> {
  await tx.query(sql`
    delete from rbac_groups where organization_id = ${organizationId} and id = ${id}`);
}

export interface MemberRow {
  user_id: string;
  email: string;
  name: string;
  role: string;
  created_at: Date;
}

const memberColumns = sql`m.user_id, u.email, u.name, u.role, m.created_at`;

/** Newest members of the organization first. Only those on the page are looked up among the members. */
export function listMembers(
  queries: Queryable,
  organizationId: string,
  groupId: string,
  { after, rows }: { after: string | null; rows: number },
): Promise<MemberRow[]> {
  return queries.query<MemberRow>(sql`
    select ${memberColumns}
    from (
      select user_id, created_at from rbac_group_members
      where organization_id = ${organizationId} and group_id = ${groupId}
        and (${after}::text is null or user_id < ${after})
      order by user_id desc
      limit ${rows}) m
    join users u on u.id = m.user_id
    order by m.user_id desc`);
}

export async function findMember(
  queries: Queryable,
  organizationId: string,
  groupId: string,
  userId: string,
): Promise<MemberRow | undefined> {
  const [row] = await queries.query<MemberRow>(sql`
    select ${memberColumns}
    from rbac_group_members m join users u on u.id = m.user_id
    where m.organization_id = ${organizationId} and m.group_id = ${groupId}
      and m.user_id = ${userId}`);
  return row;
}

/** The people of the organization among these ids, kept from leaving until the transaction ends. */
export async function sharePeople(
  tx: Tx,
  organizationId: string,
  ids: readonly string[],
): Promise<{ id: string; email: string }[]> {
  return tx.query<{ id: string; email: string }>(sql`
    select id, email from users
    where organization_id = ${organizationId} and id = any(${ids})
    order by id
    for key share`);
}

/** Returns the ids of the new members. */
export async function insertMembers(
  tx: Tx,
  organizationId: string,
  groupId: string,
  { userIds, at }: { userIds: readonly string[]; at: Date },
): Promise<string[]> {
  const rows = await tx.query<{ user_id: string }>(sql`
    insert into rbac_group_members (group_id, user_id, organization_id, created_at)
    select ${groupId}, person, ${organizationId}, ${at}
    from unnest(${userIds}::text[]) as person
    order by person
    on conflict (group_id, user_id) do nothing
    returning user_id`);
  return rows.map((row) => row.user_id);
}

/** Returns the ids of those who were members. */
export async function deleteMembers(
  tx: Tx,
  organizationId: string,
  groupId: string,
  userIds: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ user_id: string }>(sql`
    delete from rbac_group_members
    where organization_id = ${organizationId} and group_id = ${groupId}
      and user_id = any(${userIds})
    returning user_id`);
  return rows.map((row) => row.user_id);
}

export function listGroupsOf(
  queries: Queryable,
  organizationId: string,
  userId: string,
): Promise<GroupRow[]> {
  return queries.query<GroupRow>(sql`
    select ${columns} from rbac_groups
    where organization_id = ${organizationId}
      and id in (select group_id from rbac_group_members where user_id = ${userId})
    order by id desc
    limit 1000`);
}

/** Returns the ids of the groups that the person was in. */
export async function deleteMemberships(
  tx: Tx,
  organizationId: string,
  userId: string,
): Promise<string[]> {
  const rows = await tx.query<{ group_id: string }>(sql`
    delete from rbac_group_members
    where organization_id = ${organizationId} and user_id = ${userId}
    returning group_id`);
  return rows.map((row) => row.group_id);
}

export async function countMembers(
  queries: Queryable,
  organizationId: string,
  groupId: string,
): Promise<number> {
  const [row] = await queries.query<{ count: number }>(sql`
    select count(*) as count from rbac_group_members
    where organization_id = ${organizationId} and group_id = ${groupId}`);
  return row?.count ?? 0;
}
