// What waits and what is kept, counted for the metrics: each statement looks at rows that are few, or at an index.
import type { Queryable } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";

export interface Backlog {
  batches: number;
  batchesOldest: number;
  webhooks: number;
  webhooksOldest: number;
  audit: number;
  auditOldest: number;
  ledger: number;
  work: number;
  workOldest: number;
}

/** Of an open batch those requests that have no result yet; of the audit log what is not signed yet. */
export async function selectBacklog(on: Queryable): Promise<Backlog | undefined> {
  const [row] = await on.query<Backlog>(sql`
    select batch.waiting as batches, batch.oldest as "batchesOldest",
      delivery.waiting as webhooks, delivery.oldest as "webhooksOldest",
      event.waiting as audit, event.oldest as "auditOldest",
      (select count(*) from ledger_journal) as ledger,
      work.waiting as work, work.oldest as "workOldest"
    from (
      select coalesce(sum(requests - done), 0)::double precision as waiting,
        coalesce(extract(epoch from statement_timestamp() - min(created_at)), 0)::double precision as oldest
      from batches cross join lateral (
        select coalesce(sum(succeeded + errored + canceled + expired), 0) as done
        from batch_segments where batch_id = batches.id) as counted
      where state <> 'ended'
    ) as batch, (
      select count(*) as waiting, greatest(0,
        extract(epoch from statement_timestamp() - min(next_attempt_at)))::double precision as oldest
      from webhook_deliveries where state = 'waiting' and next_attempt_at is not null
    ) as delivery, (
      select coalesce(sum(behind), 0)::double precision as waiting,
        coalesce(max(extract(epoch from statement_timestamp() - first.at)), 0)::double precision as oldest
      from audit_heads as head left join audit_checks as checked using (organization_id)
        cross join lateral (select head.seq - coalesce(checked.anchored_seq, 0) as behind) as unsigned
        left join lateral (
          select at from audit_events where organization_id = head.organization_id
            and seq > coalesce(checked.anchored_seq, 0) order by seq limit 1) as first on true
      where behind > 0
    ) as event, (
      select count(*) as waiting, coalesce(extract(epoch from statement_timestamp() - min(created_at)),
        0)::double precision as oldest
      from environment_work where state = 'queued'
    ) as work`);
  return row;
}

export interface Kept {
  running: number;
  rescheduling: number;
  idle: number;
  terminated: number;
  sandboxesRunning: number;
  sandboxesKept: number;
  files: number;
  skills: number;
  batches: number;
}

/** Sessions are counted from their index by status. */
export async function selectKept(on: Queryable): Promise<Kept | undefined> {
  const [row] = await on.query<Kept>(sql`
    select session.running, session.rescheduling, session.idle, session.terminated,
      sandbox.running as "sandboxesRunning", sandbox.kept as "sandboxesKept",
      (select coalesce(sum(bytes), 0)::double precision from file_storage) as files,
      (select coalesce(sum(bytes), 0)::double precision from skill_storage) as skills,
      (select coalesce(sum(body_bytes), 0)::double precision from batches where state <> 'ended')
        + (select coalesce(sum(bytes), 0)::double precision from batch_segments
          where batch_id in (select id from batches where emptied_at is null)) as batches
    from (
      select count(*) filter (where status = 'running') as running,
        count(*) filter (where status = 'rescheduling') as rescheduling,
        count(*) filter (where status = 'idle') as idle,
        count(*) filter (where status = 'terminated') as terminated
      from sessions where archived_at is null
    ) as session, (
      select count(*) filter (where lease_until > statement_timestamp()) as running, count(*) as kept
      from session_sandboxes
    ) as sandbox`);
  return row;
}

export interface SpendShares {
  organization: number;
  workspace: number;
  member: number;
}

/** Of each kind the limit that is nearest to being reached; one of nothing is meant to refuse, and is left out. */
export async function selectSpendShares(on: Queryable): Promise<SpendShares | undefined> {
  const [row] = await on.query<SpendShares>(sql`
    with now as (select statement_timestamp() at time zone 'UTC' as at), shared as (
      select limits.workspace_id, limits.limit_nano::double precision as most, (
        select sum(spent_nano) from spend_months, now
        where spend_months.organization_id = limits.organization_id
          and month = to_char(now.at, 'YYYY-MM')
          and (limits.workspace_id = '' or spend_months.workspace_id = limits.workspace_id)) as spent
      from spend_limits as limits where limit_nano > 0
    ), personal as (
      select limits.limit_nano::double precision as most, (
        select sum(spent_nano) from spend_user_days as spend, now
        where spend.organization_id = limits.organization_id and spend.user_id = limits.user_id
          and day >= date_trunc(case period when 'daily' then 'day' when 'weekly' then 'week' else 'month' end,
            now.at)::date) as spent
      from user_spend_limits as limits where limit_nano > 0
    )
    select coalesce(max(spent / most) filter (where workspace_id = ''), 0)::double precision as organization,
      coalesce(max(spent / most) filter (where workspace_id <> ''), 0)::double precision as workspace,
      (select coalesce(max(spent / most), 0)::double precision from personal) as member
    from shared`);
  return row;
}
