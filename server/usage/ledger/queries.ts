// The statements of the ledger: one for each group of rows.
import assert from "node:assert/strict";
import type { Lease } from "../../../kernel/work/lease.ts";
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { sql, type Statement } from "../../../kernel/sql/statement.ts";
import { amountColumns, countedColumns, countingIn, hopColumns } from "./queries-counting.ts";
import { isReadable, payersOf } from "./payers.ts";
import type { CloseRow, HopRow } from "./hop-row.ts";

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

/** Settlements, as a row of the journal holds them. */
const packCloses = (closes: readonly CloseRow[]): string =>
  packHops(
    closes.map(({ hop }) => hop),
    (index) => packedAmounts(closes[index]),
  );

function packedAmounts(close: CloseRow | undefined): string {
  assert(close !== undefined, "each hop has its settlement");
  const { outcome, estimated, counts, amountNano, listAmountNano } = close.settlement;
  const { input, output, cacheWrite5m, cacheWrite1h, cacheRead } = counts;
  return `,"${outcome}",${estimated},${input},${output},${cacheWrite5m},${cacheWrite1h},${cacheRead},${amountNano},${listAmountNano}`;
}

/** `more` is what follows the hop's own five values, with a comma before each. Ids and numbers need no escaping. */
function packHops(hops: readonly HopRow[], more: (index: number) => string = () => ""): string {
  const { payers, indexes } = payersOf(hops);
  if (!payers.every(isReadable)) throw new TypeError("An attempt is named with what is no text.");
  const rows = hops.map(
    (hop, index) =>
      `["${hop.id}","${hop.requestId}",${indexes[index]},${hop.reserveNano},${hop.at.getTime()}${more(index)}]`,
  );
  return `{"who":[${payers.map(({ text }) => text).join()}],"hops":[${rows.join()}]}`;
}

const nodeId: Hole = ({ lease }) => lease.id;

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
      ${opened(({ hops }) => packHops(hops))}::text
    from node
    on conflict (node, slot) do update
      set epoch = excluded.epoch, seq = excluded.seq, hops = excluded.hops
      where (row.epoch, row.seq) < (excluded.epoch, excluded.seq)
  )`;

const closing = sql`insert into ledger_journal (node, closes)
    values (${nodeId}::text, ${(({ closes }) => packCloses(closes)) satisfies Hole}::text)
    returning id`;

const statements = {
  open: prepared(
    sql`with ${opening} select count(*) as held, null as journaled from node`,
    "ledger_open",
  ),
  close: prepared(
    sql`with closed as (${closing}) select 1 as held, id as journaled from closed`,
    "ledger_close",
  ),
  both: prepared(
    sql`with ${opening}, closed as (${closing})
      select (select count(*) from node) as held, id as journaled from closed`,
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
  /** The row of the journal that holds the closes. */
  journaled: number | null;
}

/** All of a group in one statement, so that it is one transaction without a begin and a commit. */
export async function writeGroup(
  on: Queryable,
  lease: Lease,
  { opening, closes }: Group,
): Promise<Written> {
  const which = closes.length === 0 ? "open" : opening === undefined ? "close" : "both";
  const statement = statements[which]({ lease, opening, closes });
  const [row] = await on.query<{ held: number; journaled: number | null }>(statement);
  return { held: row?.held === 1, journaled: row?.journaled ?? null };
}

/** Settlements as a row of the journal, in a transaction of the caller's. */
export async function writeCloses(
  tx: Tx,
  lease: Lease,
  closes: readonly CloseRow[],
): Promise<void> {
  await tx.query(statements.close({ lease, closes }));
}

/** Everything that a dead node had under way, at its reserve. */
export async function settleLost(tx: Tx, { id }: Lease): Promise<number> {
  const [row] = await tx.query<{ lost: number }>(sql`
    with closed as (
      insert into ledger (${hopColumns}, outcome, estimated, ${amountColumns})
      select ${hopColumns}, 'lost', true, 0, 0, 0, 0, 0, reserve_nano, reserve_nano
      from ledger_opens where node = ${id}
      on conflict (id) do nothing
      returning ${countedColumns}
    ), gone as (
      delete from ledger_reservations where node = ${id}
    ), counted as (
      select 1 as requests, ${countedColumns} from closed
    ), ${countingIn(id)}
    select count(*) as lost from closed`);
  return row?.lost ?? 0;
}

/** Of a node that is given back: all that it had under way has ended. */
export async function forgetReservations(on: Queryable, { id, epoch }: Lease): Promise<void> {
  await on.query(sql`delete from ledger_reservations where node = ${id} and epoch <= ${epoch}`);
}
