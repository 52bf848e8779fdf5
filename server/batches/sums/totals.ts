// Who made batches, what they cost and took, by model, and how many of their requests were refused.
import type { Context } from "../../../kernel/context.ts";
import { minorOf } from "../../usage/module.ts";
import { workspaceOf } from "../../workspaces/module.ts";
import type { BatchTotals, TotalsQuery } from "./schema.ts";
import * as queries from "./queries.ts";

/** Amounts are in dollars throughout. */
const currency = "USD";

/** Rules BAT23 and BAT39: what is not the workspace's is left out, as what does not exist. */
export async function listTotals(
  context: Context,
  { ids }: TotalsQuery,
): Promise<{ data: BatchTotals[] }> {
  const { db } = context;
  const made = await queries.listMade(db, workspaceOf(context), [...new Set(ids)]);
  const sums = await queries.listSums(
    db,
    made.map(({ id }) => id),
  );
  const sumsOf = Map.groupBy(sums, ({ batchId }) => batchId);
  return { data: made.map((row) => presentTotals(row, sumsOf.get(row.id) ?? [])) };
}

function presentTotals(row: queries.MadeRow, sums: readonly queries.SumRow[]): BatchTotals {
  const add = (of: (sum: queries.SumRow) => string) =>
    sums.reduce((all, sum) => all + BigInt(of(sum)), 0n);
  const count = (of: (sum: queries.SumRow) => string) => Number(add(of));
  // Each that succeeded was answered by a model: of a batch from before sums were kept nothing is known.
  const isKnown = sums.length > 0 || row.succeeded === 0;
  return {
    id: row.id,
    type: "message_batch_totals",
    creator: creatorOf(row),
    refused: row.refused,
    spent: isKnown
      ? {
          amount: minorOf(add((sum) => sum.amountNano)),
          list_amount: minorOf(add((sum) => sum.listAmountNano)),
          currency,
          input_tokens: count((sum) => sum.input),
          output_tokens: count((sum) => sum.output),
          cache_write_tokens: count((sum) => sum.cacheWrite5m) + count((sum) => sum.cacheWrite1h),
          cache_read_tokens: count((sum) => sum.cacheRead),
        }
      : null,
    models: sums.map((sum) => ({
      model: sum.model,
      attempts: sum.attempts,
      amount: minorOf(BigInt(sum.amountNano)),
      input_tokens: Number(sum.input),
      output_tokens: Number(sum.output),
    })),
  };
}

function creatorOf({ userId, credentialId, name }: queries.MadeRow): BatchTotals["creator"] {
  const id = userId ?? credentialId;
  if (id.startsWith("svac_")) return { type: "service_account", id, name };
  return { type: userId === null ? "api_key" : "user", id, name };
}
