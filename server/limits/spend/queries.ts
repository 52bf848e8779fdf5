// Statements about spend limits over the API: those of members, what they spent, and what they ask for.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { sql } from "../../../kernel/sql/statement.ts";
import { spanOf, type Period } from "../periods.ts";

export interface LimitRow {
  id: string;
  /** Empty: the organization. */
  workspaceId: string;
  userId: string | null;
  period: Period;
  nano: string | null;
  createdAt: Date;
  updatedAt: Date;
}

const shared = sql`id, workspace_id as "workspaceId", null as "userId", 'monthly' as period,
  limit_nano::text as nano, created_at as "createdAt", updated_at as "updatedAt"`;
const personal = sql`id, '' as "workspaceId", user_id as "userId", period, limit_nano::text as nano,
  created_at as "createdAt", updated_at as "updatedAt"`;

/** Of the organization and its workspaces. */
export function listShared(
  on: Queryable,
  organizationId: string,
  page: { after: string; rows: number },
): Promise<LimitRow[]> {
  return on.query<LimitRow>(sql`
    select ${shared} from spend_limits
    where organization_id = ${organizationId} and id > ${page.after}
    order by id limit ${page.rows}`);
}

export function listPersonal(
  on: Queryable,
  organizationId: string,
  page: { after: string; rows: number },
): Promise<LimitRow[]> {
  return on.query<LimitRow>(sql`
    select ${personal} from user_spend_limits
    where organization_id = ${organizationId} and id > ${page.after}
    order by id limit ${page.rows}`);
}

export async function findLimit(
  on: Queryable,
  organizationId: string,
  id: string,
): Promise<LimitRow | undefined> {
  const [row] = await on.query<LimitRow>(sql`
    select ${shared} from spend_limits where organization_id = ${organizationId} and id = ${id}
    union all
    select ${personal} from user_spend_limits
    where organization_id = ${organizationId} and id = ${id}`);
  return row;
}

/** Limits of these members. */
export function limitsOfUsers(
  on: Queryable,
  organizationId: string,
  userIds: readonly string[],
): Promise<LimitRow[]> {
  return on.query<LimitRow>(sql`
    select ${personal} from user_spend_limits
    where organization_id = ${organizationId} and user_id = any(${userIds}::text[])`);
}

/** What was there keeps its id and its beginning. */
export async function setUserLimit(
  tx: Tx,
  organizationId: string,
  limit: { id: string; userId: string; period: Period; nano: bigint | null; at: Date },
): Promise<void> {
  const nano = limit.nano === null ? null : String(limit.nano);
  await tx.query(sql`
    insert into user_spend_limits (organization_id, user_id, period, id, limit_nano, created_at,
      updated_at)
    values (${organizationId}, ${limit.userId}, ${limit.period}, ${limit.id}, ${nano}::bigint,
      ${limit.at}, ${limit.at})
    on conflict (organization_id, user_id, period) do update set
      limit_nano = excluded.limit_nano, updated_at = excluded.updated_at`);
}

export async function deleteUserLimit(tx: Tx, organizationId: string, id: string): Promise<void> {
  await tx.query(sql`
    delete from user_spend_limits where organization_id = ${organizationId} and id = ${id}`);
}

export interface MemberRow {
  id: string;
  name: string;
  email: string;
}

export function listMembers(
  on: Queryable,
  organizationId: string,
  page: { after: string; rows: number; ids: readonly string[] | null },
): Promise<MemberRow[]> {
  return on.query<MemberRow>(sql`
    select id, name, email from users
    where organization_id = ${organizationId} and id > ${page.after}
      and (${page.ids}::text[] is null or id = any(${page.ids}::text[]))
    order by id limit ${page.rows}`);
}

export interface SpentRow {
  userId: string;
  daily: string;
  weekly: string;
  monthly: string;
}

/** In the day, the week and the month of this moment. */
export function spentByUsers(
  on: Queryable,
  organizationId: string,
  userIds: readonly string[],
  now: Date,
): Promise<SpentRow[]> {
  const [day, week, month] = [
    spanOf("daily", now).from,
    spanOf("weekly", now).from,
    spanOf("monthly", now).from,
  ];
  const until = spanOf("daily", now).until;
  return on.query<SpentRow>(sql`
    select user_id as "userId",
      coalesce(sum(spent_nano) filter (where day >= ${day}::date), 0)::text as daily,
      coalesce(sum(spent_nano) filter (where day >= ${week}::date), 0)::text as weekly,
      coalesce(sum(spent_nano) filter (where day >= ${month}::date), 0)::text as monthly
    from spend_user_days
    where organization_id = ${organizationId} and user_id = any(${userIds}::text[])
      and day >= least(${week}::date, ${month}::date) and day < ${until}::date
    group by 1`);
}

export interface RequestRow {
  id: string;
  userId: string;
  name: string;
  email: string;
  period: Period;
  reason: string | null;
  status: "pending" | "approved" | "denied";
  createdAt: Date;
  resolvedAt: Date | null;
  resolvedBy: string | null;
}

const requestColumns = sql`request.id, request.user_id as "userId", users.name, users.email,
  request.period, request.reason, request.status, request.created_at as "createdAt",
  request.resolved_at as "resolvedAt", request.resolved_by as "resolvedBy"`;
/** Those who asked must still be members. */
const requests = sql`spend_limit_increase_requests as request
  join users on users.id = request.user_id and users.organization_id = request.organization_id`;

export function listRequests(
  on: Queryable,
  organizationId: string,
  page: {
    before: string | null;
    rows: number;
    users: readonly string[] | null;
    statuses: readonly string[] | null;
  },
): Promise<RequestRow[]> {
  return on.query<RequestRow>(sql`
    select ${requestColumns} from ${requests}
    where request.organization_id = ${organizationId}
      and (${page.before}::text is null or request.id < ${page.before})
      and (${page.users}::text[] is null or request.user_id = any(${page.users}::text[]))
      and (${page.statuses}::text[] is null or request.status = any(${page.statuses}::text[]))
    order by request.id desc limit ${page.rows}`);
}

export async function findRequest(
  on: Queryable,
  organizationId: string,
  id: string,
): Promise<RequestRow | undefined> {
  const [row] = await on.query<RequestRow>(sql`
    select ${requestColumns} from ${requests}
    where request.organization_id = ${organizationId} and request.id = ${id}`);
  return row;
}

/** Held until the transaction ends: of two decisions, the second finds what the first did. */
export async function lockRequest(tx: Tx, organizationId: string, id: string): Promise<void> {
  await tx.query(sql`
    select id from spend_limit_increase_requests
    where organization_id = ${organizationId} and id = ${id} for update`);
}

/** False: there is one that is still pending. */
export async function insertRequest(
  tx: Tx,
  organizationId: string,
  request: { id: string; userId: string; period: Period; reason: string | null; at: Date },
): Promise<boolean> {
  const rows = await tx.query<{ id: string }>(sql`
    insert into spend_limit_increase_requests (id, organization_id, user_id, period, reason, status,
      created_at)
    values (${request.id}, ${organizationId}, ${request.userId}, ${request.period},
      ${request.reason}, 'pending', ${request.at})
    on conflict do nothing returning id`);
  return rows.length > 0;
}

export async function resolveRequest(
  tx: Tx,
  organizationId: string,
  id: string,
  how: { status: "approved" | "denied"; by: string; at: Date },
): Promise<void> {
  await tx.query(sql`
    update spend_limit_increase_requests
    set status = ${how.status}, resolved_at = ${how.at}, resolved_by = ${how.by}
    where organization_id = ${organizationId} and id = ${id}`);
}
