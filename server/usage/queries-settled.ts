// Attempts of one payer that were never reserved, written as they ended: half the work of a group of the ledger's own,
// where each row may be there already and is counted by the database.
import { plainArray, textArray } from "../../kernel/sql/arrays.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { named, sql } from "../../kernel/sql/statement.ts";
import type { CloseRow } from "./queries-group.ts";

/** What is counted together: by day, model and kind of the attempts. */
interface Sum {
  at: number;
  model: string;
  kind: string;
  requests: number;
  amounts: number[];
}

const amountsOf = ({ settlement: { counts, amountNano, listAmountNano } }: CloseRow) => [
  counts.input,
  counts.output,
  counts.cacheWrite5m,
  counts.cacheWrite1h,
  counts.cacheRead,
  amountNano,
  listAmountNano,
];

const dayMs = 86_400_000;

function sumsOf(rows: readonly CloseRow[]): Sum[] {
  const sums = new Map<string, Sum>();
  for (const row of rows) {
    const { model, kind, at } = row.hop;
    const key = `${Math.floor(at.getTime() / dayMs)} ${kind} ${model}`;
    const sum = sums.get(key);
    const amounts = amountsOf(row);
    if (sum === undefined) sums.set(key, { at: at.getTime(), model, kind, requests: 1, amounts });
    else {
      sum.requests += 1;
      amounts.forEach(
        (amount, index) => void (sum.amounts[index] = (sum.amounts[index] ?? 0) + amount),
      );
    }
  }
  return [...sums.values()];
}

/** All rows have the payer of the first. */
export async function insertSettled(
  tx: Tx,
  nodeId: string,
  rows: readonly CloseRow[],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const { organizationId, workspaceId, credentialId, userId, month } = first.hop;
  const texts = (of: (row: CloseRow) => string) => textArray(rows.map(of));
  const numbers = (of: (row: CloseRow) => number | boolean) => plainArray(rows.map(of));
  const sums = sumsOf(rows);
  const sum = (index: number) => plainArray(sums.map(({ amounts }) => amounts[index] ?? 0));
  await tx.query(
    named(
      "ledger_settled",
      sql`with entered as (
          insert into ledger (id, request_id, organization_id, workspace_id, credential_id, user_id,
            model, upstream, kind, service_tier, speed, month, reserve_nano, at, outcome, estimated,
            input_tokens, output_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
            cache_read_tokens, amount_nano, list_amount_nano)
          select id, request_id, ${organizationId}::text, ${workspaceId}::text,
            ${credentialId}::text, ${userId}::text, model, upstream, kind, null, null,
            ${month}::text, reserve_nano, 'epoch'::timestamptz + at_ms * interval '1 millisecond',
            outcome, estimated, input, output, write_5m, write_1h, read, amount, list
          from unnest(${texts(({ hop }) => hop.id)}::text[],
            ${texts(({ hop }) => hop.requestId)}::text[], ${texts(({ hop }) => hop.model)}::text[],
            ${texts(({ hop }) => hop.upstream)}::text[], ${texts(({ hop }) => hop.kind)}::text[],
            ${numbers(({ hop }) => hop.reserveNano)}::bigint[],
            ${numbers(({ hop }) => hop.at.getTime())}::bigint[],
            ${texts(({ settlement }) => settlement.outcome)}::text[],
            ${numbers(({ settlement }) => settlement.estimated)}::boolean[],
            ${numbers(({ settlement }) => settlement.counts.input)}::bigint[],
            ${numbers(({ settlement }) => settlement.counts.output)}::bigint[],
            ${numbers(({ settlement }) => settlement.counts.cacheWrite5m)}::bigint[],
            ${numbers(({ settlement }) => settlement.counts.cacheWrite1h)}::bigint[],
            ${numbers(({ settlement }) => settlement.counts.cacheRead)}::bigint[],
            ${numbers(({ settlement }) => settlement.amountNano)}::bigint[],
            ${numbers(({ settlement }) => settlement.listAmountNano)}::bigint[])
            as row (id, request_id, model, upstream, kind, reserve_nano, at_ms, outcome, estimated,
              input, output, write_5m, write_1h, read, amount, list)
        ), summed as (
          select ('epoch'::timestamptz + at_ms * interval '1 millisecond') at time zone 'UTC' as at,
            model, kind, requests, input, output, write_5m, write_1h, read, amount, list
          from unnest(${plainArray(sums.map(({ at }) => at))}::bigint[],
            ${textArray(sums.map(({ model }) => model))}::text[],
            ${textArray(sums.map(({ kind }) => kind))}::text[],
            ${plainArray(sums.map(({ requests }) => requests))}::bigint[],
            ${sum(0)}::bigint[], ${sum(1)}::bigint[], ${sum(2)}::bigint[], ${sum(3)}::bigint[],
            ${sum(4)}::bigint[], ${sum(5)}::bigint[], ${sum(6)}::bigint[])
            as row (at_ms, model, kind, requests, input, output, write_5m, write_1h, read, amount,
              list)
        ), days as (
          insert into usage_days (organization_id, day, workspace_id, model, kind, node, requests,
            input_tokens, output_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
            cache_read_tokens, amount_nano, list_amount_nano)
          select ${organizationId}::text, at::date, ${workspaceId}::text, model, kind,
            ${nodeId}::text, requests, input, output, write_5m, write_1h, read, amount, list
          from summed order by at, model, kind
          on conflict (organization_id, day, workspace_id, model, kind, node) do update set
            requests = usage_days.requests + excluded.requests,
            input_tokens = usage_days.input_tokens + excluded.input_tokens,
            output_tokens = usage_days.output_tokens + excluded.output_tokens,
            cache_write_5m_tokens = usage_days.cache_write_5m_tokens + excluded.cache_write_5m_tokens,
            cache_write_1h_tokens = usage_days.cache_write_1h_tokens + excluded.cache_write_1h_tokens,
            cache_read_tokens = usage_days.cache_read_tokens + excluded.cache_read_tokens,
            amount_nano = usage_days.amount_nano + excluded.amount_nano,
            list_amount_nano = usage_days.list_amount_nano + excluded.list_amount_nano
        )
        insert into spend_months (organization_id, month, workspace_id, node, spent_nano)
        select ${organizationId}::text, ${month}::text, ${workspaceId}::text, ${nodeId}::text, sum(amount)
        from summed having sum(amount) <> 0
        on conflict (organization_id, month, workspace_id, node) do update set
          spent_nano = spend_months.spent_nano + excluded.spent_nano`,
    ),
  );
}
