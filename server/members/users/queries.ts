// Statements about members and former members.
import type { PageWindow } from "../../../kernel/http/pages.ts";
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { joinStatements, sql, type Statement } from "../../../kernel/sql/statement.ts";
import type { Role } from "./roles.ts";

export interface MemberRow {
  id: string;
  email: string;
  name: string;
  role: Role;
  added_at: Date;
  seat_tier_id: string | null;
}

const columns: Statement = sql`u.id, u.email, u.name, u.role, u.added_at, u.seat_tier_id`;

/** Every change of an organization's membership or seats waits here for those before it. */
export async function lockMembership(tx: Tx, organizationId: string): Promise<void> {
  await tx.query(sql`
    select id from organizations where id = ${organizationId} for no key update`);
}

export async function findMember(
  queries: Queryable,
  organizationId: string,
  id: string,
): Promise<MemberRow | undefined> {
  const [row] = await queries.query<MemberRow>(sql`
    select ${columns} from users u where u.organization_id = ${organizationId} and u.id = ${id}`);
  return row;
}

export async function findMemberByPlainEmail(
  queries: Queryable,
  organizationId: string,
  emailPlain: string,
): Promise<MemberRow | undefined> {
  const [row] = await queries.query<MemberRow>(sql`
    select ${columns}
    from users u
    where u.organization_id = ${organizationId} and u.email_plain = ${emailPlain}
    order by u.id
    limit 1`);
  return row;
}

export interface MemberFilter {
  emailPlain: string | null;
  roles: readonly Role[] | null;
}

/** Each branch walks an index that ends with the id: a page costs what it shows, however many members there are. */
export function listMembers(
  queries: Queryable,
  organizationId: string,
  { emailPlain, roles }: MemberFilter,
  { after, before, rows }: PageWindow,
): Promise<MemberRow[]> {
  const order = before === null ? sql`u.id desc` : sql`u.id asc`;
  const inWindow = sql`
    (${after}::text is null or u.id < ${after}) and (${before}::text is null or u.id > ${before})`;
  if (emailPlain === null && roles !== null) {
    if (roles.length === 0) return Promise.resolve([]);
    // One branch for each, with its value visible to the planner.
    const branches = roles.map(
      (role) => sql`
        (select ${columns}
         from users u
         where u.organization_id = ${organizationId} and u.role = ${role} and ${inWindow}
         order by ${order}
         limit ${rows})`,
    );
    return queries.query<MemberRow>(sql`
      select ${columns}
      from (${joinStatements(branches, " union all ")}) u
      order by ${order}
      limit ${rows}`);
  }
  if (emailPlain === null) {
    // The organization is part of the order, so that no index leads through other organizations' people.
    const direction = before === null ? sql`desc` : sql`asc`;
    // One bound on each side: with two the index would begin at the wider one, and step over what lies between.
    const [from, to] = [
      before === null
        ? sql`u.organization_id >= ${organizationId}`
        : sql`(u.organization_id, u.id) > (${organizationId}, ${before})`,
      after === null
        ? sql`u.organization_id <= ${organizationId}`
        : sql`(u.organization_id, u.id) < (${organizationId}, ${after})`,
    ];
    return queries.query<MemberRow>(sql`
      select ${columns}
      from users u
      where ${from} and ${to}
      order by u.organization_id ${direction}, u.id ${direction}
      limit ${rows}`);
  }
  return queries.query<MemberRow>(sql`
    select ${columns}
    from users u
    where u.organization_id = ${organizationId} and u.email_plain = ${emailPlain} and ${inWindow}
      and (${roles}::text[] is null or u.role = any(${roles}))
    order by ${order}
    limit ${rows}`);
}

/** Members whose e-mail or name begins like this: at most so many of each, by e-mail. */
export function searchMembers(
  queries: Queryable,
  organizationId: string,
  beginning: string,
  rows: number,
): Promise<MemberRow[]> {
  const end = `${beginning}\u{10ffff}`;
  return queries.query<MemberRow>(sql`
    select ${columns}
    from users u
    where u.id in (
      (select id from users
       where organization_id = ${organizationId}
         and email_key >= ${beginning} and email_key < ${end}
       order by email_key
       limit ${rows})
      union
      (select id from users
       where organization_id = ${organizationId}
         and lower(name) collate "C" >= ${beginning} and lower(name) collate "C" < ${end}
       order by lower(name) collate "C"
       limit ${rows}))
    order by u.email_key
    limit ${rows}`);
}

export async function countMembers(queries: Queryable, organizationId: string): Promise<number> {
  const [row] = await queries.query<{ count: number }>(sql`
    select count(*) as count from users where organization_id = ${organizationId}`);
  return row?.count ?? 0;
}

export async function isOnlyMember(
  queries: Queryable,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const [other] = await queries.query(sql`
    select id from users
    where organization_id = ${organizationId} and id <> ${id}
    order by id
    limit 1`);
  return other === undefined;
}

export async function setRole(
  tx: Tx,
  organizationId: string,
  id: string,
  role: Role,
): Promise<void> {
  await tx.query(sql`
    update users set role = ${role} where organization_id = ${organizationId} and id = ${id}`);
}

export async function setName(
  tx: Tx,
  organizationId: string,
  id: string,
  name: string,
): Promise<void> {
  await tx.query(sql`
    update users set name = ${name} where organization_id = ${organizationId} and id = ${id}`);
}

export async function setSeat(
  tx: Tx,
  organizationId: string,
  id: string,
  seatTierId: string | null,
): Promise<void> {
  await tx.query(sql`
    update users set seat_tier_id = ${seatTierId}
    where organization_id = ${organizationId} and id = ${id}`);
}

/** Sign-ins, set-up links and all other rows that hang on a member go with them. */
export async function moveToFormer(
  tx: Tx,
  organizationId: string,
  id: string,
  at: Date,
): Promise<void> {
  await tx.query(sql`
    insert into former_members (id, organization_id, email, name, role, added_at, removed_at)
    select id, organization_id, email, name, role, added_at, ${at}
    from users
    where organization_id = ${organizationId} and id = ${id}`);
  await tx.query(sql`delete from users where organization_id = ${organizationId} and id = ${id}`);
}

/** True where there was one: a former member who comes back is none any more. */
export async function deleteFormer(tx: Tx, organizationId: string, id: string): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from former_members
    where organization_id = ${organizationId} and id = ${id}
    returning id`);
  return rows.length > 0;
}

export interface PersonRow {
  id: string;
  name: string;
  removed_at: Date | null;
}

export function listPeople(
  queries: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<PersonRow[]> {
  return queries.query<PersonRow>(sql`
    select id, name, null::timestamptz as removed_at
    from users
    where organization_id = ${organizationId} and id = any(${ids})
    union all
    select id, name, removed_at
    from former_members
    where organization_id = ${organizationId} and id = any(${ids})`);
}
