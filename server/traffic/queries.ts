// Statements about how many requests organizations made, and how upstreams answered.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import type { CountedMinute } from "./minute-sums.ts";

interface RequestSum {
  requests: number;
  errors: number;
  /** Of the errors, those that no client caused. */
  failed: number;
}

/** In one order, so that no process waits for another in a circle. */
export async function addRequests(
  tx: Tx,
  counted: readonly CountedMinute<RequestSum>[],
): Promise<void> {
  await tx.query(sql`
    insert into request_minutes as known (organization_id, minute, requests, errors, failed)
    select organization_id, minute, requests, errors, failed
    from unnest(${counted.map(({ organizationId }) => organizationId)}::text[],
      ${counted.map(({ minute }) => minute)}::timestamptz[],
      ${counted.map(({ sum }) => sum.requests)}::bigint[],
      ${counted.map(({ sum }) => sum.errors)}::bigint[],
      ${counted.map(({ sum }) => sum.failed)}::bigint[])
      as counted (organization_id, minute, requests, errors, failed)
    order by organization_id, minute
    on conflict (organization_id, minute) do update
      set requests = known.requests + excluded.requests, errors = known.errors + excluded.errors,
        failed = known.failed + excluded.failed`);
}

/** Of minutes in which there was a request. */
export function listMinutes(
  on: Queryable,
  organizationId: string,
  { from, until }: { from: Date; until: Date },
): Promise<(Omit<RequestSum, "failed"> & { minute: Date })[]> {
  return on.query(sql`
    select minute, requests, errors from request_minutes
    where organization_id = ${organizationId} and minute between ${from} and ${until}
    order by minute`);
}

export async function deleteRequests(tx: Tx, before: Date, rows: number): Promise<void> {
  await tx.query(sql`
    delete from request_minutes where (organization_id, minute) in
      (select organization_id, minute from request_minutes where minute < ${before}
       order by minute limit ${rows})`);
}

export interface AttemptSum {
  upstream: string;
  outcome: "answered" | "failed";
  /** Up to so long until the first word; 0 where none was heard on its way. */
  firstMsMax: number;
  attempts: number;
  lastAt: Date;
}

export type UpstreamSums = Map<string, AttemptSum>;

/** In one order, so that no process waits for another in a circle. */
export async function addAttempts(
  tx: Tx,
  counted: readonly CountedMinute<UpstreamSums>[],
): Promise<void> {
  const rows = counted.flatMap(({ organizationId, minute, sum }) =>
    [...sum.values()].map((attempts) => ({ organizationId, minute, ...attempts })),
  );
  await tx.query(sql`
    insert into upstream_minutes as known
      (organization_id, minute, upstream, outcome, first_ms_max, attempts, last_at)
    select organization_id, minute, upstream, outcome, first_ms_max, attempts, last_at
    from unnest(${rows.map(({ organizationId }) => organizationId)}::text[],
      ${rows.map(({ minute }) => minute)}::timestamptz[],
      ${rows.map(({ upstream }) => upstream)}::text[],
      ${rows.map(({ outcome }) => outcome)}::text[],
      ${rows.map(({ firstMsMax }) => firstMsMax)}::integer[],
      ${rows.map(({ attempts }) => attempts)}::bigint[],
      ${rows.map(({ lastAt }) => lastAt)}::timestamptz[])
      as counted (organization_id, minute, upstream, outcome, first_ms_max, attempts, last_at)
    order by organization_id, minute, upstream, outcome, first_ms_max
    on conflict (organization_id, minute, upstream, outcome, first_ms_max) do update
      set attempts = known.attempts + excluded.attempts,
        last_at = greatest(known.last_at, excluded.last_at)`);
}

export function sumAttempts(
  on: Queryable,
  organizationId: string,
  { from, until }: { from: Date; until: Date },
): Promise<AttemptSum[]> {
  return on.query<AttemptSum>(sql`
    select upstream, outcome, first_ms_max as "firstMsMax", sum(attempts)::bigint as attempts,
      max(last_at) as "lastAt"
    from upstream_minutes
    where organization_id = ${organizationId} and minute >= ${from} and minute < ${until}
    group by upstream, outcome, first_ms_max
    order by upstream, outcome, first_ms_max`);
}

/** Organization by organization, as the sums are read: an index by time alone would cost each write. */
export async function deleteAttempts(tx: Tx, before: Date, rows: number): Promise<void> {
  await tx.query(sql`
    delete from upstream_minutes where ctid = any(array(
      select old.ctid from organizations cross join lateral (
        select ctid from upstream_minutes
        where organization_id = organizations.id and minute < ${before}
        order by minute limit ${rows}) as old
      limit ${rows}))`);
}
