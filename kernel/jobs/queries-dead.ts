// The statements of dead jobs: those that have failed for good, until a person revives them or their time is over.
import type { Queryable, Tx } from "../sql/database.ts";
import { sql } from "../sql/statement.ts";
import { jobLimits } from "./limits.ts";
import type { JobRow } from "./queries.ts";

export interface DeadJob extends JobRow {
  lastError: string | null;
  diedAt: Date;
}

export function selectDead(
  on: Queryable,
  { kind, limit }: { kind: string | null; limit: number },
): Promise<DeadJob[]> {
  return on.query(sql`
    select id, kind, key, lane, payload, attempts, attempts_max as "attemptsMax",
      created_at as "createdAt", last_error as "lastError", run_at as "diedAt"
    from jobs
    where state = 'dead' and (${kind}::text is null or kind = ${kind}::text)
    order by run_at, id
    limit ${limit}`);
}

export async function reviveDead(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    update jobs set state = 'ready', attempts = 0, run_at = statement_timestamp()
    where id = any(${ids}::text[]) and state = 'dead'
    returning id`);
  return rows.map((row) => row.id);
}

export async function purgeDead(on: Queryable): Promise<void> {
  await on.query(sql`
    delete from jobs
    where state = 'dead'
      and run_at < statement_timestamp() - ${jobLimits.deadRetentionDays} * interval '1 day'`);
}
