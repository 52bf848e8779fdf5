// The statement that writes the request log.
import { column, plainArray, textArray } from "../../../kernel/sql/rows/arrays.ts";
import type { Queryable } from "../../../kernel/sql/database.ts";
import { joinStatements, preparedAs, sql } from "../../../kernel/sql/statement.ts";

export interface LoggedRequest {
  id: string;
  at: Date;
  organizationId: string;
  workspaceId: string | null;
  credentialId: string;
  userId: string | null;
  origin: string;
  operation: string;
  method: string | null;
  path: string | null;
  status: number;
  errorType: string | null;
  error: string | null;
  modelAsked: string | null;
  modelServed: string | null;
  upstream: string | null;
  stopReason: string | null;
  fellBack: boolean;
  inputTokens: number | null;
  outputTokens: number | null;
  cacheWriteTokens: number | null;
  cacheReadTokens: number | null;
  amountNano: number | null;
  askedMs: number | null;
  firstMs: number | null;
  ms: number;
  attempts: string | null;
  sessionId: string | null;
  batchId: string | null;
}

/** Many at a time; the log need not survive the machine as acknowledged work does. */
export async function insertRequests(on: Queryable, rows: readonly LoggedRequest[]): Promise<void> {
  const texts = (of: (row: LoggedRequest) => string | null) =>
    sql`${column(rows.map(of), textArray)}::text[]`;
  const whole = (of: (row: LoggedRequest) => number | null) =>
    sql`${column(rows.map(of), wholeArray)}::bigint[]`;
  const arrays = [
    texts(({ id }) => id),
    whole(({ at }) => at.getTime()),
    texts(({ organizationId }) => organizationId),
    texts(({ workspaceId }) => workspaceId),
    texts(({ credentialId }) => credentialId),
    texts(({ userId }) => userId),
    texts(({ origin }) => origin),
    texts(({ operation }) => operation),
    texts(({ method }) => method),
    texts(({ path }) => path),
    whole(({ status }) => status),
    texts(({ errorType }) => errorType),
    texts(({ error }) => error),
    texts(({ modelAsked }) => modelAsked),
    texts(({ modelServed }) => modelServed),
    texts(({ upstream }) => upstream),
    texts(({ stopReason }) => stopReason),
    sql`${plainArray(rows.map(({ fellBack }) => fellBack))}::boolean[]`,
    whole(({ inputTokens }) => inputTokens),
    whole(({ outputTokens }) => outputTokens),
    whole(({ cacheWriteTokens }) => cacheWriteTokens),
    whole(({ cacheReadTokens }) => cacheReadTokens),
    whole(({ amountNano }) => amountNano),
    whole(({ askedMs }) => askedMs),
    whole(({ firstMs }) => firstMs),
    whole(({ ms }) => ms),
    texts(({ attempts }) => attempts),
    texts(({ sessionId }) => sessionId),
    texts(({ batchId }) => batchId),
  ];
  await on.query(
    preparedAs(
      "requests_insert",
      sql`insert into requests (id, at, organization_id, workspace_id, credential_id, user_id, origin,
          operation, method, path, status, error_type, error, model_asked, model_served, upstream,
          stop_reason, fell_back, input_tokens, output_tokens, cache_write_tokens,
          cache_read_tokens, amount_nano, asked_ms, first_ms, ms, attempts, session_id, batch_id)
        select id, 'epoch'::timestamptz + at_ms * interval '1 millisecond', organization_id,
          workspace_id, credential_id, user_id, origin, operation, method, path, status, error_type,
          error, model_asked, model_served, upstream, stop_reason, fell_back, input_tokens,
          output_tokens, cache_write_tokens, cache_read_tokens, amount_nano, asked_ms, first_ms, ms,
          attempts, session_id, batch_id
        from unnest(${joinStatements(arrays, ", ")}) as given (id, at_ms, organization_id,
          workspace_id, credential_id, user_id, origin, operation, method, path, status, error_type,
          error, model_asked, model_served, upstream, stop_reason, fell_back, input_tokens,
          output_tokens, cache_write_tokens, cache_read_tokens, amount_nano, asked_ms, first_ms, ms,
          attempts, session_id, batch_id)`,
    ),
  );
}

const wholeArray = (values: readonly (number | null)[]): string =>
  `{${values.map((value) => value ?? "null").join()}}`;
