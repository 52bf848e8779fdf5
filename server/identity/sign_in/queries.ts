// Statements about sign-ins, and about those that failed.
import type { OrganizationType } from "../../../kernel/context.ts";
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { preparedAs, sql } from "../../../kernel/sql/statement.ts";
import type { Role } from "../access/permissions.ts";
import type { Method } from "../schema.ts";

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
    method: Method;
  },
): Promise<void> {
  await tx.query(sql`
    insert into sign_ins
      (id, organization_id, user_id, token_sha256, created_at, last_seen_at, expires_at, address,
       user_agent, method, proved_at)
    values (${signIn.id}, ${organizationId}, ${signIn.userId}, ${signIn.tokenSha256}, ${signIn.at},
            ${signIn.at}, ${signIn.expiresAt}, ${signIn.address}, ${signIn.userAgent},
            ${signIn.method}, ${signIn.at})`);
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
  queries: Queryable,
  tokenSha256: Buffer,
): Promise<SignInRow | undefined> {
  const [row] = await queries.query<SignInRow>(
    preparedAs(
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

export function listSignIns(
  queries: Queryable,
  organizationId: string,
  userId: string,
  { now, seenSince }: { now: Date; seenSince: Date },
) {
  return queries.query<{
    id: string;
    created_at: Date;
    last_seen_at: Date;
    address: string;
    user_agent: string;
    method: Method;
  }>(sql`
    select id, created_at, last_seen_at, address, user_agent, method
    from sign_ins
    where organization_id = ${organizationId} and user_id = ${userId}
      and expires_at > ${now} and last_seen_at >= ${seenSince}
    order by id desc
    limit 100`);
}

/** When any sign-in of this person that is kept was seen last. */
export async function findLastSeen(
  queries: Queryable,
  organizationId: string,
  userId: string,
): Promise<Date | null> {
  const [row] = await queries.query<{ last_seen_at: Date | null }>(sql`
    select max(last_seen_at) as last_seen_at
    from sign_ins
    where organization_id = ${organizationId} and user_id = ${userId}`);
  return row?.last_seen_at ?? null;
}

/** Ends one sign-in of the person, or all but the one named; returns the ids of those that ended. */
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

export interface FailureRow {
  emailKey: string;
  address: string;
  at: Date;
}

export async function insertFailure(tx: Tx, { emailKey, address, at }: FailureRow): Promise<void> {
  await tx.query(sql`
    insert into sign_in_failures (email_key, address, at) values (${emailKey}, ${address}, ${at})`);
}

/** One of several equal rows: any will do, as long as two requests do not take the same. */
export async function deleteFailure(tx: Tx, { emailKey, address, at }: FailureRow): Promise<void> {
  await tx.query(sql`
    delete from sign_in_failures
    where ctid in (
      select ctid from sign_in_failures
      where email_key = ${emailKey} and address = ${address} and at = ${at}
      limit 1
      for update skip locked)`);
}

export async function deleteFailures(tx: Tx, before: Date): Promise<void> {
  await tx.query(sql`delete from sign_in_failures where at < ${before}`);
}

export interface FailureCount {
  count: number;
  oldest: Date | null;
}

export async function countFailures(
  queries: Queryable,
  emailKey: string,
  address: string,
  since: Date,
): Promise<{ email: FailureCount; address: FailureCount }> {
  const [row] = await queries.query<{
    by_email: number;
    by_address: number;
    oldest_by_email: Date | null;
    oldest_by_address: Date | null;
  }>(sql`
    select count(*) filter (where email_key = ${emailKey}) as by_email,
           count(*) filter (where address = ${address}) as by_address,
           min(at) filter (where email_key = ${emailKey}) as oldest_by_email,
           min(at) filter (where address = ${address}) as oldest_by_address
    from sign_in_failures
    where at > ${since} and (email_key = ${emailKey} or address = ${address})`);
  return {
    email: { count: row?.by_email ?? 0, oldest: row?.oldest_by_email ?? null },
    address: { count: row?.by_address ?? 0, oldest: row?.oldest_by_address ?? null },
  };
}

/** Ended sign-ins and dead links, of every organization: they cannot be used any more. */
export async function deleteEnded(tx: Tx, now: Date, idleSince: Date): Promise<void> {
  await tx.query(sql`
    delete from sign_ins where expires_at <= ${now} or last_seen_at <= ${idleSince}`);
  await tx.query(sql`delete from setup_links where expires_at <= ${now} or used_at is not null`);
  await tx.query(sql`delete from sign_in_failures where at <= ${idleSince}`);
}
