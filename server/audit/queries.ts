// Statements of the audit log.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { joinStatements, sql, type Statement } from "../../kernel/sql/statement.ts";

export interface EventRow {
  id: string;
  at: Date;
  action: string;
  actor_type: string;
  actor_id: string | null;
  actor_name: string | null;
  target_type: string | null;
  target_id: string | null;
  address: string;
  request_id: string | null;
  details: Record<string, unknown>;
}

/** With its number in the chain, and its time in the database's precision: a cursor knows no finer one. */
export interface ListedRow extends EventRow {
  seq: number;
  hash: string;
  place: string;
}

/** Appends events to the chain; the lock on its head stays until the commit. */
export async function appendEvents(
  tx: Tx,
  organizationId: string,
  events: readonly (EventRow & { words: readonly string[] })[],
): Promise<void> {
  await tx.query(sql`
    select audit_append(${organizationId}, ${JSON.stringify(events, whole)}::jsonb)`);
}

/** Text that the database accepts: no lone surrogate, and no zero character. */
const whole = (_: string, value: unknown) =>
  typeof value === "string" ? value.toWellFormed().replaceAll("\0", "") : value;

export interface EventFilter {
  /** Any of these actions; null for all. */
  actions: readonly string[] | null;
  actorId: string | null;
  targetId: string | null;
  address: string | null;
  from: Date | null;
  to: Date | null;
  /** All of these words; the last one may be a prefix. */
  words: readonly string[];
}

export interface EventWindow {
  /** Events older than this one. */
  before: { at: string; id: string } | null;
  rows: number;
}

const columns: Statement = sql`
  event.id, event.at, event.action, event.actor_type, event.actor_id, event.actor_name,
  event.target_type, event.target_id, event.address, event.request_id, event.details, event.seq,
  encode(event.hash, 'hex') as hash, event.at::text as place`;

/**
 * Newest first. Each filter has its index in the order of the list. Several actions are read a page each and
 * merged, so that a page costs what it shows, and not what lies between.
 */
export function listEvents(
  on: Queryable,
  organizationId: string,
  filter: EventFilter,
  { before, rows }: EventWindow,
): Promise<ListedRow[]> {
  const { actions, actorId, targetId, address, from, to, words } = filter;
  const isNarrow = actorId !== null || targetId !== null || address !== null || words.length > 0;
  const conditions = [
    sql`event.organization_id = ${organizationId} and event.seq is not null`,
    ...(before === null
      ? []
      : [sql`(event.at, event.id) < (${before.at}::timestamptz, ${before.id})`]),
    ...(actorId === null ? [] : [sql`event.actor_id = ${actorId}`]),
    ...(targetId === null ? [] : [sql`event.target_id = ${targetId}`]),
    ...(address === null ? [] : [sql`event.address = ${address}`]),
    ...(from === null ? [] : [sql`event.at >= ${from}`]),
    ...(to === null ? [] : [sql`event.at < ${to}`]),
    ...(words.length === 0
      ? []
      : [sql`event.search @@ ${wordQuery(organizationId, words)}::tsquery`]),
  ];
  if (actions === null || isNarrow) {
    if (actions !== null) conditions.push(sql`event.action = any(${actions})`);
    return on.query<ListedRow>(sql`
      select ${columns} from audit_events as event where ${joinStatements(conditions, " and ")}
      order by event.at desc, event.id desc limit ${rows}`);
  }
  return on.query<ListedRow>(sql`
    select ${columns}
    from unnest(${actions}::text[]) as wanted (action) cross join lateral (
      select event.id, event.at, event.action, event.actor_type, event.actor_id, event.actor_name,
        event.target_type, event.target_id, event.address, event.request_id, event.details,
        event.seq, event.hash
      from audit_events as event
      where event.action = wanted.action and ${joinStatements(conditions, " and ")}
      order by event.at desc, event.id desc limit ${rows}) as event
    order by event.at desc, event.id desc limit ${rows}`);
}

/** In the order of the chain. */
export function listBehind(
  on: Queryable,
  organizationId: string,
  { seq, rows }: { seq: number; rows: number },
): Promise<ListedRow[]> {
  return on.query<ListedRow>(sql`
    select ${columns} from audit_events as event
    where event.organization_id = ${organizationId} and event.seq > ${seq}
    order by event.seq limit ${rows}`);
}

/** The organization's id is one of the words: other organizations' words are not searched. */
const wordQuery = (organizationId: string, words: readonly string[]) =>
  [organizationId, ...words]
    .map((word, at) => `'${word}'${at === words.length ? ":*" : ""}`)
    .join(" & ");

/** The actions that occur: the statement walks an index from one name to the next. */
export async function listActions(on: Queryable, organizationId: string): Promise<string[]> {
  const rows = await on.query<{ action: string }>(sql`
    with recursive found as (
      (select action from audit_events
        where organization_id = ${organizationId} and seq is not null
        order by action limit 1)
      union all
      select (select next.action from audit_events as next
        where next.organization_id = ${organizationId} and next.seq is not null
          and next.action > found.action
        order by next.action limit 1)
      from found where found.action is not null
    )
    select action from found where action is not null order by action`);
  return rows.map(({ action }) => action);
}
