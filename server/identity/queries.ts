// Statements about people, sign-ins and set-up links.
import type { OrganizationType } from "../../kernel/context.ts";
import type { Queries, Tx } from "../../kernel/sql/database.ts";
import { named, sql } from "../../kernel/sql/statement.ts";
import type { Role } from "./permissions.ts";

export interface UserRow {
  id: string;
  organization_id: string;
  organization_type: OrganizationType;
  organization_name: string;
  email: string;
  name: string;
  role: Role;
  password_hash: string | null;
}

const userColumns = sql`
  u.id, u.organization_id, o.type as organization_type, o.name as organization_name, u.email,
  u.name, u.role, u.password_hash`;

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

/** Across organizations: whoever signs in has not said yet which one is meant. */
export function findUsersByEmail(
  queries: Queries,
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
    order by u.id
    limit ${rows}`);
}

export async function findUser(
  queries: Queries,
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

export async function countMembers(queries: Queries, organizationId: string): Promise<number> {
  const [row] = await queries.query<{ count: number }>(sql`
    select count(*) as count from users where organization_id = ${organizationId}`);
  return row?.count ?? 0;
}

export async function insertSignIn(
  tx: Tx,
  organizationId: string,
  signIn: {
    id: string;
    userId: string;
    tokenSha256: Buffer;
    at: Date;
    expiresAt: Date;
    address: string;
    userAgent: string;
  },
): Promise<void> {
  await tx.query(sql`
    insert into sign_ins
      (id, organization_id, user_id, token_sha256, created_at, last_seen_at, expires_at, address,
       user_agent)
    values (${signIn.id}, ${organizationId}, ${signIn.userId}, ${signIn.tokenSha256}, ${signIn.at},
            ${signIn.at}, ${signIn.expiresAt}, ${signIn.address}, ${signIn.userAgent})`);
}

export interface SignInRow {
  id: string;
  organization_id: string;
  organization_type: OrganizationType;
  user_id: string;
  user_name: string;
  role: Role;
  last_seen_at: Date;
  expires_at: Date;
}

export async function findSignIn(
  queries: Queries,
  tokenSha256: Buffer,
): Promise<SignInRow | undefined> {
  const [row] = await queries.query<SignInRow>(
    named(
      "identity.find_sign_in",
      sql`
        select s.id, s.organization_id, o.type as organization_type, s.user_id,
               u.name as user_name, u.role, s.last_seen_at, s.expires_at
        from sign_ins s
        join users u on u.id = s.user_id
        join organizations o on o.id = s.organization_id
        where s.token_sha256 = ${tokenSha256}`,
    ),
  );
  return row;
}

export async function touchSignIn(
  tx: Tx,
  organizationId: string,
  id: string,
  at: Date,
): Promise<void> {
  await tx.query(sql`
    update sign_ins set last_seen_at = greatest(last_seen_at, ${at})
    where organization_id = ${organizationId} and id = ${id}`);
}

export function listSignIns(queries: Queries, organizationId: string, userId: string, now: Date) {
  return queries.query<{
    id: string;
    created_at: Date;
    last_seen_at: Date;
    address: string;
    user_agent: string;
  }>(sql`
    select id, created_at, last_seen_at, address, user_agent
    from sign_ins
    where organization_id = ${organizationId} and user_id = ${userId} and expires_at > ${now}
    order by id desc
    limit 100`);
}

/** One sign-in of the person, or all but the one named; the ids of those that ended. */
export async function deleteSignIns(
  tx: Tx,
  organizationId: string,
  userId: string,
  which: { only?: string; except?: string },
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    delete from sign_ins
    where organization_id = ${organizationId} and user_id = ${userId}
      and (${which.only ?? null}::text is null or id = ${which.only ?? null})
      and (${which.except ?? null}::text is null or id <> ${which.except ?? null})
    returning id`);
  return rows.map((row) => row.id);
}

export async function insertFailure(
  tx: Tx,
  emailKey: string,
  address: string,
  at: Date,
): Promise<void> {
  await tx.query(sql`
    insert into sign_in_failures (email_key, address, at) values (${emailKey}, ${address}, ${at})`);
}

export async function deleteFailures(
  tx: Tx,
  which: { before: Date } | { emailKey: string },
): Promise<void> {
  await tx.query(
    "before" in which
      ? sql`delete from sign_in_failures where at < ${which.before}`
      : sql`delete from sign_in_failures where email_key = ${which.emailKey}`,
  );
}

export async function countFailures(
  queries: Queries,
  emailKey: string,
  address: string,
  since: Date,
): Promise<{ by_email: number; by_address: number; oldest: Date | null }> {
  const [row] = await queries.query<{
    by_email: number;
    by_address: number;
    oldest: Date | null;
  }>(sql`
    select count(*) filter (where email_key = ${emailKey}) as by_email,
           count(*) filter (where address = ${address}) as by_address,
           min(at) as oldest
    from sign_in_failures
    where at > ${since} and (email_key = ${emailKey} or address = ${address})`);
  return row ?? { by_email: 0, by_address: 0, oldest: null };
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

/** Organizations that nobody has claimed yet: at the terminal only. */
export function listUnclaimed(queries: Queries): Promise<{ id: string; name: string }[]> {
  return queries.query<{ id: string; name: string }>(sql`
    select o.id, o.name
    from organizations o
    where not exists (select 1 from users u where u.organization_id = o.id)
    order by o.id
    limit 10`);
}

/** Of every organization, or of the one with that id or name: at the terminal only. */
export function listPrimaryOwners(
  queries: Queries,
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

/** Ended sign-ins and dead links, of every organization: nobody can use them any more. */
export async function deleteEnded(tx: Tx, now: Date, idleSince: Date): Promise<void> {
  await tx.query(sql`
    delete from sign_ins where expires_at <= ${now} or last_seen_at <= ${idleSince}`);
  await tx.query(sql`delete from setup_links where expires_at <= ${now} or used_at is not null`);
  await tx.query(sql`delete from sign_in_failures where at <= ${idleSince}`);
}
