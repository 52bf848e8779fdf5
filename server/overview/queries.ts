// What the overview looks at: rows that are few, sums, or what an index finds.
import type { Queryable } from "../../kernel/sql/database.ts";
import { joinStatements, sql, type Statement } from "../../kernel/sql/statement.ts";
import { refusingFromPercent, type Span } from "../limits/module.ts";
import type { WaitingKind } from "./schema.ts";

/** The ledger keeps what was asked for good. */
export async function hasAskedModel(on: Queryable, organizationId: string): Promise<boolean> {
  const [row] = await on.query<{ has: boolean }>(sql`
    select exists (select from ledger where organization_id = ${organizationId}) as has`);
  return row?.has ?? false;
}

export async function monthSpent(
  on: Queryable,
  organizationId: string,
  month: string,
): Promise<bigint> {
  const [row] = await on.query<{ nano: string }>(sql`
    select coalesce(sum(spent_nano), 0)::text as nano from spend_months
    where organization_id = ${organizationId} and month = ${month}`);
  return BigInt(row?.nano ?? 0);
}

export interface LimitRow {
  scope: "organization" | "workspace" | "member";
  id: string | null;
  name: string | null;
  period: "daily" | "weekly" | "monthly";
  limitNano: string;
  spentNano: string;
  isBlocked: boolean;
  blocked: number;
}

export type Spans = Readonly<Record<LimitRow["period"], Span>>;

/** Those that are reached first, then those that are nearest to it. */
export function listLimits(
  on: Queryable,
  organizationId: string,
  { spans, workspaceIds, rows }: { spans: Spans; workspaceIds: Ids; rows: number },
): Promise<LimitRow[]> {
  const { daily, weekly, monthly } = spans;
  return on.query<LimitRow>(sql`
    with known as (
      select case workspace_id when '' then 'organization' else 'workspace' end as scope,
        workspace_id as holder, 'monthly' as period, ${monthly.key}::text as period_key, limit_nano,
        coalesce((
          select sum(spent_nano) from spend_months as spend
          where spend.organization_id = limits.organization_id and month = ${monthly.key}
            and (limits.workspace_id = '' or spend.workspace_id = limits.workspace_id)), 0) as spent
      from spend_limits as limits
      where organization_id = ${organizationId} and (workspace_id = '' or ${visible(workspaceIds)}
        and exists (select from workspaces where id = workspace_id and archived_at is null))
      union all
      select 'member', user_id, period, case period when 'daily' then ${daily.key}
          when 'weekly' then ${weekly.key} else ${monthly.key} end, limit_nano, coalesce((
          select sum(spent_nano) from spend_user_days as spend
          where spend.organization_id = limits.organization_id and spend.user_id = limits.user_id
            and day >= case period when 'daily' then ${daily.from}::date
              when 'weekly' then ${weekly.from}::date else ${monthly.from}::date end), 0)
      from user_spend_limits as limits
      where organization_id = ${organizationId} and limit_nano is not null
    ), looked_at as (
      select scope, nullif(holder, '') as id, period, known.limit_nano, spent,
        spent >= known.limit_nano or refusal.limit_nano is not null
          and spent * 100 >= ${refusingFromPercent} * known.limit_nano as is_blocked
      from known left join spend_refusals as refusal
        on refusal.organization_id = ${organizationId} and refusal.holder_id = holder
          and refusal.period_key = known.period_key and refusal.limit_nano = known.limit_nano
    ), ranked as (
      select scope, id, period, limit_nano, spent, is_blocked,
        count(*) filter (where is_blocked) over () as blocked
      from looked_at
      order by is_blocked desc, spent / greatest(limit_nano, 1) desc, scope, id
      limit ${rows}
    )
    select scope, ranked.id, coalesce(workspaces.name, nullif(users.name, ''), users.email) as name,
      period, limit_nano::text as "limitNano", spent::text as "spentNano",
      is_blocked as "isBlocked", blocked::integer as blocked
    from ranked left join workspaces on workspaces.id = ranked.id and scope = 'workspace'
      left join users on users.id = ranked.id and scope = 'member'
    order by is_blocked desc, spent / greatest(limit_nano, 1) desc, scope, ranked.id`);
}

/** Null is all of the organization. */
export type Ids = readonly string[] | null;

const visible = (ids: Ids): Statement =>
  ids === null ? sql`true` : sql`workspace_id = any(${ids}::text[])`;

export interface PlacedBatches {
  workspaceId: string;
  workspaceName: string;
  batches: number;
  requests: number;
  done: number;
}

export function listOpenBatches(
  on: Queryable,
  organizationId: string,
  workspaceIds: Ids,
): Promise<PlacedBatches[]> {
  return on.query<PlacedBatches>(sql`
    select open.workspace_id as "workspaceId", workspaces.name as "workspaceName", batches,
      requests, done
    from (
      select workspace_id, count(*) as batches, sum(requests) as requests,
        sum(counted.done)::bigint as done
      from batches cross join lateral (
        select coalesce(sum(succeeded + errored + canceled + expired), 0) as done
        from batch_segments where batch_id = batches.id) as counted
      where organization_id = ${organizationId} and state <> 'ended' and ${visible(workspaceIds)}
      group by workspace_id
    ) as open join workspaces on workspaces.id = open.workspace_id
    order by workspaces.name, workspaces.id`);
}

export interface PlacedSessions {
  workspaceId: string;
  workspaceName: string;
  sessions: number;
}

export function listRunningSessions(
  on: Queryable,
  organizationId: string,
  workspaceIds: Ids,
): Promise<PlacedSessions[]> {
  return on.query<PlacedSessions>(sql`
    select running.workspace_id as "workspaceId", workspaces.name as "workspaceName", sessions
    from (
      select workspace_id, count(*) as sessions from sessions
      where organization_id = ${organizationId} and archived_at is null
        and status in ('running', 'rescheduling') and ${visible(workspaceIds)}
      group by workspace_id
    ) as running join workspaces on workspaces.id = running.workspace_id
    order by workspaces.name, workspaces.id`);
}

export interface WaitingRow {
  kind: WaitingKind;
  id: string;
  name: string;
  workspaceId: string | null;
  count: number;
  since: Date;
  total: number;
}

interface Wanted {
  kinds: readonly WaitingKind[];
  workspaceIds: Ids;
  invitesUntil: Date;
  now: Date;
  rows: number;
}

/** What only a person can set going again: of each kind the first few, and how many there are. */
export async function listWaiting(
  on: Queryable,
  organizationId: string,
  { kinds, rows, ...wanted }: Wanted,
): Promise<WaitingRow[]> {
  if (kinds.length === 0) return [];
  const found = kinds.map(
    (kind) => sql`(
      select ${kind}::text as kind, id, name, "workspaceId", count, since,
        (sum(count) over ())::integer as total
      from (${waitingOf[kind]({ organizationId, ...wanted })}) as found
      order by since, id limit ${rows})`,
  );
  return on.query<WaitingRow>(joinStatements(found, " union all "));
}

type Within = Omit<Wanted, "kinds" | "rows"> & { organizationId: string };

const waitingOf = {
  session: ({ organizationId, workspaceIds }: Within) => sql`
        select workspaces.id, workspaces.name, workspaces.id as "workspaceId",
          idle.sessions as count, idle.since
        from (
          select waits.workspace_id, count(*)::integer as sessions, min(waits.updated_at) as since
          from (select distinct session_id from session_calls
              where needs_confirmation or kind in ('custom', 'question')) as asked
            cross join lateral (
              select workspace_id, updated_at, status, archived_at from sessions
              where id = asked.session_id and organization_id = ${organizationId}
              limit 1) as waits
          where waits.status = 'idle' and waits.archived_at is null
            and ${visible(workspaceIds)}
          group by waits.workspace_id
        ) as idle join workspaces on workspaces.id = idle.workspace_id`,
  deployment: ({ organizationId, workspaceIds }: Within) => sql`
        select id, name, workspace_id as "workspaceId", 1 as count, updated_at as since
        from deployments
        where organization_id = ${organizationId} and paused_by is not null
          and archived_at is null and paused_by <> 'manual' and ${visible(workspaceIds)}`,
  credential: ({ organizationId, workspaceIds }: Within) => sql`
        with failing as materialized (
          select vault_id, display_name, workspace_id, refresh_failing_since
          from vault_credentials
          where organization_id = ${organizationId} and refresh_failing_since is not null
            and archived_at is null and ${visible(workspaceIds)})
        select vaults.id, coalesce(failing.display_name, vaults.display_name) as name,
          failing.workspace_id as "workspaceId", 1 as count, failing.refresh_failing_since as since
        from failing join vaults on vaults.id = failing.vault_id`,
  webhook: ({ organizationId }: Within) => sql`
        select id, name, workspace_id as "workspaceId", 1 as count, updated_at as since
        from webhook_endpoints
        where organization_id = ${organizationId} and state = 'disabled' and disabled_reason <> ''`,
  invite: ({ organizationId, invitesUntil, now }: Within) => sql`
        select id, email as name, null as "workspaceId", 1 as count, invited_at as since
        from invites
        where organization_id = ${organizationId} and status = 'pending'
          and expires_at > ${now} and expires_at <= ${invitesUntil}`,
  spend_request: ({ organizationId }: Within) => sql`
        select request.id, coalesce(nullif(users.name, ''), users.email) as name,
          null as "workspaceId", 1 as count, request.created_at as since
        from spend_limit_increase_requests as request
          join users on users.id = request.user_id
            and users.organization_id = request.organization_id
        where request.organization_id = ${organizationId} and request.status = 'pending'`,
} satisfies Record<WaitingKind, (within: Within) => Statement>;

export interface StorageRow {
  files: number;
  skills: number;
  memory: number;
  batches: number;
}

/** In bytes; of batches what was asked until they end, and results until they are emptied. */
export async function readStorage(
  on: Queryable,
  organizationId: string,
): Promise<StorageRow | undefined> {
  const [row] = await on.query<StorageRow>(sql`
    select
      coalesce((select bytes from file_storage where organization_id = ${organizationId}), 0)
        as files,
      coalesce((select bytes from skill_storage where organization_id = ${organizationId}), 0)
        as skills,
      (select coalesce(sum(stored.bytes), 0)::bigint
        from memory_workspaces as stored join workspaces on workspaces.id = stored.workspace_id
        where workspaces.organization_id = ${organizationId}) as memory,
      (select coalesce(sum(case when state <> 'ended' then body_bytes else 0 end + results.bytes),
          0)::bigint
        from batches cross join lateral (
          select coalesce(sum(bytes), 0) as bytes from batch_segments
          where batch_id = batches.id) as results
        where organization_id = ${organizationId} and emptied_at is null) as batches`);
  return row;
}

/** Of keys and service accounts; one that is archived keeps its name. */
export function namesOf(
  on: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<{ id: string; name: string }[]> {
  return on.query(sql`
    select id, name from keys
    where organization_id = ${organizationId} and id = any(${ids}::text[])
    union all
    select id, name from service_accounts
    where organization_id = ${organizationId} and id = any(${ids}::text[])`);
}
