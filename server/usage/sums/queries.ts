// Sums of the ledger by hour and by day: how far they are promised, how far they are made, and what came late.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { identifier, joinStatements, sql, type Statement } from "../../../kernel/sql/statement.ts";
import { isLong, measures } from "./queries-facts.ts";
import { factColumns } from "../ledger/queries-late.ts";

const sums = joinStatements(
  measures.map((measure) => identifier(measure)),
  ", ",
);
const added = joinStatements(
  measures.map((measure) => sql`sum(${identifier(measure)})`),
  ", ",
);
/** All but the time, which is taken down to the span. */
const payer = sql`workspace_id, credential_id, user_id, model, kind, service_tier, speed,
  inference_geo, prices, key_maker, origin, agent_id, deployment_id, environment_id, is_long,
  in_session`;
const target = sql`usage_sums (organization_id, span, at, ${payer}, ${sums})`;
const spanOf = (span: "hour" | "day"): Statement =>
  sql`date_bin(${`1 ${span}`}::interval, at, 'epoch'::timestamptz)`;

export interface HorizonRow {
  /** Null: nothing is summed, or promised, yet. */
  until: Date | null;
  promised: Date | null;
  /** When the promise was made, by the database's clock, in milliseconds before now. */
  promiseAgeMs: number;
  barrier: string | null;
}

/** One at a time looks after the sums. */
export async function lockHorizon(tx: Tx): Promise<HorizonRow | undefined> {
  const [row] = await tx.query<HorizonRow>(sql`
    select case when isfinite(until) then until end as until,
      case when isfinite(promised) then promised end as promised, barrier,
      (extract(epoch from clock_timestamp() - promised_at) * 1000)::double precision as "promiseAgeMs"
    from usage_horizon for update`);
  return row;
}

/** Where the ledger begins. */
export async function readFirst(on: Queryable): Promise<Date | null> {
  const [row] = await on.query<{ first: Date | null }>(sql`
    select min(first) as first
    from organizations cross join lateral (
      select min(at) as first from ledger where organization_id = organizations.id
    ) as ledger`);
  return row?.first ?? null;
}

/** From the commit on, what is written for a time before that is late. */
export async function promise(tx: Tx, promised: Date): Promise<void> {
  await tx.query(sql`
    update usage_horizon set promised = ${promised}, promised_at = clock_timestamp(), barrier = null`);
}

/** A writer that may not know of the promise has a transaction older than this one by now. */
export async function raiseBarrier(tx: Tx): Promise<void> {
  await tx.query(sql`update usage_horizon set barrier = pg_current_xact_id()::text`);
}

export async function isBarrierPassed(on: Queryable): Promise<boolean> {
  const [row] = await on.query<{ isPassed: boolean }>(sql`
    select pg_snapshot_xmin(pg_current_snapshot())::text::numeric >= barrier::numeric as "isPassed"
    from usage_horizon where barrier is not null`);
  return row?.isPassed === true;
}

/** What the ledger holds from one moment to another; what of it came late is in it, and so is late no more. */
export async function sumUp(tx: Tx, from: Date, until: Date): Promise<void> {
  await tx.query(sql`
    with summed as (
      delete from usage_late where at >= ${from} and at < ${until}
    )
    insert into ${target}
    select organizations.id, 'hour', hours.at, ${payer}, ${sums}
    from organizations cross join lateral (
      select ${spanOf("hour")} as at, workspace_id, credential_id, user_id, model, kind,
        service_tier, speed, inference_geo, prices, key_maker, origin, agent_id, deployment_id,
        environment_id, ${isLong} as is_long, session_id is not null as in_session,
        count(*) as requests,
        ${joinStatements(
          measures.slice(1).map((name) => sql`sum(${identifier(name)}) as ${identifier(name)}`),
          ", ",
        )}
      from ledger
      where organization_id = organizations.id and at >= ${from} and at < ${until}
      group by 1, ${payer}
    ) as hours`);
  await moveHorizon(tx, until);
}

export async function moveHorizon(tx: Tx, until: Date): Promise<void> {
  await tx.query(sql`update usage_horizon set until = ${until}`);
}

/** Days that are whole: their hours, added up. */
export async function sumUpDays(tx: Tx, from: Date, until: Date): Promise<void> {
  await tx.query(sql`
    insert into ${target}
    select organizations.id, 'day', days.at, ${payer}, ${sums}
    from organizations cross join lateral (
      select ${spanOf("day")} as at, ${payer}, ${joinStatements(
        measures.map((name) => sql`sum(${identifier(name)}) as ${identifier(name)}`),
        ", ",
      )}
      from usage_sums
      where organization_id = organizations.id and span = 'hour' and at >= ${from} and at < ${until}
      group by 1, ${payer}
    ) as days`);
}

/**
 * What came late joins the sums, of its hour and, where the day is summed, of its day: not before every cursor that may
 * count it apart has ended. Answers how much it was.
 */
export async function sumUpLate(
  tx: Tx,
  daysUntil: Date,
  ageMs: number,
  rows: number,
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    with old as (
      select ctid from usage_late
      where noted_at <= clock_timestamp() - ${ageMs} * interval '1 millisecond'
        and at < (select until from usage_horizon)
      order by noted_at limit ${rows}
    ), late as (
      delete from usage_late where ctid in (select ctid from old)
      returning ${factColumns}, is_long, in_session, ${sums}
    ), hours as (
      insert into ${target}
      select organization_id, 'hour', ${spanOf("hour")}, ${payer}, ${added}
      from late group by 1, 3, ${payer}
    ), days as (
      insert into ${target}
      select organization_id, 'day', ${spanOf("day")}, ${payer}, ${added}
      from late where at < ${daysUntil} group by 1, 3, ${payer}
    )
    select count(*) as count from late`);
  return row?.count ?? 0;
}
