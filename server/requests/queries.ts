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
  upstream: string | null;
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

interface Conditions {
  /** Those that an index finds: the rarest first. */
  indexed: Statement[];
  others: Statement[];
}

/** The days that are over have more indexes than the others. */
function conditionsOf(filter: RequestFilter, isOver: boolean): Conditions {
  const indexed: Statement[] = [];
  const others: Statement[] = [];
  const whenOver = isOver ? indexed : others;
  const { status, minMs, minNano } = filter;
  if (filter.batchId !== null) indexed.push(sql`batch_id = ${filter.batchId}`);
  if (filter.sessionId !== null) indexed.push(sql`session_id = ${filter.sessionId}`);
  if (minNano !== null) {
    if (minNano >= limits.expensiveNano) indexed.push(sql`amount_nano >= 100000000`);
    others.push(sql`amount_nano >= ${minNano}`);
  }
  if (minMs !== null) {
    if (minMs >= limits.slowMs) indexed.push(sql`ms >= 10000`);
    others.push(sql`ms >= ${minMs}`);
  }
  if (filter.stopReason === "refusal") indexed.push(sql`stop_reason = 'refusal'`);
  else if (filter.stopReason !== null) others.push(sql`stop_reason = ${filter.stopReason}`);
  if (filter.fellBack === true) indexed.push(sql`fell_back`);
  else if (filter.fellBack === false) others.push(sql`not fell_back`);
  if ((status?.from ?? 0) >= 400 || filter.error !== null) indexed.push(sql`status >= 400`);
  if (status !== null && (status.from !== 400 || status.to < 599))
    others.push(sql`status >= ${status.from} and status <= ${status.to}`);
  if (filter.error !== null) others.push(sql`position(lower(${filter.error}) in lower(error)) > 0`);
  if (filter.userId !== null) indexed.push(sql`user_id = ${filter.userId}`);
  if (filter.credentialId !== null) whenOver.push(sql`credential_id = ${filter.credentialId}`);
  if (filter.model !== null)
    whenOver.push(sql`coalesce(model_served, model_asked) = ${filter.model}`);
  if (filter.workspaceId !== null) whenOver.push(sql`workspace_id = ${filter.workspaceId}`);
  if (filter.upstream !== null) others.push(sql`upstream = ${filter.upstream}`);
  if (filter.origin !== null) others.push(sql`origin = ${filter.origin}`);
  if (filter.operation !== null) others.push(sql`operation = ${filter.operation}`);
  return { indexed, others };
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
  const { indexed, others } = conditionsOf(filter, isOver);
  // One index chooses what is looked at: the planner does not know the rarest, and would join several.
  const [chosen, ...more] = indexed;
  const checked = [...more, ...others];
  const within = joinStatements(
    [
      sql`organization_id = ${organizationId}`,
      ...(from === null ? [] : [sql`at >= ${from}`]),
      ...(until === null ? [] : [sql`at < ${until}`]),
      // The first of the two alone lets whole days be left out.
      ...(before === null
        ? []
        : [sql`at <= ${before.at} and (at, id) < (${before.at}, ${before.id})`]),
      ...(chosen === undefined ? [] : [chosen]),
    ],
    " and ",
  );
  if (checked.length === 0) {
    const rows = await on.query<RequestRow>(sql`
      select ${columns} from requests where ${within} order by at desc, id desc limit ${most}`);
    return { rows, stoppedAt: null };
  }
  // Those of an index lie apart; those in the order of time side by side.
  const looked = chosen !== undefined ? limits.examinedApartMax : limits.examinedRowsMax;
  const found = await on.query<RequestRow & { is_last: boolean }>(sql`
    with examined as materialized (
      select ${columns} from requests where ${within} order by at desc, id desc limit ${looked}
    ), fitting as materialized (
      select ${columns} from examined where ${joinStatements(checked, " and ")} limit ${most}
    )
    select ${columns}, false as is_last from fitting
    union all (
      select ${columns}, true from examined
      where (select count(*) from fitting) < ${most} offset ${looked - 1} limit 1
    )`);
  const [last] = found.filter(({ is_last }) => is_last);
  const rows = found.filter(({ is_last }) => !is_last);
  return { rows, stoppedAt: last === undefined ? null : { at: last.at, id: last.id } };
}

/** What ended in a moment or later, the earliest first: a long request began long before. */
export async function listEnded(
  on: Queryable,
  organizationId: string,
  filter: RequestFilter,
  { after, most }: { after: Date; most: number },
): Promise<RequestRow[]> {
  const { indexed, others } = conditionsOf(filter, false);
  const fits = joinStatements(
    [
      sql`organization_id = ${organizationId}`,
      sql`at + ms * interval '1 millisecond' >= ${after}`,
      ...indexed,
      ...others,
    ],
    " and ",
  );
  const since = (ms: number) => new Date(after.getTime() - ms);
  return on.query<RequestRow>(sql`
    select ${columns} from (
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
