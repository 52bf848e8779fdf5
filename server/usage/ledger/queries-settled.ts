// Attempts of one caller that were never reserved, written as they ended: half the work of a group of the ledger's own,
// where each row may be there already and is counted by the database.
import { plainArray, textArray } from "../../../kernel/sql/rows/arrays.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { joinStatements, preparedAs, sql, type Statement } from "../../../kernel/sql/statement.ts";
import { amountColumns } from "./queries-counting.ts";
import { payersOf } from "./payers.ts";
import type { CloseRow } from "./hop-row.ts";
import { givenPayers, payerColumns, payerValues } from "./queries-payers.ts";
import { factColumns, notingLate } from "./queries-late.ts";

/** What is counted together: by day, model and kind of the attempts. */
interface Sum {
  at: number;
  model: string | null;
  kind: string | null;
  requests: number;
  amounts: number[];
}

const amountsCount = 7;

/** In the order of their columns. */
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
    const { payer, at } = row.hop;
    const { model, kind } = payer.fields;
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

export async function insertSettled(tx: Tx, rows: readonly CloseRow[]): Promise<void> {
  if (rows.length > 0) await tx.query(preparedAs("ledger_settled", entering(rows)));
}

/**
 * Last in its transaction: messages of the same process add to the same row of their month, and would wait for all that
 * came after it.
 */
export async function countSettled(
  tx: Tx,
  nodeId: string,
  rows: readonly CloseRow[],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  await tx.query(
    preparedAs(
      "ledger_count_settled",
      sql`with summed as (${summed(sumsOf(rows))}),
        days as (${countingDays(first, nodeId)}),
        months as (${countingMonths(first, nodeId)}),
        people as (${countingPeople(first, nodeId)})
        select 1`,
    ),
  );
}

function entering(rows: readonly CloseRow[]): Statement {
  const { payers, indexes } = payersOf(rows.map(({ hop }) => hop));
  const texts = (of: (row: CloseRow) => string | null) => textArray(rows.map(of));
  const numbers = (of: (row: CloseRow) => number | boolean) => plainArray(rows.map(of));
  return sql`
    with entered as (insert into ledger (id, request_id, ${payerColumns}, reserve_nano, at, outcome,
      estimated, ${amountColumns})
    select id, request_id, ${payerValues(sql`row.payer`)}, reserve_nano,
      'epoch'::timestamptz + at_ms * interval '1 millisecond', outcome, estimated, ${amountColumns}
    from ${givenPayers((field) => textArray(payers.map(({ fields }) => fields[field])))},
      unnest(${texts(({ hop }) => hop.id)}::text[], ${texts(({ hop }) => hop.requestId)}::text[],
      ${plainArray(indexes.map((index) => index + 1))}::int[],
      ${numbers(({ hop }) => hop.reserveNano)}::bigint[],
      ${numbers(({ hop }) => hop.at.getTime())}::bigint[],
      ${texts(({ settlement }) => settlement.outcome)}::text[],
      ${numbers(({ settlement }) => settlement.estimated)}::boolean[],
      ${amountArrays(rows.map(amountsOf))})
      as row (id, request_id, payer, reserve_nano, at_ms, outcome, estimated, ${amountColumns})
    returning ${factColumns}, session_id, ${amountColumns}
    ), written as (select 1 as requests, ${factColumns}, session_id, ${amountColumns} from entered)
    ${notingLate(sql`written`)}`;
}

const summed = (sums: readonly Sum[]): Statement => sql`
  select ('epoch'::timestamptz + at_ms * interval '1 millisecond') at time zone 'UTC' as at,
    model, kind, requests, ${amountColumns}
  from unnest(${plainArray(sums.map(({ at }) => at))}::bigint[],
    ${textArray(sums.map(({ model }) => model))}::text[],
    ${textArray(sums.map(({ kind }) => kind))}::text[],
    ${plainArray(sums.map(({ requests }) => requests))}::bigint[],
    ${amountArrays(sums.map(({ amounts }) => amounts))})
    as row (at_ms, model, kind, requests, ${amountColumns})`;

const amountArrays = (amounts: readonly (readonly number[])[]): Statement =>
  joinStatements(
    Array.from({ length: amountsCount }, (_, index) => {
      const column = plainArray(amounts.map((row) => row[index] ?? 0));
      return sql`${column}::bigint[]`;
    }),
    ", ",
  );

const countingDays = ({ hop }: CloseRow, nodeId: string): Statement => sql`
  insert into usage_days (organization_id, day, workspace_id, model, kind, node, requests,
    ${amountColumns})
  select ${hop.payer.fields.organizationId}::text, at::date, ${hop.payer.fields.workspaceId}::text, model, kind,
    ${nodeId}::text, requests, ${amountColumns}
  from summed order by at, model, kind
  on conflict (organization_id, day, workspace_id, model, kind, node) do update set
    requests = usage_days.requests + excluded.requests,
    input_tokens = usage_days.input_tokens + excluded.input_tokens,
    output_tokens = usage_days.output_tokens + excluded.output_tokens,
    cache_write_5m_tokens = usage_days.cache_write_5m_tokens + excluded.cache_write_5m_tokens,
    cache_write_1h_tokens = usage_days.cache_write_1h_tokens + excluded.cache_write_1h_tokens,
    cache_read_tokens = usage_days.cache_read_tokens + excluded.cache_read_tokens,
    amount_nano = usage_days.amount_nano + excluded.amount_nano,
    list_amount_nano = usage_days.list_amount_nano + excluded.list_amount_nano`;

const countingMonths = ({ hop }: CloseRow, nodeId: string): Statement => sql`
  insert into spend_months (organization_id, month, workspace_id, node, spent_nano)
  select ${hop.payer.fields.organizationId}::text, ${hop.payer.fields.month}::text, ${hop.payer.fields.workspaceId}::text,
    ${nodeId}::text, sum(amount_nano)
  from summed having sum(amount_nano) <> 0
  on conflict (organization_id, month, workspace_id, node) do update set
    spent_nano = spend_months.spent_nano + excluded.spent_nano`;

const countingPeople = ({ hop }: CloseRow, nodeId: string): Statement => sql`
  insert into spend_user_days (organization_id, user_id, day, node, spent_nano)
  select ${hop.payer.fields.organizationId}::text, ${hop.payer.fields.userId}::text, ${hop.payer.fields.day}::date, ${nodeId}::text,
    sum(amount_nano)
  from summed where ${hop.payer.fields.userId}::text is not null having sum(amount_nano) <> 0
  on conflict (organization_id, user_id, day, node) do update set
    spent_nano = spend_user_days.spent_nano + excluded.spent_nano`;
