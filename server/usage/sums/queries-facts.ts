// What reports are made of: rows of the ledger, and their sums where there are some.
import {
  empty,
  identifier,
  joinStatements,
  sql,
  type Statement,
} from "../../../kernel/sql/statement.ts";

export const dimensions = [
  "actor",
  "actor_type",
  "agent_id",
  "api_key_id",
  "context_window",
  "deployment_id",
  "environment_id",
  "inference_geo",
  "key_maker",
  "member",
  "model",
  "origin",
  "product",
  "service_account_id",
  "service_tier",
  "session_id",
  "speed",
  "user_id",
  "workspace_id",
] as const;
export type Dimension = (typeof dimensions)[number];

export const measures = [
  "requests",
  "input_tokens",
  "output_tokens",
  "cache_write_5m_tokens",
  "cache_write_1h_tokens",
  "cache_read_tokens",
  "amount_nano",
  "list_amount_nano",
] as const;
export type Measure = (typeof measures)[number];

export type Width = "1m" | "1h" | "1d";
export type OrderBy = Measure | "total_tokens";

export interface UsageSelection {
  from: Date;
  to: Date;
  /** Null: the whole range is one bucket. */
  width: Width | null;
  groupBy: readonly Dimension[];
  /** Any of the values; null among them matches what has none. */
  filters: Partial<Record<Dimension, readonly (string | null)[]>>;
  orderBy: OrderBy;
  /** By bucket first. */
  byTime: boolean;
  order: "asc" | "desc";
  /** With what each class of tokens cost. */
  byClass: boolean;
  after: Position | null;
  rows: number;
}

/** Behind which row a page goes on: its values of what the rows are ordered by, as text. */
export type Position = readonly string[];

/** What a report is made of: the same for all its pages, however much is written meanwhile. */
export interface Horizon {
  /** Sums were there up to this, in milliseconds; null for none. */
  untilMs: number | null;
  /** Of the database, as it names it; null: all that there is. */
  snapshot: string | null;
}

export const isOfWeb = sql`kind in ('web_search', 'web_fetch')`;
/** What has a price of its own, and no model. */
export const isWithoutModel = sql`kind in ('web_search', 'web_fetch', 'session_time')`;

const apiKey = sql`case when left(credential_id, 7) = 'apikey_' then credential_id end`;
const user = sql`case when left(user_id, 5) = 'user_' then user_id end`;
const serviceAccount = sql`case when left(user_id, 5) = 'svac_' then user_id end`;

const actor = sql`coalesce(user_id, ${apiKey})`;

/** What each dimension is, of a row of the ledger. */
export const valueOf: Record<Dimension, Statement> = {
  actor,
  actor_type: sql`case when left(user_id, 5) = 'user_' then 'user_actor'
    when left(user_id, 5) = 'svac_' then 'service_account_actor'
    when left(credential_id, 7) = 'apikey_' then 'api_actor' end`,
  agent_id: sql`agent_id`,
  api_key_id: apiKey,
  context_window: sql`case when is_long then '200k-1M' else '0-200k' end`,
  deployment_id: sql`deployment_id`,
  environment_id: sql`environment_id`,
  inference_geo: sql`inference_geo`,
  key_maker: sql`key_maker`,
  // The person who asked, by a sign-in or by a key that they made; else the actor.
  member: sql`coalesce(key_maker, ${actor})`,
  model: sql`case when not ${isWithoutModel} then model end`,
  // Rows from before there was one are told apart by what they are.
  origin: sql`coalesce(origin, case when kind = 'batch' then 'batch'
    when left(credential_id, 7) = 'signin_' then 'console' else 'api' end)`,
  product: sql`case when kind = 'batch' then 'message_batches_api'
    when kind = 'agent' or (kind = 'guard' and origin = 'session') or ${isWithoutModel} then 'managed_agents_api'
    when left(credential_id, 7) = 'signin_' then 'claude_console' else 'messages_api' end`,
  service_account_id: serviceAccount,
  service_tier: sql`case when kind = 'batch' then 'batch' else coalesce(service_tier, 'standard') end`,
  session_id: sql`session_id`,
  speed: sql`coalesce(speed, 'standard')`,
  user_id: user,
  workspace_id: sql`workspace_id`,
};

/** Beside its dimensions and sums, what a row holds that classes of tokens are told apart by. */
const factColumns = sql`at, workspace_id, credential_id, user_id, model, kind, service_tier, speed,
  inference_geo, prices, key_maker, origin, agent_id, deployment_id, environment_id`;
const sumColumns = joinStatements(
  measures.map((measure) => identifier(measure)),
  ", ",
);

/** Beyond this much input an attempt counts as one with a long context. */
export const isLong = sql`input_tokens + cache_write_5m_tokens + cache_write_1h_tokens
  + cache_read_tokens > 200000`;

/** Of the row whose transaction this is, whether the first page saw it. Transactions are counted in 32 bits. */
function seenIn(snapshot: string | null): Statement {
  if (snapshot === null) return sql`true`;
  const newest = sql`pg_snapshot_xmax(${snapshot}::pg_snapshot)::text::bigint`;
  const apart = sql`((row.xmin::text::bigint - ${newest} + 2147483648) % 4294967296 + 4294967296)
    % 4294967296 - 2147483648`;
  return sql`pg_visible_in_snapshot((${newest} + ${apart})::text::xid8, ${snapshot}::pg_snapshot)`;
}

/** A part of a report: rows of one organization, from one source, in a span of time. */
interface Part {
  organizationId: string;
  snapshot: string | null;
  /** Whether sessions are told apart: what is summed up knows only which rows are of some session. */
  sessions: Sessions;
}

/** Not at all; apart from what is of no session; or those alone. */
type Sessions = "mixed" | "apart" | "alone";

type Piece = (part: Part, from: Date, to: Date) => Statement;

const ofLedgerWhere =
  (which: Statement): Piece =>
  ({ organizationId, snapshot, sessions }, from, to) =>
    sql`
    select ${factColumns}, ${sessions === "mixed" ? empty : sql`session_id,`}
      ${isLong} as is_long, 1 as requests, input_tokens, output_tokens,
      cache_write_5m_tokens, cache_write_1h_tokens, cache_read_tokens, amount_nano, list_amount_nano
    from ledger as row
    where organization_id = ${organizationId} and at >= ${from} and at < ${to}${which}
      and ${seenIn(snapshot)}`;
const ofLedger = ofLedgerWhere(empty);
const ofSessions = ofLedgerWhere(sql` and session_id is not null`);

const withoutSessions = (sessions: Sessions) =>
  sessions === "mixed" ? empty : sql` and not in_session`;
const noSession = (sessions: Sessions) => (sessions === "mixed" ? empty : sql`null as session_id,`);

const ofLate: Piece = ({ organizationId, snapshot, sessions }, from, to) => sql`
    select ${factColumns}, ${noSession(sessions)} is_long, ${sumColumns}
    from usage_late as row
    where organization_id = ${organizationId} and at >= ${from} and at < ${to}
      and ${seenIn(snapshot)}${withoutSessions(sessions)}`;

const ofSums =
  (span: "hour" | "day"): Piece =>
  ({ organizationId, sessions }, from, to) =>
    sql`
    select ${factColumns}, ${noSession(sessions)} is_long, ${sumColumns}
    from usage_sums
    where organization_id = ${organizationId} and span = ${span} and at >= ${from} and at < ${to}
      ${withoutSessions(sessions)}`;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const up = (ms: number, step: number) => Math.ceil(ms / step) * step;
const down = (ms: number, step: number) => Math.floor(ms / step) * step;

function sessionsOf({ groupBy, filters }: UsageSelection): Sessions {
  if (filters.session_id?.includes(null) === false) return "alone";
  return groupBy.includes("session_id") || filters.session_id !== undefined ? "apart" : "mixed";
}

/** Days where whole days are wanted, hours at their ends, and the ledger itself for what is not summed yet. */
export function factsOf(
  organizationId: string,
  asked: UsageSelection,
  { untilMs, snapshot }: Horizon,
): Statement {
  const { width } = asked;
  const [from, to] = [asked.from.getTime(), asked.to.getTime()];
  const summed = width === "1m" ? from : Math.max(from, Math.min(to, untilMs ?? from));
  const part: Part = { organizationId, snapshot, sessions: sessionsOf(asked) };
  const pieces: Statement[] = [];
  const add = (start: number, end: number, piece: Piece) =>
    void (start < end && pieces.push(piece(part, new Date(start), new Date(end))));
  if (part.sessions !== "alone") {
    const [firstDay, lastDay] =
      width === "1h" ? [summed, summed] : [up(from, dayMs), down(summed, dayMs)];
    if (firstDay < lastDay) {
      add(from, firstDay, ofSums("hour"));
      add(firstDay, lastDay, ofSums("day"));
      add(lastDay, summed, ofSums("hour"));
    } else add(from, summed, ofSums("hour"));
    add(from, summed, ofLate);
  }
  if (part.sessions !== "mixed") add(from, summed, ofSessions);
  add(summed, to, ofLedger);
  // Less than an hour, taken down to whole ones: a report of nothing.
  if (pieces.length === 0) pieces.push(ofLedger(part, asked.from, asked.from));
  return joinStatements(pieces, " union all ");
}

export function matching(filters: UsageSelection["filters"]): Statement {
  const conditions = Object.entries(filters).map(([dimension, values]) => {
    const value = valueOf[dimension as Dimension];
    const some = values.filter((each) => each !== null);
    return values.includes(null)
      ? sql`(${value} = any(${some}::text[]) or ${value} is null)`
      : sql`${value} = any(${some}::text[])`;
  });
  return joinStatements([sql`true`, ...conditions], " and ");
}
