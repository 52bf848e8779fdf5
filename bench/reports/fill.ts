// A year of usage by plain statements: rows of the ledger, and their sums as the job makes them.
import type { Database } from "../../kernel/sql/database.ts";
import { sumUp, sumUpDays } from "../../server/usage/sums/queries.ts";

export const dayMs = 86_400_000;

export interface Span {
  from: Date;
  to: Date;
}

/**
 * `$1` is the organization, `$2` the first day, `$3` how many days, `$4` how many keys. Each key asks once a day, one
 * of four models, in one of ten workspaces, at an hour of its own.
 */
const filling = `
  insert into ledger (id, request_id, organization_id, workspace_id, credential_id, user_id, model,
    upstream, kind, reserve_nano, at, month, outcome, estimated, input_tokens, output_tokens,
    cache_write_5m_tokens, cache_write_1h_tokens, cache_read_tokens, amount_nano, list_amount_nano,
    prices)
  select 'hop_' || d || '_' || k, 'req_' || d || '_' || k, $1, 'wrkspc_' || k % 10, 'apikey_' || k,
    case when k % 2 = 0 then 'user_' || k % 100 end, 'model-' || (k + d) % 4, 'simulator', 'message',
    1000, at, to_char(at at time zone 'UTC', 'YYYY-MM'), 'served', false, 1000 + k, 200 + d, 0, 0, 50,
    3 * (1000 + k) + 15 * (200 + d) + 50, 3 * (1000 + k) + 15 * (200 + d) + 50, '{3,15,4,6,1}'
  from generate_series(0, $3::int - 1) as d cross join generate_series(1, $4::int) as k
    cross join lateral (
      select $2::timestamptz + d * interval '1 day' + k % 24 * interval '1 hour' as at) as time`;

/** Answers how many rows there are. Nothing of what the ledger holds for the present day is summed. */
export async function fillReports(
  db: Database,
  organizationId: string,
  { from, to }: Span,
  { keys }: { keys: number },
): Promise<number> {
  const days = Math.round((to.getTime() - from.getTime()) / dayMs);
  await db.query({ text: filling, values: [organizationId, from, days, keys] });
  for (let ms = from.getTime(); ms < to.getTime() - dayMs; ms += dayMs)
    await db.tx(async (tx) => {
      const [start, end] = [new Date(ms), new Date(ms + dayMs)];
      await sumUp(tx, start, end);
      await sumUpDays(tx, start, end);
    });
  const today = new Date(to.getTime() - dayMs);
  await db.query({ text: "update usage_horizon set promised = $1, until = $1", values: [today] });
  await db.query({ text: "vacuum analyze", values: [] });
  return days * keys;
}

/** What a report would be without sums and without order: everything added up, by key. */
export async function plainSum(
  db: Database,
  organizationId: string,
  { from, to }: Span,
): Promise<void> {
  await db.query({
    text: `select credential_id, count(*), sum(input_tokens), sum(output_tokens),
        sum(cache_write_5m_tokens), sum(cache_write_1h_tokens), sum(cache_read_tokens),
        sum(amount_nano), sum(list_amount_nano)
      from ledger where organization_id = $1 and at >= $2 and at < $3 group by 1`,
    values: [organizationId, from, to],
  });
}
