// Statements about which member a provider's person is, and about people whom it sent that are no members.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { sql } from "../../../kernel/sql/statement.ts";

export interface Subject {
  issuer: string;
  subject: string;
}

export async function findIdentity(
  queries: Queryable,
  organizationId: string,
  { issuer, subject }: Subject,
): Promise<{ id: string; user_id: string } | undefined> {
  const [row] = await queries.query<{ id: string; user_id: string }>(sql`
    select id, user_id from sign_on_identities
    where organization_id = ${organizationId} and issuer = ${issuer} and subject = ${subject}`);
  return row;
}

export async function findUserByEmail(
  queries: Queryable,
  organizationId: string,
  emailKey: string,
): Promise<{ id: string } | undefined> {
  const [row] = await queries.query<{ id: string }>(sql`
    select id from users where organization_id = ${organizationId} and email_key = ${emailKey}`);
  return row;
}

/** A member linked to one subject of this provider is not taken over by a second one. */
export async function isLinked(
  queries: Queryable,
  organizationId: string,
  userId: string,
  issuer: string,
): Promise<boolean> {
  const rows = await queries.query(sql`
    select id from sign_on_identities
    where organization_id = ${organizationId} and user_id = ${userId} and issuer = ${issuer}
    limit 1`);
  return rows.length > 0;
}

export async function insertIdentity(
  tx: Tx,
  organizationId: string,
  identity: Subject & {
    id: string;
    userId: string;
    email: string | null;
    linkedBy: "verified_email" | "provisioning" | "owner";
    at: Date;
  },
): Promise<void> {
  await tx.query(sql`
    insert into sign_on_identities
      (id, organization_id, user_id, issuer, subject, email, linked_by, created_at)
    values (${identity.id}, ${organizationId}, ${identity.userId}, ${identity.issuer},
            ${identity.subject}, ${identity.email}, ${identity.linkedBy}, ${identity.at})`);
}

export async function noteIdentityUse(
  tx: Tx,
  organizationId: string,
  id: string,
  { email, at }: { email: string | null; at: Date },
): Promise<void> {
  await tx.query(sql`
    update sign_on_identities set last_used_at = ${at}, email = coalesce(${email}, email)
    where organization_id = ${organizationId} and id = ${id}`);
}

export async function deleteIdentities(
  tx: Tx,
  organizationId: string,
  userId: string,
): Promise<number> {
  const rows = await tx.query(sql`
    delete from sign_on_identities
    where organization_id = ${organizationId} and user_id = ${userId}
    returning id`);
  return rows.length;
}

export interface StrangerRow extends Subject {
  id: string;
  email: string | null;
  name: string | null;
  reason: string;
  seen_at: Date;
}

export async function putStranger(
  tx: Tx,
  organizationId: string,
  stranger: StrangerRow,
): Promise<void> {
  await tx.query(sql`
    insert into sign_on_strangers
      (id, organization_id, issuer, subject, email, name, reason, seen_at)
    values (${stranger.id}, ${organizationId}, ${stranger.issuer}, ${stranger.subject},
            ${stranger.email}, ${stranger.name}, ${stranger.reason}, ${stranger.seen_at})
    on conflict (organization_id, issuer, subject) do update
    set email = excluded.email, name = excluded.name, reason = excluded.reason,
        seen_at = excluded.seen_at`);
}

/** Deletes all but the newest so many. */
export async function deleteOldStrangers(
  tx: Tx,
  organizationId: string,
  keep: number,
): Promise<void> {
  await tx.query(sql`
    delete from sign_on_strangers
    where organization_id = ${organizationId} and id not in (
      select id from sign_on_strangers
      where organization_id = ${organizationId}
      order by seen_at desc, id desc
      limit ${keep})`);
}

export function listStrangers(queries: Queryable, organizationId: string): Promise<StrangerRow[]> {
  return queries.query<StrangerRow>(sql`
    select id, issuer, subject, email, name, reason, seen_at
    from sign_on_strangers
    where organization_id = ${organizationId}
    order by seen_at desc, id desc
    limit 100`);
}

export async function takeStranger(
  tx: Tx,
  organizationId: string,
  id: string,
): Promise<StrangerRow | undefined> {
  const [row] = await tx.query<StrangerRow>(sql`
    delete from sign_on_strangers
    where organization_id = ${organizationId} and id = ${id}
    returning id, issuer, subject, email, name, reason, seen_at`);
  return row;
}

export async function deleteStranger(
  tx: Tx,
  organizationId: string,
  { issuer, subject }: Subject,
): Promise<void> {
  await tx.query(sql`
    delete from sign_on_strangers
    where organization_id = ${organizationId} and issuer = ${issuer} and subject = ${subject}`);
}
