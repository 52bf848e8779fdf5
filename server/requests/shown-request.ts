// A row of the request log as clients see it.
import { parseExactly } from "../../kernel/base/exact-json.ts";
import { minorOf } from "../usage/module.ts";
import type { RequestRow } from "./queries.ts";
import type { Attempt, LoggedRequest } from "./schema.ts";

export function shownRequest(row: RequestRow): LoggedRequest {
  const usage = usageOf(row);
  return {
    id: row.id,
    type: "request",
    at: row.at.toISOString(),
    ended_at: new Date(row.at.getTime() + row.ms).toISOString(),
    origin: row.origin,
    operation: row.operation,
    method: row.method,
    path: row.path,
    workspace_id: row.workspace_id,
    credential_id: row.credential_id,
    user_id: row.user_id,
    session_id: row.session_id,
    batch_id: row.batch_id,
    status: row.status,
    error: row.error_type === null ? null : { type: row.error_type, message: row.error ?? "" },
    model: row.model_asked,
    served_model: row.model_served,
    upstream: row.upstream,
    fell_back: row.fell_back,
    stop_reason: row.stop_reason,
    usage,
    cost: row.amount_nano === null ? null : costOf(row.amount_nano),
    first_token_ms: row.first_ms,
    duration_ms: row.ms,
    attempts: row.attempts === null ? onlyAttempt(row, usage) : attemptsOf(row.attempts),
  };
}

const costOf = (nano: number) => ({ amount: minorOf(BigInt(nano)), currency: "USD" as const });

const usageOf = (row: RequestRow): LoggedRequest["usage"] =>
  row.input_tokens === null
    ? null
    : {
        input_tokens: row.input_tokens,
        output_tokens: row.output_tokens ?? 0,
        cache_creation_input_tokens: row.cache_write_tokens ?? 0,
        cache_read_input_tokens: row.cache_read_tokens ?? 0,
      };

/** One that served is told by the row itself. */
function onlyAttempt(row: RequestRow, usage: LoggedRequest["usage"]): Attempt[] {
  const { model_served, upstream, asked_ms, amount_nano } = row;
  if (model_served === null || usage === null) return [];
  return [
    {
      model: model_served,
      upstream: upstream ?? "",
      is_guard: false,
      outcome: "served",
      why: row.stop_reason === "refusal" ? "refusal" : null,
      start_ms: asked_ms ?? 0,
      first_ms: row.first_ms,
      end_ms: row.ms,
      ...usage,
      cost: costOf(amount_nano ?? 0),
    },
  ];
}

interface KeptAttempt extends Omit<
  Attempt,
  "cost" | "cache_creation_input_tokens" | "cache_read_input_tokens"
> {
  cache_write_tokens: number;
  cache_read_tokens: number;
  amount_nano: number;
}

const attemptsOf = (kept: string): Attempt[] =>
  (parseExactly(kept) as KeptAttempt[]).map(
    ({ amount_nano, cache_write_tokens, cache_read_tokens, ...attempt }) => ({
      ...attempt,
      cache_creation_input_tokens: cache_write_tokens,
      cache_read_input_tokens: cache_read_tokens,
      cost: costOf(amount_nano),
    }),
  );
