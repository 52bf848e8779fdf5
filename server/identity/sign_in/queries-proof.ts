// Statements about how people prove who they are: last way and time of sign-in, second steps, spent tokens.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { sql } from "../../../kernel/sql/statement.ts";
import type { Method } from "../schema.ts";

export async function noteSignedIn(
  tx: Tx,
  organizationId: string,
  userId: string,
  { method, at }: { method: Method; at: Date },
): Promise<void> {
  await tx.query(sql`
    update users set last_signed_in_at = ${at}, last_signed_in_by = ${method}
    where organization_id = ${organizationId} and id = ${userId}`);
}

export async function findProvedAt(
  queries: Queryable,
  organizationId: string,
  signInId: string,
): Promise<Date | undefined> {
  const [row] = await queries.query<{ proved_at: Date }>(sql`
    select coalesce(proved_at, created_at) as proved_at
    from sign_ins
    where organization_id = ${organizationId} and id = ${signInId}`);
  return row?.proved_at;
}

export async function setProvedAt(
  tx: Tx,
  organizationId: string,
  signInId: string,
  at: Date,
): Promise<void> {
  await tx.query(sql`
    update sign_ins set proved_at = ${at}
    where organization_id = ${organizationId} and id = ${signInId}`);
}

export async function setSecondStep(
  tx: Tx,
  organizationId: string,
  userId: string,
  isOn: boolean,
): Promise<void> {
  await tx.query(sql`
    update users set second_step = ${isOn}
    where organization_id = ${organizationId} and id = ${userId}`);
}

/** False when it was spent before. */
export async function spendToken(tx: Tx, sha256: Buffer, expiresAt: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into spent_tokens (token_sha256, expires_at) values (${sha256}, ${expiresAt})
    on conflict do nothing
    returning expires_at`);
  return rows.length > 0;
}

export async function deleteSpentTokens(tx: Tx, before: Date): Promise<void> {
  await tx.query(sql`delete from spent_tokens where expires_at <= ${before}`);
}

/** A person who recovers an account by a link has lost their passkeys, or a stranger has them. */
export async function deletePasskeysOf(
  tx: Tx,
  organizationId: string,
  userId: string,
): Promise<void> {
  await tx.query(sql`
    delete from passkeys where organization_id = ${organizationId} and user_id = ${userId}`);
}

export async function noteBreakGlass(
  tx: Tx,
  organizationId: string,
  userId: string,
  at: Date,
): Promise<void> {
  await tx.query(sql`
    update users set last_break_glass_at = ${at}
    where organization_id = ${organizationId} and id = ${userId}`);
}
