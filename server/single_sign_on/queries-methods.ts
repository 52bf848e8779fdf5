// Statements of the page Sign-in methods: how people signed in last, and who keeps a way past single sign-on.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import type { Role } from "../identity/module.ts";

interface Person {
  id: string;
  name: string;
  email: string;
  role: Role;
}

export function listRecent(
  queries: Queryable,
  organizationId: string,
  rows: number,
): Promise<(Person & { last_signed_in_at: Date; last_signed_in_by: string })[]> {
  return queries.query<Person & { last_signed_in_at: Date; last_signed_in_by: string }>(sql`
    select id, name, email, role, last_signed_in_at, last_signed_in_by
    from users
    where organization_id = ${organizationId} and last_signed_in_at is not null
    order by last_signed_in_at desc, id desc
    limit ${rows}`);
}

export interface OwnerRow extends Person {
  break_glass: boolean;
  has_password: boolean;
  passkeys: number;
  last_signed_in_at: Date | null;
  last_signed_in_by: string | null;
  last_break_glass_at: Date | null;
}

export function listOwners(queries: Queryable, organizationId: string): Promise<OwnerRow[]> {
  return queries.query<OwnerRow>(sql`
    select u.id, u.name, u.email, u.role, u.break_glass, u.password_hash is not null as has_password,
           (select count(*) from passkeys p
            where p.organization_id = u.organization_id and p.user_id = u.id) as passkeys,
           u.last_signed_in_at, u.last_signed_in_by, u.last_break_glass_at
    from users u
    where u.organization_id = ${organizationId} and u.role in ('primary_owner', 'owner')
    order by u.role desc, u.id
    limit 100`);
}

/** Counted up to `most`. */
export async function countPasskeyPeople(
  queries: Queryable,
  organizationId: string,
  most: number,
): Promise<number> {
  const [row] = await queries.query<{ count: number }>(sql`
    select count(*) as count from (
      select distinct user_id from passkeys
      where organization_id = ${organizationId}
      order by user_id
      limit ${most}
    ) people`);
  return row?.count ?? 0;
}

export async function setBreakGlass(
  tx: Tx,
  organizationId: string,
  userId: string,
  isMarked: boolean,
): Promise<void> {
  await tx.query(sql`
    update users set break_glass = ${isMarked}
    where organization_id = ${organizationId} and id = ${userId}`);
}
