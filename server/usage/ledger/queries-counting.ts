// The counters beside the ledger: by day, by month, and by day and user; and what came too late for a sum.
import { sql, type Statement } from "../../../kernel/sql/statement.ts";
import { factColumns, notingLate } from "./queries-late.ts";
import { payerColumns } from "./queries-payers.ts";

export const amountColumns = sql`input_tokens, output_tokens, cache_write_5m_tokens,
  cache_write_1h_tokens, cache_read_tokens, amount_nano, list_amount_nano`;

/** What a hop is from its beginning. */
export const hopColumns = sql`id, request_id, ${payerColumns}, reserve_nano, at`;

/** What the counters are made of. */
export const countedColumns = sql`${factColumns}, session_id, month, day, ${amountColumns}`;

/** Adds what `counted` holds to the counters of this node. In one order: others may add to them at the same time. */
export const countingIn = (nodeId: unknown): Statement => sql`days as (
    insert into usage_days (organization_id, day, workspace_id, model, kind, node, requests,
      ${amountColumns})
    select organization_id, (at at time zone 'UTC')::date, workspace_id, model, kind,
      ${nodeId}::text, sum(requests), sum(input_tokens), sum(output_tokens),
      sum(cache_write_5m_tokens), sum(cache_write_1h_tokens), sum(cache_read_tokens),
      sum(amount_nano), sum(list_amount_nano)
    from counted group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (organization_id, day, workspace_id, model, kind, node) do update set
      requests = usage_days.requests + excluded.requests,
      input_tokens = usage_days.input_tokens + excluded.input_tokens,
      output_tokens = usage_days.output_tokens + excluded.output_tokens,
      cache_write_5m_tokens = usage_days.cache_write_5m_tokens + excluded.cache_write_5m_tokens,
      cache_write_1h_tokens = usage_days.cache_write_1h_tokens + excluded.cache_write_1h_tokens,
      cache_read_tokens = usage_days.cache_read_tokens + excluded.cache_read_tokens,
      amount_nano = usage_days.amount_nano + excluded.amount_nano,
      list_amount_nano = usage_days.list_amount_nano + excluded.list_amount_nano
  ), months as (
    insert into spend_months (organization_id, month, workspace_id, node, spent_nano)
    select organization_id, month, workspace_id, ${nodeId}::text, sum(amount_nano)
    from counted group by 1, 2, 3 having sum(amount_nano) <> 0 order by 1, 2, 3
    on conflict (organization_id, month, workspace_id, node) do update set
      spent_nano = spend_months.spent_nano + excluded.spent_nano
  ), people as (
    insert into spend_user_days (organization_id, user_id, day, node, spent_nano)
    select organization_id, user_id, day, ${nodeId}::text, sum(amount_nano)
    from counted where user_id is not null and day is not null
    group by 1, 2, 3 having sum(amount_nano) <> 0 order by 1, 2, 3
    on conflict (organization_id, user_id, day, node) do update set
      spent_nano = spend_user_days.spent_nano + excluded.spent_nano
  ), late as (${notingLate(sql`counted`)})`;
