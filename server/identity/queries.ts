// Statements about people, sign-ins and set-up links.
import type { OrganizationType } from "../../kernel/context.ts";
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import type { Role } from "./access/permissions.ts";

export interface UserRow {
  id: string;
  organization_id: string;
  organization_type: OrganizationType;
  organization_name: string;
  email: string;
  name: string;
  role: Role;
  password_hash: string | null;
  /** Whether a passkey is asked for after the password. */
  second_step: boolean;
  /** An owner who keeps password and passkeys where single sign-on is required. */
  break_glass: boolean;
  single_sign_on_required: boolean;
}

const userColumns = sql`
  u.id, u.organization_id, o.type as organization_type, o.name as organization_name, u.email,
  u.name, u.role, u.password_hash, u.second_step, u.break_glass, o.single_sign_on_required`;

export async function insertUser(
  tx: Tx,
  organizationId: string,
  user: {
    id: string;
    email: string;
    emailKey: string;
    name: string;
    role: Role;
    passwordHash: string | null;
    addedAt: Date;
  },
): Promise<void> {
  await tx.query(sql`
    insert into users (id, organization_id, email, email_key, name, role, password_hash, added_at)
    values (${user.id}, ${organizationId}, ${user.email}, ${user.emailKey}, ${user.name},
            ${user.role}, ${user.passwordHash}, ${user.addedAt})`);
}

/** Across organizations: a person who signs in has not named one yet. */
export function findUsersByEmail(
  queries: Queryable,
  emailKey: string,
  organizationId: string | null,
  rows: number,
): Promise<UserRow[]> {
  return queries.query<UserRow>(sql`
    select ${userColumns}
    from users u join organizations o on o.id = u.organization_id
    where u.email_key = ${emailKey}
      and (${organizationId}::text is null or u.organization_id = ${organizationId})
      and u.password_hash is not null
    order by u.id desc
    limit ${rows}`);
}

export async function findUser(
  queries: Queryable,
  organizationId: string,
  id: string,
): Promise<UserRow | undefined> {
  const [row] = await queries.query<UserRow>(sql`
    select ${userColumns}
    from users u join organizations o on o.id = u.organization_id
    where u.organization_id = ${organizationId} and u.id = ${id}`);
  return row;
}

export async function setPassword(
  tx: Tx,
  organizationId: string,
  userId: string,
  passwordHash: string,
): Promise<void> {
  await tx.query(sql`
    update users set password_hash = ${passwordHash}
    where organization_id = ${organizationId} and id = ${userId}`);
}

export async function setName(
  tx: Tx,
  organizationId: string,
  userId: string,
  name: string,
): Promise<void> {
  await tx.query(sql`
    update users set name = ${name} where organization_id = ${organizationId} and id = ${userId}`);
}

export async function countMembers(queries: Queryable, organizationId: string): Promise<number> {
  const [row] = await queries.query<{ count: number }>(sql`
    select count(*) as count from users where organization_id = ${organizationId}`);
  return row?.count ?? 0;
}

export async function insertSetupLink(
  tx: Tx,
  organizationId: string,
  link: { tokenSha256: Buffer; userId: string | null; at: Date; expiresAt: Date },
): Promise<void> {
  await tx.query(sql`
    insert into setup_links (token_sha256, organization_id, user_id, created_at, expires_at)
    values (${link.tokenSha256}, ${organizationId}, ${link.userId}, ${link.at}, ${link.expiresAt})`);
}

export interface SetupLinkRow {
  organization_id: string;
  organization_name: string;
  user_id: string | null;
  email: string | null;
}

/** A link that still works, locked so that two holders cannot both use it. */
export async function lockSetupLink(
  tx: Tx,
  tokenSha256: Buffer,
  now: Date,
): Promise<SetupLinkRow | undefined> {
  const [row] = await tx.query<SetupLinkRow>(sql`
    select l.organization_id, o.name as organization_name, l.user_id, u.email
    from setup_links l
    join organizations o on o.id = l.organization_id
    left join users u on u.id = l.user_id
    where l.token_sha256 = ${tokenSha256} and l.used_at is null and l.expires_at > ${now}
    for update of l`);
  return row;
}

/** Once one of an organization's links was used, the others for the same person are dead too. */
export async function useSetupLinks(
  tx: Tx,
  organizationId: string,
  userId: string | null,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update setup_links set used_at = ${now}
    where organization_id = ${organizationId} and used_at is null
      and user_id is not distinct from ${userId}`);
}

/** Organizations without a primary owner: at the terminal only. */
export function listUnclaimed(queries: Queryable): Promise<{ id: string; name: string }[]> {
  return queries.query<{ id: string; name: string }>(sql`
    select o.id, o.name
    from organizations o
    where not exists (select 1 from users u where u.organization_id = o.id)
    order by o.id
    limit 10`);
}

/** Of every organization, or of the one with that id or name: at the terminal only. */
export function listPrimaryOwners(
  queries: Queryable,
  organization: string | null,
): Promise<{ id: string; organization_id: string }[]> {
  return queries.query<{ id: string; organization_id: string }>(sql`
    select u.id, u.organization_id
    from users u join organizations o on o.id = u.organization_id
    where u.role = 'primary_owner'
      and (${organization}::text is null
           or o.id = ${organization} or lower(o.name) = lower(${organization}))
    order by u.id
    limit 2`);
}

/** The oldest organization that has been claimed: its administrators run the installation. */
export async function findOperatorOrganization(queries: Queryable): Promise<string | undefined> {
  const [row] = await queries.query<{ id: string }>(sql`
    select o.id
    from organizations o
    where exists (select 1 from users u where u.organization_id = o.id)
    order by o.id
    limit 1`);
  return row?.id;
}

/** The members and former members among these ids. */
export function peopleOf(
  queries: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<{ id: string; name: string; email: string; hasLeft: boolean }[]> {
  return queries.query(sql`
    select id, name, email, false as "hasLeft" from users
    where organization_id = ${organizationId} and id = any(${ids}::text[])
    union all
    select id, name, email, true as "hasLeft" from former_members
    where organization_id = ${organizationId} and id = any(${ids}::text[])`);
}
