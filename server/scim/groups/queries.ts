// Statements about the groups that a provider pushes.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { sql, type Statement } from "../../../kernel/sql/statement.ts";
import type { FilterColumns } from "../queries-filter.ts";

export interface GroupRow {
  id: string;
  name: string;
  external_id: string | null;
  created_at: Date;
  updated_at: Date;
}

const columns = sql`g.id, g.name, g.external_id, g.created_at, g.updated_at`;

const hasMember = (userId: string) => sql`
  exists (
    select from scim_group_members m
    where m.group_id = g.id and m.user_id = ${userId})`;

/** The attributes that a filter may use. */
export const groupColumns: FilterColumns = {
  id: { kind: "exact", column: sql`g.id` },
  displayname: { kind: "folded", column: sql`lower(g.name)` },
  externalid: { kind: "exact", column: sql`g.external_id` },
  members: { kind: "own", equals: hasMember },
  "members.value": { kind: "own", equals: hasMember },
  "meta.created": { kind: "time", column: sql`g.created_at` },
  "meta.lastmodified": { kind: "time", column: sql`g.updated_at` },
};

export async function findGroup(
  queries: Queryable,
  organizationId: string,
  id: string,
): Promise<GroupRow | undefined> {
  const [row] = await queries.query<GroupRow>(sql`
    select ${columns} from rbac_groups g
    where g.organization_id = ${organizationId} and g.id = ${id} and g.source_type = 'scim'`);
  return row;
}

/** From an id on, itself included, in the order of ids. */
export function listGroups(
  queries: Queryable,
  organizationId: string,
  page: { from: string; filter: Statement; rows: number },
): Promise<GroupRow[]> {
  return queries.query<GroupRow>(sql`
    select ${columns} from rbac_groups g
    where g.organization_id = ${organizationId} and g.source_type = 'scim'
      and g.id >= ${page.from}${page.filter}
    order by g.id
    limit ${page.rows}`);
}

export async function groupAt(
  queries: Queryable,
  organizationId: string,
  position: { filter: Statement; skip: number },
): Promise<string | undefined> {
  const [row] = await queries.query<{ id: string }>(sql`
    select g.id from rbac_groups g
    where g.organization_id = ${organizationId} and g.source_type = 'scim'${position.filter}
    order by g.id
    offset ${position.skip} limit 1`);
  return row?.id;
}

export async function countGroups(
  queries: Queryable,
  organizationId: string,
  filter: Statement,
): Promise<number> {
  const [row] = await queries.query<{ count: number }>(sql`
    select count(*) as count from rbac_groups g
    where g.organization_id = ${organizationId} and g.source_type = 'scim'${filter}`);
  return row?.count ?? 0;
}

/** A group that counts as the same: equal external id, or equal name where one of them has no external id. */
export async function findDuplicateGroup(
  tx: Tx,
  organizationId: string,
  group: { name: string; externalId: string | null; except: string | null },
): Promise<GroupRow | undefined> {
  const [row] = await tx.query<GroupRow>(sql`
    select ${columns} from rbac_groups g
    where g.organization_id = ${organizationId} and g.source_type = 'scim'
      and (g.external_id = ${group.externalId}
           or (lower(g.name) = lower(${group.name})
               and (g.external_id is null or ${group.externalId}::text is null)))
      and g.id is distinct from ${group.except}
    order by g.id
    limit 1`);
  return row;
}

/** Providers send a group twice when an answer is late: the second one waits for the first. */
export async function lockProvider(tx: Tx, organizationId: string): Promise<void> {
  await tx.query(sql`
    select organization_id from identity_providers
    where organization_id = ${organizationId}
    for update`);
}

export async function countResources(
  queries: Queryable,
  organizationId: string,
): Promise<{ active: number; inactive: number; groups: number }> {
  const [row] = await queries.query<{ active: number; inactive: number; groups: number }>(sql`
    select
      (select count(*) from scim_users
       where organization_id = ${organizationId} and active) as active,
      (select count(*) from scim_users
       where organization_id = ${organizationId} and not active) as inactive,
      (select count(*) from rbac_groups
       where organization_id = ${organizationId} and source_type = 'scim') as groups`);
  return row ?? { active: 0, inactive: 0, groups: 0 };
}
