// Statements that read the request log.
import type { Queryable } from "../../kernel/sql/database.ts";
import { joinStatements, sql, type Statement } from "../../kernel/sql/statement.ts";
import { limits } from "./limits.ts";

export interface RequestRow {
  id: string;
  at: Date;
  workspace_id: string | null;
  credential_id: string;
  user_id: string | null;
  origin: "api" | "batch" | "console" | "session";
  operation: string;
  method: string | null;
  path: string | null;
  status: number;
  error_type: string | null;
  error: string | null;
  model_asked: string | null;
  model_served: string | null;
  upstream: string | null;
  stop_reason: string | null;
  fell_back: boolean;
  input_tokens: number | null;
  output_tokens: number | null;
  cache_write_tokens: number | null;
  cache_read_tokens: number | null;
  amount_nano: number | null;
  asked_ms: number | null;
  first_ms: number | null;
  ms: number;
  attempts: string | null;
  session_id: string | null;
  batch_id: string | null;
}

const columns: Statement = sql`id, at, workspace_id, credential_id, user_id, origin, operation, method, path,
  status, error_type, error, model_asked, model_served, upstream, stop_reason, fell_back,
  input_tokens, output_tokens, cache_write_tokens, cache_read_tokens, amount_nano, asked_ms,
  first_ms, ms, attempts, session_id, batch_id`;

/** What a list shows; null or undefined is no condition. */
export interface RequestFilter {
  status: { from: number; to: number } | null;
  model: string | null;
  credentialId: string | null;
  userId: string | null;
  workspaceId: string | null;
  sessionId: string | null;
  batchId: string | null;
  origin: string | null;
  operation: string | null;
  stopReason: string | null;
  fellBack: boolean | null;
  minMs: number | null;
  minNano: number | null;
  error: string | null;
}

/** Conditions by whether an index finds what fits them. */
interface Conditions {
  found: Statement[];
  checked: Statement[];
}

/** The days that are over have more indexes than the others. */
function conditionsOf(filter: RequestFilter, isOver: boolean): Conditions {
  const found: Statement[] = [];
  const checked: Statement[] = [];
  const whenOver = isOver ? found : checked;
  const { status, minMs, minNano } = filter;
  if (status !== null) {
    if (status.from >= 400) found.push(sql`status >= 400`);
    checked.push(sql`status >= ${status.from} and status <= ${status.to}`);
  }
  if (filter.stopReason === "refusal") found.push(sql`stop_reason = 'refusal'`);
  else if (filter.stopReason !== null) checked.push(sql`stop_reason = ${filter.stopReason}`);
  if (filter.fellBack === true) found.push(sql`fell_back`);
  else if (filter.fellBack === false) checked.push(sql`not fell_back`);
  if (minMs !== null) {
    if (minMs >= limits.slowMs) found.push(sql`ms >= 10000`);
    checked.push(sql`ms >= ${minMs}`);
  }
  if (minNano !== null) {
    if (minNano >= limits.expensiveNano) found.push(sql`amount_nano >= 100000000`);
    checked.push(sql`amount_nano >= ${minNano}`);
  }
  if (filter.error !== null) {
    found.push(sql`status >= 400`);
    checked.push(sql`position(lower(${filter.error}) in lower(error)) > 0`);
  }
  if (filter.userId !== null) found.push(sql`user_id = ${filter.userId}`);
  if (filter.sessionId !== null) found.push(sql`session_id = ${filter.sessionId}`);
  if (filter.batchId !== null) found.push(sql`batch_id = ${filter.batchId}`);
  if (filter.credentialId !== null) whenOver.push(sql`credential_id = ${filter.credentialId}`);
  if (filter.workspaceId !== null) whenOver.push(sql`workspace_id = ${filter.workspaceId}`);
  if (filter.origin !== null) checked.push(sql`origin = ${filter.origin}`);
  if (filter.operation !== null) checked.push(sql`operation = ${filter.operation}`);
  if (filter.model !== null)
    whenOver.push(sql`coalesce(model_served, model_asked) = ${filter.model}`);
  return { found, checked };
}

export interface Place {
  at: Date;
  id: string;
}

/** A span of time, newest first. */
export interface Span {
  from: Date | null;
  until: Date | null;
  before: Place | null;
  /** All of its days are over, and have their indexes. */
  isOver: boolean;
}

export interface Found {
  rows: RequestRow[];
  /** Where the search stopped before the span was at its end. */
  stoppedAt: Place | null;
}

/** As many rows as asked for, of which no more are looked at than a page may cost. */
export async function findRequests(
  on: Queryable,
  organizationId: string,
  filter: RequestFilter,
  { span, most }: { span: Span; most: number },
): Promise<Found> {
  const { from, until, before, isOver } = span;
  const { found, checked } = conditionsOf(filter, isOver);
  const within = joinStatements(
    [
      sql`organization_id = ${organizationId}`,
      ...(from === null ? [] : [sql`at >= ${from}`]),
      ...(until === null ? [] : [sql`at < ${until}`]),
      // The first of the two alone lets whole days be left out.
      ...(before === null
        ? []
        : [sql`at <= ${before.at} and (at, id) < (${before.at}, ${before.id})`]),
      ...found,
    ],
    " and ",
  );
  if (checked.length === 0) {
    const rows = await on.query<RequestRow>(sql`
      select ${columns} from requests where ${within} order by at desc, id desc limit ${most}`);
    return { rows, stoppedAt: null };
  }
  const answered = await on.query<
    RequestRow & { seen: number; last_at: Date; last_id: string }
  >(sql`
    with examined as materialized (
      select ${columns} from requests where ${within}
      order by at desc, id desc limit ${limits.examinedRowsMax}
    ), seen as (
      select count(*) as seen from examined
    ), last as (
      select at as last_at, id as last_id from examined order by at, id limit 1
    ), fitting as (
      select ${columns} from examined where ${joinStatements(checked, " and ")}
      order by at desc, id desc limit ${most}
    )
    select seen.seen, last.last_at, last.last_id, fitting.*
    from seen left join last on true left join fitting on true
    order by fitting.at desc, fitting.id desc`);
  const [first] = answered;
  const rows = answered.filter(({ id }) => id !== null);
  const isStopped = first !== undefined && first.seen === limits.examinedRowsMax;
  return {
    rows,
    stoppedAt: isStopped ? { at: first.last_at, id: first.last_id } : null,
  };
}

/** What ended in a moment or later, the earliest first: a long request began long before. */
export async function listEnded(
  on: Queryable,
  organizationId: string,
  filter: RequestFilter,
  { after, most }: { after: Date; most: number },
): Promise<RequestRow[]> {
  const { found, checked } = conditionsOf(filter, false);
  const fits = joinStatements(
    [
      sql`organization_id = ${organizationId}`,
      sql`at + ms * interval '1 millisecond' >= ${after}`,
      ...found,
      ...checked,
    ],
    " and ",
  );
  const since = (ms: number) => new Date(after.getTime() - ms);
  return on.query<RequestRow>(sql`
    select * from (
      select ${columns} from requests
      where ${fits} and at >= ${since(limits.slowMs)}
      union all
      select ${columns} from requests
      where ${fits} and ms >= 10000 and at >= ${since(limits.dayMs)} and at < ${since(limits.slowMs)}
    ) as ended
    order by at + ms * interval '1 millisecond', id limit ${most}`);
}

export async function readRequest(
  on: Queryable,
  organizationId: string,
  { at, id }: Place,
): Promise<RequestRow | undefined> {
  const [row] = await on.query<RequestRow>(sql`
    select ${columns} from requests
    where organization_id = ${organizationId} and at = ${at} and id = ${id}`);
  return row;
}
