// What is measured of all organizations at once: one statement for each kind of rule, led by an index.
import type { Queryable } from "../../../kernel/sql/database.ts";
import { sql, type Statement } from "../../../kernel/sql/statement.ts";
import { refusingFromPercent, type Span } from "../../limits/module.ts";
import { defaults, limits, wholePercent } from "../limits.ts";
import type { NewAlert } from "../queries.ts";

/** What a rule says now is so. */
export type Reading = Omit<NewAlert, "id" | "kind" | "firingSince">;

export interface Spans {
  daily: Span;
  weekly: Span;
  monthly: Span;
}

const isOn = sql`coalesce(rule.is_on, true)`;
/** When the window of a rule begins: what is in it is later. */
const sinceOf = (minute: Date, minutes: number): Statement =>
  sql`${minute}::timestamptz - coalesce(rule.minutes, ${minutes}) * interval '1 minute'`;
const ofPeriod = (daily: Statement, weekly: Statement, monthly: Statement) =>
  sql`case limits.period when 'daily' then ${daily} when 'weekly' then ${weekly} else ${monthly} end`;

/** Rule ALT2: each percent of each limit that is reached. A limit of nothing is meant to refuse. */
export function selectSpent(on: Queryable, { daily, weekly, monthly }: Spans): Promise<Reading[]> {
  const from = ofPeriod(
    sql`${daily.from}::date`,
    sql`${weekly.from}::date`,
    sql`${monthly.from}::date`,
  );
  const key = ofPeriod(
    sql`${daily.key}::text`,
    sql`${weekly.key}::text`,
    sql`${monthly.key}::text`,
  );
  return on.query<Reading>(sql`
    with limited as (
      select limits.organization_id,
        case when limits.workspace_id = '' then 'organization' else 'workspace' end as subject_type,
        limits.workspace_id as subject_id, 'monthly' as period, limits.limit_nano::numeric as most,
        (select coalesce(sum(spent_nano), 0) from spend_months as spend
          where spend.organization_id = limits.organization_id and month = ${monthly.key}
            and (limits.workspace_id = '' or spend.workspace_id = limits.workspace_id)) as spent,
        ${monthly.key}::text as period_key
      from spend_limits as limits left join workspaces on workspaces.id = limits.workspace_id
      where limits.limit_nano > 0 and workspaces.archived_at is null
      union all
      select limits.organization_id, 'user', limits.user_id, limits.period, limits.limit_nano::numeric,
        (select coalesce(sum(spent_nano), 0) from spend_user_days as spend
          where spend.organization_id = limits.organization_id and spend.user_id = limits.user_id
            and day >= ${from} and day < ${daily.until}::date),
        ${key}
      from user_spend_limits as limits where limits.limit_nano > 0
    )
    select limited.organization_id as "organizationId", subject_type as "subjectType",
      subject_id as "subjectId", period, level, (floor(1000 * spent / most) / 10)::double precision as value,
      level::double precision as threshold
    from limited
      left join alert_rules as rule
        on rule.organization_id = limited.organization_id and rule.kind = 'spend'
      left join spend_refusals as refusal
        on refusal.organization_id = limited.organization_id and refusal.holder_id = subject_id
          and refusal.period_key = limited.period_key and refusal.limit_nano = most
      cross join lateral unnest(coalesce(rule.percents, ${[...defaults.spend.percents]}::integer[])) as level
    where ${isOn} and (spent * 100 >= level * most
      or level = ${wholePercent} and refusal.limit_nano is not null
        and spent * 100 >= ${refusingFromPercent} * most)`);
}

/** Rule ALT4: of upstreams that failed lately, those that failed for long enough, and have not answered since. */
export function selectUpstreamsDown(on: Queryable, minute: Date): Promise<Reading[]> {
  const { minutes, failures_min: failuresMin } = defaults.upstream_down;
  // Before the longest window, too: there the failure stands that was followed by no answer.
  const widestMinutes = limits.windowMinutesMax + limits.silentMinutes;
  const widest = new Date(minute.getTime() - widestMinutes * 60_000);
  const since = sinceOf(minute, minutes);
  return on.query<Reading>(sql`
    with suspect as (
      select failed.organization_id, upstream, coalesce(rule.failures_min, ${failuresMin}) as least,
        sum(attempts) filter (where minute > ${since}) as attempts,
        max(minute) filter (where minute <= ${since}) as before
      from upstream_minutes as failed left join alert_rules as rule
        on rule.organization_id = failed.organization_id and rule.kind = 'upstream_down'
      where outcome = 'failed' and minute > ${widest} and minute <= ${minute} and ${isOn}
      group by failed.organization_id, upstream, rule.minutes, rule.failures_min
    )
    select suspect.organization_id as "organizationId", 'upstream' as "subjectType",
      suspect.upstream as "subjectId", '' as period, 0 as level,
      suspect.attempts::double precision as value, least::double precision as threshold
    from suspect cross join lateral (
      select max(minute) as at from upstream_minutes as asked
      where asked.organization_id = suspect.organization_id and asked.upstream = suspect.upstream
        and minute > ${widest} and minute <= ${minute} and outcome = 'answered') as answered
    where suspect.attempts >= least and suspect.before > coalesce(answered.at, '-infinity')`);
}

/** How upstreams do that are told to be down. */
export interface AskedUpstream {
  /** Of the alert. */
  id: string;
  /** Within the window of the rule. */
  answers: boolean;
  fails: boolean;
  isSilent: boolean;
}

export function selectAsked(on: Queryable, minute: Date): Promise<AskedUpstream[]> {
  const widest = new Date(minute.getTime() - limits.silentMinutes * 60_000);
  const since = sinceOf(minute, defaults.upstream_down.minutes);
  return on.query<AskedUpstream>(sql`
    select alert.id, lately.answers, lately.fails, lately."isSilent"
    from alerts as alert
      left join alert_rules as rule
        on rule.organization_id = alert.organization_id and rule.kind = alert.kind
      cross join lateral (
        select coalesce(bool_or(outcome = 'answered' and minute > ${since}), false) as answers,
          coalesce(bool_or(outcome = 'failed' and minute > ${since}), false) as fails,
          count(*) = 0 as "isSilent"
        from upstream_minutes as asked
        where asked.organization_id = alert.organization_id and asked.upstream = alert.subject_id
          and minute > ${widest} and minute <= ${minute}) as lately
    where alert.kind = 'upstream_down' and alert.resolved_at is null`);
}

/** Rule ALT3: of organizations that had a failed request lately. */
export function selectErrorShares(on: Queryable, minute: Date): Promise<Reading[]> {
  const { percent, minutes, requests_min: requestsMin } = defaults.error_share;
  const widest = new Date(minute.getTime() - limits.windowMinutesMax * 60_000);
  return on.query<Reading>(sql`
    with suspect as (
      select distinct organization_id from request_minutes where minute > ${widest} and failed > 0
    )
    select suspect.organization_id as "organizationId", 'organization' as "subjectType",
      '' as "subjectId", '' as period, 0 as level,
      (floor(1000 * sums.failed / sums.requests) / 10)::double precision as value,
      coalesce(rule.percent, ${percent})::double precision as threshold
    from suspect
      left join alert_rules as rule
        on rule.organization_id = suspect.organization_id and rule.kind = 'error_share'
      cross join lateral (
        select sum(requests) as requests, sum(failed) as failed from request_minutes as counted
        where counted.organization_id = suspect.organization_id and counted.minute <= ${minute}
          and counted.minute > ${sinceOf(minute, minutes)}
      ) as sums
    where ${isOn} and sums.requests >= coalesce(rule.requests_min, ${requestsMin})
      and sums.failed * 100 >= coalesce(rule.percent, ${percent}) * sums.requests`);
}

export interface Backlog {
  /** The first organization of the installation; undefined before there is one. */
  organizationId: string;
  isOn: boolean;
  minutes: number;
  jobsMinutes: number;
  batchesMinutes: number;
}

/** Rule ALT5: how long the oldest job has been ready, and the batch that nothing was taken of for the longest time. */
export async function selectBacklog(on: Queryable, now: Date): Promise<Backlog | undefined> {
  const [row] = await on.query<Backlog>(sql`
    select owner.id as "organizationId", ${isOn} as "isOn",
      coalesce(rule.minutes, ${defaults.job_backlog.minutes}) as minutes,
      greatest(0, coalesce((select extract(epoch from statement_timestamp() - min(run_at))
        from jobs where state = 'ready'), 0) / 60)::double precision as "jobsMinutes",
      greatest(0, coalesce((select extract(epoch from ${now}::timestamptz - min(served_at))
        from batches where state <> 'ended' and exists (
          select from batch_chunks as chunk where chunk.batch_id = batches.id and not is_done
            and (lease_until is null or lease_until < statement_timestamp()))), 0) / 60)::double precision
        as "batchesMinutes"
    from (select id from organizations order by id limit 1) as owner
      left join alert_rules as rule
        on rule.organization_id = owner.id and rule.kind = 'job_backlog'`);
  return row;
}
