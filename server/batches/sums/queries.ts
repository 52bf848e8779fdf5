// Statements about what batches cost, and about who made them.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { plainArray, textArray } from "../../../kernel/sql/rows/arrays.ts";
import { preparedAs, sql } from "../../../kernel/sql/statement.ts";
import type { ModelSum } from "./sums.ts";

/** A segment has one writer, so that none waits for another. */
export async function addSums(
  tx: Tx,
  batchId: string,
  segment: number,
  sums: readonly ModelSum[],
): Promise<void> {
  if (sums.length === 0) return;
  const numbers = (of: (sum: ModelSum) => number) => plainArray(sums.map(of));
  await tx.query(
    preparedAs(
      "batches_add_sums",
      sql`insert into batch_sums as row (batch_id, segment, model, attempts, input_tokens,
          output_tokens, cache_write_5m_tokens, cache_write_1h_tokens, cache_read_tokens,
          amount_nano, list_amount_nano)
        select ${batchId}::text, ${segment}::int, model, attempts, input, output, written_5m,
          written_1h, read, amount, list_amount
        from unnest(${textArray(sums.map(({ model }) => model))}::text[],
          ${numbers((sum) => sum.attempts)}::int[], ${numbers((sum) => sum.input)}::bigint[],
          ${numbers((sum) => sum.output)}::bigint[],
          ${numbers((sum) => sum.cacheWrite5m)}::bigint[],
          ${numbers((sum) => sum.cacheWrite1h)}::bigint[],
          ${numbers((sum) => sum.cacheRead)}::bigint[],
          ${numbers((sum) => sum.amountNano)}::bigint[],
          ${numbers((sum) => sum.listAmountNano)}::bigint[])
          as sum (model, attempts, input, output, written_5m, written_1h, read, amount, list_amount)
        on conflict (batch_id, segment, model) do update set
          attempts = row.attempts + excluded.attempts,
          input_tokens = row.input_tokens + excluded.input_tokens,
          output_tokens = row.output_tokens + excluded.output_tokens,
          cache_write_5m_tokens = row.cache_write_5m_tokens + excluded.cache_write_5m_tokens,
          cache_write_1h_tokens = row.cache_write_1h_tokens + excluded.cache_write_1h_tokens,
          cache_read_tokens = row.cache_read_tokens + excluded.cache_read_tokens,
          amount_nano = row.amount_nano + excluded.amount_nano,
          list_amount_nano = row.list_amount_nano + excluded.list_amount_nano`,
    ),
  );
}

export interface MadeRow {
  id: string;
  credentialId: string;
  userId: string | null;
  /** Of the person, service account or key that made it; null where there is none any more. */
  name: string | null;
  succeeded: number;
  refused: number;
}

/** Those of these batches that are the workspace's. */
export function listMade(
  on: Queryable,
  workspaceId: string,
  ids: readonly string[],
): Promise<MadeRow[]> {
  return on.query<MadeRow>(sql`
    select batch.id, batch.credential_id as "credentialId", batch.user_id as "userId",
      coalesce(person.name, former.name, account.name, key.name) as name,
      coalesce(done.succeeded, 0)::int as succeeded, coalesce(done.refused, 0)::int as refused
    from batches as batch
    left join users as person on person.id = batch.user_id
    left join former_members as former
      on former.organization_id = batch.organization_id and former.id = batch.user_id
    left join service_accounts as account on account.id = batch.user_id
    left join keys as key on batch.user_id is null and key.id = batch.credential_id
    left join lateral (
      select sum(succeeded) as succeeded, sum(refused) as refused
      from batch_segments where batch_segments.batch_id = batch.id
    ) as done on true
    where batch.workspace_id = ${workspaceId} and batch.id = any(${ids}::text[])`);
}

export interface SumRow {
  batchId: string;
  model: string;
  attempts: number;
  input: string;
  output: string;
  cacheWrite5m: string;
  cacheWrite1h: string;
  cacheRead: string;
  amountNano: string;
  listAmountNano: string;
}

/** By model, the dearest first. */
export function listSums(on: Queryable, ids: readonly string[]): Promise<SumRow[]> {
  return on.query<SumRow>(sql`
    select batch_id as "batchId", model, sum(attempts)::int as attempts,
      sum(input_tokens)::text as input, sum(output_tokens)::text as output,
      sum(cache_write_5m_tokens)::text as "cacheWrite5m",
      sum(cache_write_1h_tokens)::text as "cacheWrite1h",
      sum(cache_read_tokens)::text as "cacheRead", sum(amount_nano)::text as "amountNano",
      sum(list_amount_nano)::text as "listAmountNano"
    from batch_sums where batch_id = any(${ids}::text[])
    group by batch_id, model
    order by batch_id, sum(amount_nano) desc, model`);
}
