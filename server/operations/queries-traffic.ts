// Statements about how many requests organizations made.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";

interface MinuteCounts {
  minute: Date;
  requests: number;
  errors: number;
}

interface CountedMinute extends MinuteCounts {
  organizationId: string;
  failed: number;
}

/** Adds to what other processes have counted; in one order, so that none waits for another in a circle. */
export async function addRequests(
  tx: Tx,
  counted: readonly CountedMinute[],
): Promise<void> {
  await tx.query(sql`
    insert into request_minutes as known (organization_id, minute, requests, errors, failed)
    select organization_id, minute, requests, errors, failed
    from unnest(${counted.map(({ organizationId }) => organizationId)}::text[],
      ${counted.map(({ minute }) => minute)}::timestamptz[],
      ${counted.map(({ requests }) => requests)}::bigint[],
      ${counted.map(({ errors }) => errors)}::bigint[],
      ${counted.map(({ failed }) => failed)}::bigint[])
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
): Promise<MinuteCounts[]> {
  return on.query<MinuteCounts>(sql`
    select minute, requests, errors from request_minutes
    where organization_id = ${organizationId} and minute between ${from} and ${until}
    order by minute`);
}

export async function deleteMinutes(tx: Tx, before: Date, rows: number): Promise<void> {
  await tx.query(sql`
    delete from request_minutes where (organization_id, minute) in
      (select organization_id, minute from request_minutes where minute < ${before}
       order by minute limit ${rows})`);
}
