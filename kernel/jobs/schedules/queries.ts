// The statements of the schedules.
import type { Queryable, Tx } from "../../sql/database.ts";
import { preparedAs, sql, type Statement } from "../../sql/statement.ts";

/** A schedule as this process knows it. Another version's pending row has another timing and is left to it. */
export interface ScheduleTiming {
  schedule: string;
  timing: string;
}

export interface Occurrence extends ScheduleTiming {
  nominalAt: Date;
}

export interface DueRow {
  schedule: string;
  nominalAt: Date;
  now: Date;
}

const dueBatchMax = 100;

function knownRows(known: readonly ScheduleTiming[]): Statement {
  return sql`unnest(${known.map((one) => one.schedule)}::text[],
    ${known.map((one) => one.timing)}::text[]) as known (schedule, timing)`;
}

const isDue = sql`row.schedule = known.schedule and row.timing = known.timing
  and row.fired_at is null and row.nominal_at <= statement_timestamp()`;

export async function isAnyDue(on: Queryable, known: readonly ScheduleTiming[]): Promise<boolean> {
  const rows = await on.query<{ due: boolean }>(
    preparedAs(
      "schedules_any_due",
      sql`
        select exists (
          select from schedule_occurrences as row, ${knownRows(known)} where ${isDue}
        ) as due`,
    ),
  );
  return rows[0]?.due === true;
}

export function lockDue(tx: Tx, known: readonly ScheduleTiming[]): Promise<DueRow[]> {
  return tx.query(sql`
    select row.schedule, row.nominal_at as "nominalAt", statement_timestamp() as now
    from schedule_occurrences as row, ${knownRows(known)}
    where ${isDue}
    order by row.schedule, row.nominal_at
    limit ${dueBatchMax}
    for no key update of row skip locked`);
}

/** Schedules without a pending occurrence of this timing. */
export function selectOutdated(
  on: Queryable,
  known: readonly ScheduleTiming[],
): Promise<{ schedule: string; now: Date }[]> {
  return on.query(sql`
    select known.schedule, statement_timestamp() as now
    from ${knownRows(known)}
    where not exists (
      select from schedule_occurrences as row
      where row.schedule = known.schedule and row.timing = known.timing and row.fired_at is null
    )
    order by known.schedule`);
}

export async function retime(tx: Tx, { schedule, timing, nominalAt }: Occurrence): Promise<void> {
  await tx.query(sql`
    update schedule_occurrences set nominal_at = ${nominalAt}, timing = ${timing}
    where schedule = ${schedule} and fired_at is null and timing <> ${timing}`);
}

/** Does nothing where one is pending already. */
export async function insertOccurrence(
  tx: Tx,
  { schedule, timing, nominalAt }: Occurrence,
): Promise<void> {
  await tx.query(sql`
    insert into schedule_occurrences (schedule, nominal_at, timing)
    values (${schedule}, ${nominalAt}, ${timing})
    on conflict do nothing`);
}

export async function markFired(tx: Tx, schedule: string, nominalAt: Date): Promise<void> {
  await tx.query(sql`
    update schedule_occurrences set fired_at = statement_timestamp()
    where schedule = ${schedule} and nominal_at = ${nominalAt}`);
}

/** One fired occurrence per schedule stays, to see when it last ran. */
export async function deleteFiredBefore(tx: Tx, schedule: string, nominalAt: Date): Promise<void> {
  await tx.query(sql`
    delete from schedule_occurrences
    where schedule = ${schedule} and nominal_at < ${nominalAt} and fired_at is not null`);
}
