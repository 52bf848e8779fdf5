// The statements of the ledger: one for each group of rows.
import { asked, isOurs, leasable, leaseLimits, type Lease } from "../../kernel/jobs/lease.ts";
import type { Queries, Tx } from "../../kernel/sql/database.ts";
import { identifier, join, named, sql, type Statement } from "../../kernel/sql/statement.ts";
import type { NewHop, Settlement } from "./schema.ts";

export const nodeLeases = leasable("ledger_nodes");

/** A hop as it is written: with the month whose limits it counts for. */
export interface HopRow extends NewHop {
  month: string;
}

export interface CloseRow {
  hop: HopRow;
  settlement: Settlement;
}

const hopColumns = sql`id, request_id, organization_id, workspace_id, credential_id, user_id, model,
  upstream, kind, service_tier, speed, reserve_nano, at, month`;
const amountColumns = sql`input_tokens, output_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
  cache_read_tokens, amount_nano, list_amount_nano`;
/** What the counters are made of. */
const countedColumns = sql`organization_id, workspace_id, model, kind, at, month, ${amountColumns}`;

/** Milliseconds, since the driver takes 2 µs to write a Date as text and the server one more to read it. */
const atOf = sql`'epoch'::timestamptz + at_ms * interval '1 millisecond'`;

const texts = (hops: readonly HopRow[], value: (hop: HopRow) => string | null) => hops.map(value);

/**
 * Rows out of arrays. The arrays come through a subquery that is not flattened: seeing how long they are,
 * the planner would think each length worth a plan of its own, and planning costs 100 µs a statement.
 */
function rowsOf(alias: Statement, names: Statement, arrays: readonly Statement[]): Statement {
  const places = arrays.map((_, index) => identifier(`a${index}`));
  const given = arrays.map((array, index) => sql`${array} as ${places[index]}`);
  return sql`(select ${join(given, ", ")} offset 0) as given,
    unnest(${join(
      places.map((place) => sql`given.${place}`),
      ", ",
    )}) as ${alias} (${names})`;
}

function hopArrays(hops: readonly HopRow[]): Statement[] {
  return [
    sql`${texts(hops, (hop) => hop.id)}::text[]`,
    sql`${texts(hops, (hop) => hop.requestId)}::text[]`,
    sql`${texts(hops, (hop) => hop.organizationId)}::text[]`,
    sql`${texts(hops, (hop) => hop.workspaceId)}::text[]`,
    sql`${texts(hops, (hop) => hop.credentialId)}::text[]`,
    sql`${texts(hops, (hop) => hop.userId)}::text[]`,
    sql`${texts(hops, (hop) => hop.model)}::text[]`,
    sql`${texts(hops, (hop) => hop.upstream)}::text[]`,
    sql`${texts(hops, (hop) => hop.kind)}::text[]`,
    sql`${texts(hops, (hop) => hop.serviceTier ?? null)}::text[]`,
    sql`${texts(hops, (hop) => hop.speed ?? null)}::text[]`,
    sql`${hops.map((hop) => hop.reserveNano)}::bigint[]`,
    sql`${hops.map((hop) => hop.at.getTime())}::bigint[]`,
    sql`${texts(hops, (hop) => hop.month)}::text[]`,
  ];
}

const hopNames = sql`id, request_id, organization_id, workspace_id, credential_id, user_id, model,
  upstream, kind, service_tier, speed, reserve_nano, at_ms, month`;
const hopValues = sql`id, request_id, organization_id, workspace_id, credential_id, user_id, model,
  upstream, kind, service_tier, speed, reserve_nano, ${atOf}, month`;

/** Adds what `counted` holds to the counters of this node. */
function counting(node: string): Statement {
  return sql`days as (
    insert into usage_days (organization_id, day, workspace_id, model, kind, node, requests,
      ${amountColumns})
    select organization_id, (at at time zone 'UTC')::date, workspace_id, model, kind,
      ${node}::text, sum(requests), sum(input_tokens), sum(output_tokens),
      sum(cache_write_5m_tokens), sum(cache_write_1h_tokens), sum(cache_read_tokens),
      sum(amount_nano), sum(list_amount_nano)
    from counted group by 1, 2, 3, 4, 5
    on conflict (organization_id, day, workspace_id, model, kind, node) do update set
      requests = usage_days.requests + excluded.requests,
      input_tokens = usage_days.input_tokens + excluded.input_tokens,
      output_tokens = usage_days.output_tokens + excluded.output_tokens,
      cache_write_5m_tokens = usage_days.cache_write_5m_tokens + excluded.cache_write_5m_tokens,
      cache_write_1h_tokens = usage_days.cache_write_1h_tokens + excluded.cache_write_1h_tokens,
      cache_read_tokens = usage_days.cache_read_tokens + excluded.cache_read_tokens,
      amount_nano = usage_days.amount_nano + excluded.amount_nano,
      list_amount_nano = usage_days.list_amount_nano + excluded.list_amount_nano
  ), months as (
    insert into spend_months (organization_id, month, workspace_id, node, spent_nano)
    select organization_id, month, workspace_id, ${node}::text, sum(amount_nano)
    from counted group by 1, 2, 3 having sum(amount_nano) <> 0
    on conflict (organization_id, month, workspace_id, node) do update set
      spent_nano = spend_months.spent_nano + excluded.spent_nano
  )`;
}

/** Nothing is opened by a node that may be counted as dead: its row is locked until the commit. */
function opening(lease: Lease, hops: readonly HopRow[]): Statement {
  return sql`node as materialized (
    select id from ledger_nodes
    where id = ${lease.id}::text and lease_owner = ${lease.owner}::text
      and lease_epoch = ${lease.epoch}::bigint and lease_until > clock_timestamp()
    for no key update
  ), opened as (
    insert into ledger_opens (${hopColumns}, node)
    select hop.id, request_id, organization_id, workspace_id, credential_id, user_id, model,
      upstream, kind, service_tier, speed, reserve_nano, ${atOf}, month, node.id
    from ${rowsOf(sql`hop`, hopNames, hopArrays(hops))}, node
    on conflict (id) do nothing
  )`;
}

function closingSource(closes: readonly CloseRow[]): Statement {
  const hops = closes.map(({ hop }) => hop);
  const numbers = (value: (settlement: Settlement) => number) =>
    closes.map(({ settlement }) => value(settlement));
  const columns = [
    ...hopArrays(hops),
    sql`${closes.map(({ settlement }) => settlement.outcome)}::text[]`,
    sql`${closes.map(({ settlement }) => settlement.estimated)}::boolean[]`,
    sql`${numbers(({ counts }) => counts.input)}::bigint[]`,
    sql`${numbers(({ counts }) => counts.output)}::bigint[]`,
    sql`${numbers(({ counts }) => counts.cacheWrite5m)}::bigint[]`,
    sql`${numbers(({ counts }) => counts.cacheWrite1h)}::bigint[]`,
    sql`${numbers(({ counts }) => counts.cacheRead)}::bigint[]`,
    sql`${numbers(({ amountNano }) => amountNano)}::bigint[]`,
    sql`${numbers(({ listAmountNano }) => listAmountNano)}::bigint[]`,
  ];
  return rowsOf(sql`sent`, sql`${hopNames}, outcome, estimated, ${amountColumns}`, columns);
}

/** Only rows that were really inserted are counted: a group that is sent twice counts once. */
function closing(node: string, closes: readonly CloseRow[]): Statement {
  return sql`closed as (
    insert into ledger (${hopColumns}, outcome, estimated, ${amountColumns})
    select ${hopValues}, outcome, estimated, ${amountColumns} from ${closingSource(closes)}
    on conflict (id) do nothing
    returning ${countedColumns}
  ), gone as (
    delete from ledger_opens where id = any((select ${closes.map(({ hop }) => hop.id)}::text[])::text[])
  ), counted as (
    select 1 as requests, ${countedColumns} from closed
  ), ${counting(node)}`;
}

export interface Group {
  opens: readonly HopRow[];
  closes: readonly CloseRow[];
}

export interface Written {
  /** False: the lease is over, and no open was written. */
  held: boolean;
  /** How many closes were new. */
  closed: number;
}

/** All of a group in one statement, so that it is one transaction without a begin and a commit. */
export async function writeGroup(
  on: Queries,
  lease: Lease,
  { opens, closes }: Group,
): Promise<Written> {
  const statement =
    closes.length === 0
      ? named(
          "ledger_open",
          sql`with ${opening(lease, opens)} select count(*) as held, 0 as closed from node`,
        )
      : opens.length === 0
        ? named(
            "ledger_close",
            sql`with ${closing(lease.id, closes)} select 1 as held, count(*) as closed from closed`,
          )
        : named(
            "ledger_both",
            sql`with ${opening(lease, opens)}, ${closing(lease.id, closes)}
              select (select count(*) from node) as held, (select count(*) from closed) as closed`,
          );
  const [row] = await on.query<{ held: number; closed: number }>(statement);
  return { held: row?.held === 1, closed: row?.closed ?? 0 };
}

/** Hops that were taken for lost and have ended after all: what was charged is put right. */
export async function correctLost(
  on: Queries,
  node: string,
  closes: readonly CloseRow[],
): Promise<void> {
  await on.query(sql`
    with lost as materialized (
      select ledger.id, ledger.amount_nano from ledger
      where ledger.id = any(${closes.map(({ hop }) => hop.id)}::text[]) and outcome = 'lost'
      order by ledger.id for update
    ), closed as (
      update ledger set outcome = sent.outcome, estimated = sent.estimated,
        input_tokens = sent.input_tokens, output_tokens = sent.output_tokens,
        cache_write_5m_tokens = sent.cache_write_5m_tokens,
        cache_write_1h_tokens = sent.cache_write_1h_tokens,
        cache_read_tokens = sent.cache_read_tokens, amount_nano = sent.amount_nano,
        list_amount_nano = sent.list_amount_nano
      from ${closingSource(closes)}, lost
      where ledger.id = sent.id and ledger.id = lost.id
      returning ledger.organization_id, ledger.workspace_id, ledger.model, ledger.kind, ledger.at,
        ledger.month, ledger.input_tokens, ledger.output_tokens, ledger.cache_write_5m_tokens,
        ledger.cache_write_1h_tokens, ledger.cache_read_tokens,
        ledger.amount_nano - lost.amount_nano as amount_nano,
        ledger.list_amount_nano - lost.amount_nano as list_amount_nano
    ), counted as (
      select 0 as requests, ${countedColumns} from closed
    ), ${counting(node)}
    select 1`);
}

/** Everything that a dead node had under way, at its reserve. */
export async function settleLost(tx: Tx, node: string): Promise<number> {
  const [row] = await tx.query<{ lost: number }>(sql`
    with gone as (
      delete from ledger_opens where node = ${node} returning ${hopColumns}
    ), closed as (
      insert into ledger (${hopColumns}, outcome, estimated, ${amountColumns})
      select ${hopColumns}, 'lost', true, 0, 0, 0, 0, 0, reserve_nano, reserve_nano from gone
      on conflict (id) do nothing
      returning ${countedColumns}
    ), counted as (
      select 1 as requests, ${countedColumns} from closed
    ), ${counting(node)}
    select count(*) as lost from closed`);
  return row?.lost ?? 0;
}

/** Nodes whose lease has lapsed while somebody had it: taken by us, so that their late writes fail. */
export const claimDead = (tx: Tx, owner: string) =>
  nodeLeases.claim(tx, {
    owner,
    where: sql`row.lease_owner is not null`,
    orderBy: sql`row.id`,
    limit: 4,
  });

/** A place that was given back. */
export const claimFree = (on: Queries, owner: string) =>
  nodeLeases.claim(on, {
    owner,
    where: sql`row.lease_owner is null`,
    orderBy: sql`row.id`,
    limit: 1,
  });

export const claimNamed = (on: Queries, owner: string, id: string) =>
  nodeLeases.claim(on, { owner, where: sql`row.id = ${id}`, orderBy: sql`row.id`, limit: 1 });

export async function insertNode(on: Queries, id: string): Promise<void> {
  await on.query(sql`insert into ledger_nodes (id) values (${id})`);
}

/** Waits for the node's own groups, which lock the row for a moment; undefined when the lease is lost. */
export async function renewNode(on: Queries, lease: Lease): Promise<Date | undefined> {
  const [row] = await on.query<{ now: Date }>(
    named(
      "ledger_node_renew",
      sql`update ledger_nodes as row
        set lease_until = clock_timestamp() + ${leaseLimits.leaseMs} * interval '1 millisecond'
        from ${asked([lease])} where ${isOurs()}
        returning clock_timestamp() as now`,
    ),
  );
  return row?.now;
}

/** The database's clock, which decides what month it is. */
export async function readNow(on: Queries): Promise<Date> {
  const [row] = await on.query<{ now: Date }>(
    named("ledger_now", sql`select clock_timestamp() as now`),
  );
  return row?.now ?? new Date(0);
}
