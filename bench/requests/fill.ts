// A log of requests by plain statements: busy and quiet keys and models, and a little of all that is rare.
import type { Database } from "../../kernel/sql/database.ts";

export const dayMs = 86_400_000;

export const names = {
  key: (number: number) => `apikey_of_a_benchmark_${String(number).padStart(2, "0")}`,
  model: (number: number) => `model-${number}`,
  person: (number: number) => `user_of_a_benchmark_${number}`,
  session: (number: number) => `sesn_of_a_benchmark_${number}`,
  workspace: (number: number) => `wrkspc_of_a_benchmark_${number}`,
};

/** `$1` is the organization, `$2` the day, `$3` how many rows, `$4` how many milliseconds of the day they fill. */
const filling = `
  insert into requests (id, at, organization_id, workspace_id, credential_id, user_id, origin,
    operation, method, path, status, error_type, error, model_asked, model_served, upstream,
    stop_reason, fell_back, input_tokens, output_tokens, cache_write_tokens, cache_read_tokens,
    amount_nano, asked_ms, first_ms, ms, session_id)
  select 'req_' || lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') ||
      lpad(to_hex(n), 14, '0'), at, $1, 'wrkspc_of_a_benchmark_' || n % 7,
    'apikey_of_a_benchmark_' || lpad(floor(40 * power(chance, 3))::int::text, 2, '0'),
    case when n % 50 = 0 then 'user_of_a_benchmark_' || n % 9 end,
    case when n % 20 = 0 then 'session' else 'api' end,
    case when n % 20 = 0 then 'sessions.turn' else 'messages.create' end, 'POST', '/v1/messages',
    case when n % 100 = 3 then 429 when n % 1000 = 7 then 529 else 200 end,
    case when n % 100 = 3 then 'rate_limit_error' when n % 1000 = 7 then 'overloaded_error' end,
    case when n % 100 = 3 then 'This workspace has sent too many requests.'
      when n % 1000 = 7 then 'The upstream is overloaded; try again.' end,
    model, model, 'simulator', case when n % 500 = 11 then 'refusal' else 'end_turn' end,
    n % 700 = 13, 500, 200, 0, 0, case when n % 5000 = 17 then 200000000 else 120000 end, 2, 300,
    case when n % 3000 = 5 then 15000 else 900 end,
    case when n % 20 = 0 then 'sesn_of_a_benchmark_' || n % 5000 end
  from generate_series(1, $3::int) as n
    cross join lateral (select random() as chance, n as of) as drawn
    cross join lateral (
      select 'model-' || floor(20 * power(chance, 2))::int as model,
        $2::timestamptz + n * ($4::float8 / $3::float8) * interval '1 millisecond' as at) as made`;

/** The present day is filled up to now, and has the few indexes of an open day. */
export async function fillRequests(
  db: Database,
  organizationId: string,
  { rows, days }: { rows: number; days: number },
): Promise<void> {
  const today = Math.floor(Date.now() / dayMs);
  const perDay = Math.ceil(rows / days);
  for (let day = today - days + 1; day <= today; day++) {
    const start = new Date(day * dayMs);
    const text = start.toISOString().slice(0, 10);
    const filledMs = day === today ? Date.now() - start.getTime() : dayMs - 1;
    await db.query({ text: "select requests_make_day($1::date)", values: [text] });
    await db.query({ text: filling, values: [organizationId, start, perDay, filledMs] });
    if (day < today)
      await db.query({ text: "select requests_index_day($1::date)", values: [text] });
  }
  await db.query({ text: "vacuum analyze requests", values: [] });
}
