// The statements of the ledger: one for each group of rows.
import type { Lease } from "../../../kernel/work/lease.ts";
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { plainArray, textArray } from "../../../kernel/sql/arrays.ts";
import { identifier, joinStatements, sql, type Statement } from "../../../kernel/sql/statement.ts";
import { amountColumns, countingIn } from "./queries-counting.ts";
import { factColumns, notingLate } from "./queries-late.ts";
import { payersOf, type SharedPayers } from "./payers.ts";
import { given, givenPayers, namesOf, payerColumns, payerValues } from "./queries-payers.ts";
import { packReservation } from "./reservations.ts";
import type { HopRow } from "./hop-row.ts";
import type { Settlement } from "../schema.ts";

export interface CloseRow {
  hop: HopRow;
  settlement: Settlement;
}

/** A group of reservations, and the row that it is written to. */
export interface Opening {
  hops: readonly HopRow[];
  slot: number;
  /** Later than every one before, by this process. */
  seq: number;
}

/** What a statement is written from. */
interface Given {
  lease: Pick<Lease, "id" | "owner" | "epoch">;
  opening?: Opening | undefined;
  closes: readonly CloseRow[];
  closers: SharedPayers;
}

type Hole = (given: Given) => unknown;

/** Put together once: with its values in place, the text of a group took 90 µs each time. */
function prepared(template: Statement, name?: string): (given: Given) => Statement {
  const { text } = template;
  const holes = template.values as readonly Hole[];
  return (given) => ({
    text,
    values: holes.map((hole) => hole(given)),
    ...(name !== undefined && { name }),
  });
}

const hopColumns = sql`id, request_id, ${payerColumns}, reserve_nano, at`;
/** What the counters are made of. */
const countedColumns = sql`${factColumns}, session_id, month, day, ${amountColumns}`;
const countedNames = countedColumns.text.split(/,\s*/);

/** Milliseconds, since the driver takes 2 µs to write a Date as text and the server one more to read it. */
const atOf = sql`'epoch'::timestamptz + at_ms * interval '1 millisecond'`;

const nodeId: Hole = ({ lease }) => lease.id;

const counting = countingIn(nodeId);
const late = sql`late as (${notingLate(sql`counted`)})`;

const opened =
  (value: (opening: Opening) => unknown): Hole =>
  ({ opening }) =>
    opening && value(opening);

/** Nothing is opened by a node that may be counted as dead: its row is locked until the commit. */
const opening = sql`node as materialized (
    select id, lease_epoch from ledger_nodes
    where id = ${nodeId}::text and lease_owner = ${(({ lease }) => lease.owner) satisfies Hole}::text
      and lease_epoch = ${(({ lease }) => lease.epoch) satisfies Hole}::bigint and lease_until > clock_timestamp()
    for no key update
  ), opened as (
    insert into ledger_reservations as row (node, slot, epoch, seq, hops)
    select id, ${opened(({ slot }) => slot)}::int, lease_epoch, ${opened(({ seq }) => seq)}::bigint,
      ${opened(({ hops }) => packReservation(hops))}::text
    from node
    on conflict (node, slot) do update
      set epoch = excluded.epoch, seq = excluded.seq, hops = excluded.hops
      where (row.epoch, row.seq) < (excluded.epoch, excluded.seq)
  )`;

const settled =
  (value: (settlement: Settlement) => number | boolean): Hole =>
  ({ closes }) =>
    plainArray(closes.map(({ settlement }) => value(settlement)));

const texts =
  (value: (close: CloseRow) => string): Hole =>
  ({ closes }) =>
    textArray(closes.map(value));
const numbers =
  (value: (hop: HopRow) => number): Hole =>
  ({ closes }) =>
    plainArray(closes.map(({ hop }) => value(hop)));

/** PostgreSQL's arrays count from one. */
const payerIndexes: Hole = ({ closers }) => plainArray(closers.indexes.map((index) => index + 1));
const payers = givenPayers(
  (field): Hole =>
    ({ closers }) =>
      textArray(closers.payers.map(({ fields }) => fields[field])),
);

const sentNames = sql`id, request_id, payer, reserve_nano, at_ms, outcome, estimated,
  ${amountColumns}`;
const sentArrays = [
  sql`${texts(({ hop }) => hop.id)}::text[]`,
  sql`${texts(({ hop }) => hop.requestId)}::text[]`,
  sql`${payerIndexes}::int[]`,
  sql`${numbers((hop) => hop.reserveNano)}::bigint[]`,
  sql`${numbers((hop) => hop.at.getTime())}::bigint[]`,
  sql`${texts(({ settlement }) => settlement.outcome)}::text[]`,
  sql`${settled((settlement) => settlement.estimated)}::boolean[]`,
  sql`${settled((settlement) => settlement.counts.input)}::bigint[]`,
  sql`${settled((settlement) => settlement.counts.output)}::bigint[]`,
  sql`${settled((settlement) => settlement.counts.cacheWrite5m)}::bigint[]`,
  sql`${settled((settlement) => settlement.counts.cacheWrite1h)}::bigint[]`,
  sql`${settled((settlement) => settlement.counts.cacheRead)}::bigint[]`,
  sql`${settled((settlement) => settlement.amountNano)}::bigint[]`,
  sql`${settled((settlement) => settlement.listAmountNano)}::bigint[]`,
];
const sentAliases = namesOf("a", sentArrays);
const closingSource = sql`${given(sql`given`, sentAliases, sentArrays)},
  unnest(${joinStatements(
    sentAliases.map((name) => sql`given.${name}`),
    ", ",
  )}) as sent (${sentNames})`;

/** Only rows that were really inserted are counted: a group that is sent twice counts once. */
const closing = sql`closed as (
    insert into ledger (${hopColumns}, outcome, estimated, ${amountColumns})
    select id, request_id, ${payerValues(sql`sent.payer`)}, reserve_nano, ${atOf}, outcome, estimated,
      ${amountColumns}
    from ${closingSource}, ${payers}
    on conflict (id) do nothing
    returning ${countedColumns}
  ), counted as (
    select 1 as requests, ${countedColumns} from closed
  ), ${counting}, ${late}`;

const statements = {
  open: prepared(
    sql`with ${opening} select count(*) as held, 0 as closed from node`,
    "ledger_open",
  ),
  close: prepared(
    sql`with ${closing} select 1 as held, count(*) as closed from closed`,
    "ledger_close",
  ),
  both: prepared(
    sql`with ${opening}, ${closing}
      select (select count(*) from node) as held, (select count(*) from closed) as closed`,
    "ledger_both",
  ),
};

export interface Group {
  opening?: Opening;
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
  on: Queryable,
  lease: Lease,
  { opening, closes }: Group,
): Promise<Written> {
  const which = closes.length === 0 ? "open" : opening === undefined ? "close" : "both";
  const statement = statements[which]({ lease, opening, closes, closers: closersOf(closes) });
  const [row] = await on.query<{ held: number; closed: number }>(statement);
  return { held: row?.held === 1, closed: row?.closed ?? 0 };
}

const closersOf = (closes: readonly CloseRow[]) => payersOf(closes.map(({ hop }) => hop));
const closeIds: Hole = ({ closes }) => textArray(closes.map(({ hop }) => hop.id));

/** Hops that were taken for lost and have ended after all: what was charged is put right. */
const correcting = prepared(sql`
    with lost as materialized (
      select ledger.id, ledger.amount_nano from ledger
      where ledger.id = any(${closeIds}::text[]) and outcome = 'lost'
      order by ledger.id for update
    ), closed as (
      update ledger set outcome = sent.outcome, estimated = sent.estimated,
        input_tokens = sent.input_tokens, output_tokens = sent.output_tokens,
        cache_write_5m_tokens = sent.cache_write_5m_tokens,
        cache_write_1h_tokens = sent.cache_write_1h_tokens,
        cache_read_tokens = sent.cache_read_tokens, amount_nano = sent.amount_nano,
        list_amount_nano = sent.list_amount_nano
      from ${closingSource}, lost
      where ledger.id = sent.id and ledger.id = lost.id
      returning ${joinStatements(
        countedNames.map((name) => sql`ledger.${identifier(name)}`),
        ", ",
      )}, lost.amount_nano as lost_nano
    ), counted as (
      select -1 as requests, ${factColumns}, session_id, month, day, 0 as input_tokens, 0 as output_tokens,
        0 as cache_write_5m_tokens, 0 as cache_write_1h_tokens, 0 as cache_read_tokens,
        -lost_nano as amount_nano, -lost_nano as list_amount_nano
      from closed
      union all
      select 1, ${countedColumns} from closed
    ), ${counting}, ${late}
    select 1`);

export async function correctLost(
  on: Queryable,
  lease: Lease,
  closes: readonly CloseRow[],
): Promise<void> {
  await on.query(correcting({ lease, closes, closers: closersOf(closes) }));
}

/** Everything that a dead node had under way, at its reserve. */
const losing = prepared(sql`
    with closed as (
      insert into ledger (${hopColumns}, outcome, estimated, ${amountColumns})
      select ${hopColumns}, 'lost', true, 0, 0, 0, 0, 0, reserve_nano, reserve_nano
      from ledger_opens where node = ${nodeId}
      on conflict (id) do nothing
      returning ${countedColumns}
    ), gone as (
      delete from ledger_reservations where node = ${nodeId}
    ), counted as (
      select 1 as requests, ${countedColumns} from closed
    ), ${counting}, ${late}
    select count(*) as lost from closed`);

export async function settleLost(tx: Tx, lease: Lease): Promise<number> {
  const [row] = await tx.query<{ lost: number }>(
    losing({ lease, closes: [], closers: closersOf([]) }),
  );
  return row?.lost ?? 0;
}

/** Of a node that is given back: all that it had under way has ended. */
export async function forgetReservations(on: Queryable, { id, epoch }: Lease): Promise<void> {
  await on.query(sql`delete from ledger_reservations where node = ${id} and epoch <= ${epoch}`);
}
