// The statements of the job queue. Times are the database's: statement_timestamp() where rows are chosen.
import type { Queryable, Tx } from "../sql/database.ts";
import { preparedAs, sql, type Statement } from "../sql/statement.ts";
import { leaseRows, isHeldLease, leasable, type Lease } from "../work/lease.ts";
import { jobLimits } from "./limits.ts";

export interface JobRow {
  id: string;
  kind: string;
  key: string | null;
  payload: unknown;
  attempts: number;
  attemptsMax: number;
  createdAt: Date;
  /** Empty where it has none. */
  lane: string;
}

export interface JobInsert {
  lane: string;
  id: string;
  kind: string;
  key: string | null;
  payload: string;
  priority: number;
  runAt: Date | null;
  delayMs: number;
  attemptsMax: number;
}

export const leases = leasable("jobs");

/**
 * An unstarted job with the same kind and key is updated, not passed by: the lock keeps it from being
 * claimed before this transaction commits, so it will see what this transaction wrote.
 */
export async function insertJobs(tx: Tx, jobs: JobInsert[]): Promise<string[]> {
  const column = <K extends keyof JobInsert>(key: K) => jobs.map((job) => job[key]);
  const rows = await tx.query<{ id: string }>(
    preparedAs(
      "jobs_insert",
      sql`
        insert into jobs as job
          (id, kind, key, lane, payload, priority, state, run_at, attempts_max, created_at)
        select id, kind, key, lane, payload, priority,
          case when run_at <= statement_timestamp() then 'ready' else 'waiting' end,
          run_at, attempts_max, statement_timestamp()
        from (
          select id, kind, key, lane, payload, priority, attempts_max, number, coalesce(
            absolute, statement_timestamp() + delay_ms * interval '1 millisecond') as run_at
          from unnest(${column("id")}::text[], ${column("kind")}::text[], ${column("key")}::text[],
            ${column("lane")}::text[], ${column("payload")}::json[], ${column("priority")}::integer[],
            ${column("runAt")}::timestamptz[], ${column("delayMs")}::double precision[],
            ${column("attemptsMax")}::integer[]) with ordinality as asked
            (id, kind, key, lane, payload, priority, absolute, delay_ms, attempts_max, number)
        ) as asked
        order by number
        on conflict (kind, key) where key is not null and not started do update
          set run_at = least(job.run_at, excluded.run_at),
            priority = greatest(job.priority, excluded.priority),
            state = case when excluded.state = 'ready' then 'ready' else job.state end
        returning id`,
    ),
  );
  return rows.map((row) => row.id);
}

/** Ready, due, or left behind: looked at without a lock first, for mostly there is none. */
export async function isAnyToDo(on: Queryable): Promise<boolean> {
  const rows = await on.query<{ isAny: boolean }>(
    preparedAs(
      "jobs_any",
      sql`
        select exists (
          (select from jobs where state = 'ready' order by kind limit 1) union all
          (select from jobs where state = 'waiting' and run_at <= statement_timestamp() limit 1)
          union all
          (select from jobs where state = 'running' and lease_until < statement_timestamp() limit 1)
        ) as "isAny"`,
    ),
  );
  return rows[0]?.isAny === true;
}

/**
 * Makes ready what has come due, and what a runner left behind when it died. A job whose runner died each
 * time ends dead: it may be what kills them.
 */
export async function promoteJobs(on: Queryable): Promise<void> {
  await on.query(
    preparedAs(
      "jobs_promote",
      sql`
        with due as materialized (
          select id from jobs
          where state = 'waiting' and run_at <= statement_timestamp()
          order by run_at
          limit ${jobLimits.jobsPerPromotionMax}
          for no key update skip locked
        ), left_behind as materialized (
          select id from jobs
          where state = 'running' and lease_until < statement_timestamp()
          order by id
          limit ${jobLimits.jobsPerPromotionMax}
          for no key update skip locked
        ), made_ready as (
          update jobs as row set state = 'ready' from due where row.id = due.id
        )
        update jobs as row
        set state = case when attempts < attempts_max then 'ready' else 'dead' end,
          run_at = statement_timestamp(), lease_owner = null, lease_until = null,
          last_error = 'The process that ran it stopped before it ended.'
        from left_behind where row.id = left_behind.id`,
    ),
  );
}

/** Up to `slots` ready jobs of each kind, by priority and then by age, in one statement. */
export function claimJobs(
  on: Queryable,
  owner: string,
  slots: ReadonlyMap<string, number>,
): Promise<(JobRow & Lease)[]> {
  return leases.take<JobRow>(on, {
    name: "jobs_claim",
    owner,
    picked: sql`
      select picked.id
      from unnest(${[...slots.keys()]}::text[], ${[...slots.values()]}::integer[])
        as wanted (kind, slots)
      cross join lateral (
        select row.id from jobs as row
        where row.kind = wanted.kind and row.state = 'ready'
        order by row.priority desc, row.run_at, row.id
        limit wanted.slots
        for no key update skip locked
      ) as picked`,
    ...claimed,
  });
}

const claimed = {
  set: sql`state = 'running', started = true, attempts = row.attempts + 1`,
  returning: sql`row.kind, row.key, row.lane, row.payload, row.attempts,
    row.attempts_max as "attemptsMax", row.created_at as "createdAt"`,
};

export interface LaneClaim {
  slots: number;
  perLane: number;
  /** How many each lane has in this process. */
  busy: ReadonlyMap<string, number>;
}

export const laneShare = (free: number, { perLane }: Pick<LaneClaim, "perLane">): number =>
  Math.min(perLane, Math.max(1, Math.ceil(free * jobLimits.laneShareOfFree)));

/**
 * Up to `slots` ready jobs of a kind, so that no lane has more than its share in this process: the first of each lane
 * before the second of any, those that run counted. The share is `perLane`, and less where few slots are free: a few
 * lanes that stand still leave room for others. Lanes are found by one look at the index each, however many jobs wait
 * in one. A job without a lane is not found.
 */
export function claimJobsByLane(
  on: Queryable,
  owner: string,
  kind: string,
  { slots, perLane, busy }: LaneClaim,
): Promise<(JobRow & Lease)[]> {
  const nextLane = (after: Statement) => sql`
    select lane from jobs
    where kind = ${kind} and state = 'ready' and lane <> '' and lane > ${after}
    order by lane limit 1`;
  return leases.take<JobRow>(on, {
    name: "jobs_claim_by_lane",
    owner,
    picked: sql`
      select row.id from (
        with recursive found as (
          (${nextLane(sql`''`)})
          union all
          select (${nextLane(sql`found.lane`)}) from found where found.lane is not null
        )
        select due.id, due.run_at, coalesce(busy.count, 0) + due.turn as turn,
          row_number() over (order by coalesce(busy.count, 0) + due.turn, due.run_at, due.id) as nth
        from found as lanes
        left join unnest(${[...busy.keys()]}::text[], ${[...busy.values()]}::integer[])
          as busy (lane, count) on busy.lane = lanes.lane
        cross join lateral (
          select id, run_at, row_number() over (order by priority desc, run_at, id) as turn from (
            select id, priority, run_at from jobs
            where kind = ${kind} and state = 'ready' and lane <> '' and lane = lanes.lane
            order by priority desc, run_at, id limit ${perLane}) as first
        ) as due
        where coalesce(busy.count, 0) + due.turn <= ${perLane}
      ) as wanted
      join jobs as row on row.id = wanted.id
      where row.state = 'ready'
        and wanted.turn <= greatest(1, ceil((${slots} - wanted.nth + 1) * ${jobLimits.laneShareOfFree}::numeric))
      order by wanted.turn, wanted.run_at, row.id
      limit ${slots}
      for no key update of row skip locked`,
    ...claimed,
  });
}

/** Done: the rows go. Returns the ids whose lease still held. */
export async function deleteFinished(on: Queryable, finished: readonly Lease[]): Promise<string[]> {
  const rows = await on.query<{ id: string }>(
    preparedAs(
      "jobs_finish",
      sql`delete from jobs as row using ${leaseRows(finished)} where ${isHeldLease()} returning row.id`,
    ),
  );
  return rows.map((row) => row.id);
}

/** Back to wait for another attempt, or dead after the last one. */
export async function failJob(
  on: Queryable,
  lease: Lease,
  { message, pauseMs }: { message: string; pauseMs: number },
): Promise<"waiting" | "dead" | undefined> {
  const rows = await on.query<{ state: "waiting" | "dead" }>(
    preparedAs(
      "jobs_fail",
      sql`
        update jobs as row
        set state = case when row.attempts < row.attempts_max then 'waiting' else 'dead' end,
          run_at = clock_timestamp() + case when row.attempts < row.attempts_max
            then ${pauseMs}::double precision else 0 end * interval '1 millisecond',
          last_error = ${message}, lease_owner = null, lease_until = null
        from ${leaseRows([lease])}
        where ${isHeldLease()}
        returning row.state`,
    ),
  );
  return rows[0]?.state;
}

/** Given back unharmed, when a process stops: the attempt does not count. */
export async function giveBack(on: Queryable, given: readonly Lease[]): Promise<void> {
  await on.query(
    sql`
      update jobs as row
      set state = 'ready', attempts = row.attempts - 1, lease_owner = null, lease_until = null
      from ${leaseRows(given)}
      where ${isHeldLease()}`,
  );
}

export interface JobStats {
  ready: number;
  waiting: number;
  running: number;
  dead: number;
  oldestReadySeconds: number;
}

export async function selectStats(on: Queryable): Promise<JobStats> {
  const [row] = await on.query<JobStats>(sql`
    select
      (select count(*) from jobs where state = 'ready') as ready,
      (select count(*) from jobs where state = 'waiting') as waiting,
      (select count(*) from jobs where state = 'running') as running,
      (select count(*) from jobs where state = 'dead') as dead,
      coalesce((select extract(epoch from statement_timestamp() - min(run_at))
        from jobs where state = 'ready'), 0)::double precision as "oldestReadySeconds"`);
  return row ?? { ready: 0, waiting: 0, running: 0, dead: 0, oldestReadySeconds: 0 };
}
