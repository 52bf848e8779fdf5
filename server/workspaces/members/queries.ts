// Statements about who belongs to which workspace.
import type { PageWindow } from "../../../kernel/http/pages.ts";
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { preparedAs, sql } from "../../../kernel/sql/statement.ts";
import { byIdOrDefault, type WorkspaceRow } from "../queries.ts";
import type { WorkspaceRole } from "../schema.ts";

export interface MemberRow {
  user_id: string;
  workspace_id: string;
  role: WorkspaceRole;
  added_at: Date;
  name: string;
  email: string;
}

export async function insertMember(
  tx: Tx,
  organizationId: string,
  row: { workspaceId: string; userId: string; role: WorkspaceRole; addedAt: Date },
): Promise<void> {
  await tx.query(sql`
    insert into workspace_members (organization_id, workspace_id, user_id, role, added_at)
    values (${organizationId}, ${row.workspaceId}, ${row.userId}, ${row.role}, ${row.addedAt})`);
}

export async function setRole(
  tx: Tx,
  organizationId: string,
  { workspace_id, user_id }: Pick<MemberRow, "workspace_id" | "user_id">,
  role: WorkspaceRole,
): Promise<void> {
  await tx.query(sql`
    update workspace_members set role = ${role}
    where organization_id = ${organizationId} and workspace_id = ${workspace_id}
      and user_id = ${user_id}`);
}

export async function deleteMember(
  tx: Tx,
  organizationId: string,
  { workspace_id, user_id }: Pick<MemberRow, "workspace_id" | "user_id">,
): Promise<void> {
  await tx.query(sql`
    delete from workspace_members
    where organization_id = ${organizationId} and workspace_id = ${workspace_id}
      and user_id = ${user_id}`);
}

export async function countMembers(
  tx: Tx,
  organizationId: string,
  workspaceId: string,
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) as count from workspace_members
    where organization_id = ${organizationId} and workspace_id = ${workspaceId}`);
  return row?.count ?? 0;
}

export async function findMember(
  queries: Queryable,
  organizationId: string,
  workspaceId: string,
  userId: string,
): Promise<MemberRow | undefined> {
  const [row] = await queries.query<MemberRow>(sql`
    select m.user_id, m.workspace_id, m.role, m.added_at, u.name, u.email
    from workspace_members m join users u on u.id = m.user_id
    where m.organization_id = ${organizationId} and m.workspace_id = ${workspaceId}
      and m.user_id = ${userId}`);
  return row;
}

export function listMembers(
  queries: Queryable,
  organizationId: string,
  workspaceId: string,
  walk: PageWindow,
): Promise<MemberRow[]> {
  const order = walk.before === null ? sql`m.user_id desc` : sql`m.user_id asc`;
  return queries.query<MemberRow>(sql`
    select m.user_id, m.workspace_id, m.role, m.added_at, u.name, u.email
    from workspace_members m join users u on u.id = m.user_id
    where m.organization_id = ${organizationId} and m.workspace_id = ${workspaceId}
      and (${walk.after}::text is null or m.user_id < ${walk.after})
      and (${walk.before}::text is null or m.user_id > ${walk.before})
    order by ${order}
    limit ${walk.rows}`);
}

/** Whether the person is or was in the organization: the member with whom a page begins may have left since. */
export async function isKnownPerson(
  queries: Queryable,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const rows = await queries.query(sql`
    select id from users where organization_id = ${organizationId} and id = ${id}
    union all
    select id from former_members where organization_id = ${organizationId} and id = ${id}`);
  return rows.length > 0;
}

/** Locked, so that the person is not removed from the organization meanwhile. */
export async function sharePerson(
  tx: Tx,
  organizationId: string,
  userId: string,
): Promise<boolean> {
  const rows = await tx.query(sql`
    select id from users where organization_id = ${organizationId} and id = ${userId}
    for key share`);
  return rows.length > 0;
}

/** People of the organization who are not in the workspace yet, by the beginning of their e-mail. */
export function listCandidates(
  queries: Queryable,
  organizationId: string,
  { workspaceId, from, to, rows }: { workspaceId: string; from: string; to: string; rows: number },
): Promise<{ user_id: string; name: string; email: string }[]> {
  return queries.query<{ user_id: string; name: string; email: string }>(sql`
    select u.id as user_id, u.name, u.email
    from users u
    where u.organization_id = ${organizationId} and u.email_key >= ${from} and u.email_key < ${to}
      and not exists (
        select from workspace_members m where m.workspace_id = ${workspaceId} and m.user_id = u.id)
    order by u.organization_id, u.email_key
    limit ${rows}`);
}

export interface PersonWorkspaceRow extends Pick<
  WorkspaceRow,
  "id" | "name" | "is_default" | "display_color"
> {
  /** The person's role; null: no member. */
  role: WorkspaceRole | null;
}

/** The default workspace and those that the person belongs to; for an administrator all. */
export function listWorkspacesOfPerson(
  queries: Queryable,
  organizationId: string,
  { userId, isAdministrator }: { userId: string; isAdministrator: boolean },
): Promise<PersonWorkspaceRow[]> {
  return queries.query<PersonWorkspaceRow>(sql`
    select w.id, w.name, w.is_default, w.display_color, m.role
    from workspaces w
    left join workspace_members m on m.workspace_id = w.id and m.user_id = ${userId}
    where w.organization_id = ${organizationId} and w.archived_at is null
      and (${isAdministrator} or w.is_default or m.role is not null)
    order by w.is_default desc, w.id
    limit 1000`);
}

/** The person's roles in the workspaces of the organization, archived ones too. */
export function listRoles(
  queries: Queryable,
  organizationId: string,
  userId: string,
): Promise<{ workspace_id: string; role: WorkspaceRole }[]> {
  return queries.query<{ workspace_id: string; role: WorkspaceRole }>(sql`
    select workspace_id, role from workspace_members
    where user_id = ${userId} and organization_id = ${organizationId}
    order by workspace_id
    limit 20000`);
}

export interface UsableWorkspaceRow extends Pick<
  WorkspaceRow,
  "id" | "is_default" | "archived_at"
> {
  member_role: WorkspaceRole | null;
  organization_role: string | null;
}

/** Runs with each request that chooses its workspace. */
export async function findWorkspaceWithRoles(
  queries: Queryable,
  organizationId: string,
  id: string | null,
  userId: string | null,
): Promise<UsableWorkspaceRow | undefined> {
  const [row] = await queries.query<UsableWorkspaceRow>(
    preparedAs(
      id === null ? "workspaces.find_home" : "workspaces.find_place",
      sql`
        select w.id, w.is_default, w.archived_at, m.role as member_role,
               u.role as organization_role
        from workspaces w
        left join workspace_members m on m.workspace_id = w.id and m.user_id = ${userId}
        left join users u on u.id = ${userId}
        where w.organization_id = ${organizationId} and ${byIdOrDefault(id)}`,
    ),
  );
  return row;
}
