// The statements of the journal: settlements enter the ledger, are counted and leave the journal.
import assert from "node:assert/strict";
import { plainArray } from "../../../kernel/sql/rows/arrays.ts";
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import {
  empty,
  identifier,
  joinStatements,
  preparedAs,
  sql,
  type Statement,
} from "../../../kernel/sql/statement.ts";
import {
  amountColumns,
  countedColumns,
  countingIn,
  hopColumns,
} from "../ledger/queries-counting.ts";
import { factColumns } from "../ledger/queries-late.ts";
import { limits } from "../limits.ts";
import { namesIn, payerColumns, payerTypes } from "../ledger/queries-payers.ts";

export interface JournalRow {
  id: number;
  node: string;
  /** Of a row that another process wrote it is a guess, from its length. */
  hops: number;
}

/** The newest that may be posted: a reader wants what was there when it came. */
export async function newestRow(on: Queryable): Promise<number | undefined> {
  const [row] = await on.query<{ id: number }>(
    preparedAs(
      "journal_newest",
      sql`select id from ledger_journal where failed is null order by id desc limit 1`,
    ),
  );
  return row?.id;
}

/** Behind one, up to another. */
export const oldestRows = (
  on: Queryable,
  { after, upTo, most }: { after: number; upTo: number; most: number },
): Promise<JournalRow[]> =>
  on.query<JournalRow>(
    preparedAs(
      "journal_oldest",
      sql`select id, node, 1 + octet_length(closes) / ${hopBytes}::int as hops from ledger_journal
        where failed is null and id > ${after}::bigint and id <= ${upTo}::bigint
        order by id limit ${most}::int`,
    ),
  );

/** What one hop takes of a row, with its part of the payers. */
const hopBytes = 160;

/** One value of a JSON array after another, as a column each. */
const valuesOf = (array: Statement, columns: readonly Column[]): Statement =>
  joinStatements(
    columns.map(
      ([name, type], at) => sql`(${array} ->> ${at}::int)${type ?? empty} as ${identifier(name)}`,
    ),
    ", ",
  );

type Column = readonly [name: string, type?: Statement | undefined];

const bigint = sql`::bigint`;

const hopValues: readonly Column[] = [
  ["id"],
  ["request_id"],
  ["who", sql`::int`],
  ["reserve_nano", bigint],
  ["at_ms", bigint],
  ["outcome"],
  ["estimated", sql`::boolean`],
  ...namesIn(amountColumns).map((name): Column => [name, bigint]),
];
const payerValues = namesIn(payerColumns).map((name): Column => [name, payerTypes[name]]);

/** Rows of the journal, held until the commit. */
const taken = (ids: string): Statement => sql`taken as materialized (
    select id as row, closes::jsonb as closes from ledger_journal
    where id = any(${ids}::bigint[]) and failed is null order by id for update
  ), sent as materialized (
    select row, ${valuesOf(sql`hop`, hopValues)}
    from taken cross join jsonb_array_elements(closes -> 'hops') as hop
  )`;

/** A hop whose answer was lost may be in the journal twice, and one that was taken for dead in the ledger already. */
const posting = (node: string, ids: string): Statement => sql`
  with ${taken(ids)}, payers as materialized (
    select row, number - 1 as who, ${valuesOf(sql`payer`, payerValues)}
    from taken cross join jsonb_array_elements(closes -> 'who') with ordinality as each (payer, number)
  ), closed as (
    insert into ledger (${hopColumns}, outcome, estimated, ${amountColumns})
    select id, request_id, ${payerColumns}, reserve_nano,
      'epoch'::timestamptz + at_ms * interval '1 millisecond', outcome, estimated, ${amountColumns}
    from sent join payers using (row, who)
    on conflict (id) do nothing
    returning ${countedColumns}
  ), counted as (
    select 1 as requests, ${countedColumns} from closed
  ), ${countingIn(node)}
  select (select count(*) from sent) as sent, (select count(*) from closed) as closed,
    (select coalesce(array_agg(row), '{}')::text from taken) as rows`;

/** Hops that were taken for lost and have ended after all: what was charged is put right. */
const correcting = (node: string, ids: string): Statement => sql`
  with ${taken(ids)}, lost as materialized (
    select ledger.id, ledger.amount_nano from ledger
    where ledger.id = any(array(select id from sent)) and outcome = 'lost'
    order by ledger.id for update
  ), closed as (
    update ledger set outcome = sent.outcome, estimated = sent.estimated, ${joinStatements(
      namesIn(amountColumns).map((name) => sql`${identifier(name)} = sent.${identifier(name)}`),
      ", ",
    )}
    from sent, lost
    where ledger.id = sent.id and ledger.id = lost.id
    returning ${joinStatements(
      namesIn(countedColumns).map((name) => sql`ledger.${identifier(name)}`),
      ", ",
    )}, lost.amount_nano as lost_nano
  ), counted as (
    select -1 as requests, ${factColumns}, session_id, month, day, 0 as input_tokens,
      0 as output_tokens, 0 as cache_write_5m_tokens, 0 as cache_write_1h_tokens,
      0 as cache_read_tokens, -lost_nano as amount_nano, -lost_nano as list_amount_nano
    from closed
    union all
    select 1, ${countedColumns} from closed
  ), ${countingIn(node)}
  select 1`;

/**
 * All of one node. What another process has posted or set aside is not among what is taken, and only that is deleted:
 * it may be there again a statement later. The commit need not be durable at once, since what is lost with it is in
 * the journal again; but a process that freezes before it holds up all that add to the same counters.
 */
export async function post(tx: Tx, node: string, ids: readonly number[]): Promise<void> {
  await tx.query(sql`select set_config('synchronous_commit', 'off', true),
    set_config('idle_in_transaction_session_timeout', ${`${limits.postFrozenMs}ms`}, true)`);
  const [done] = await tx.query<{ sent: number; closed: number; rows: string }>(
    preparedAs("journal_post", posting(node, plainArray(ids))),
  );
  assert(done !== undefined, "a count always has a row");
  if (done.closed < done.sent)
    await tx.query(preparedAs("journal_correct", correcting(node, done.rows)));
  await tx.query(
    preparedAs(
      "journal_delete",
      sql`delete from ledger_journal where id = any(${done.rows}::bigint[])`,
    ),
  );
}

/** A row of many hops becomes a row for each, so that they fail alone; answers them, none where there is one hop. */
export async function splitRow(on: Queryable, id: number): Promise<JournalRow[]> {
  return on.query<JournalRow>(sql`
    with gone as (
      delete from ledger_journal
      where id = ${id} and failed is null and jsonb_array_length(closes::jsonb -> 'hops') > 1
      returning node, closes::jsonb as closes
    )
    insert into ledger_journal (node, closes)
    select node, jsonb_build_object('who', closes -> 'who', 'hops', jsonb_build_array(hop))
    from gone cross join jsonb_array_elements(closes -> 'hops') as hop
    returning id, node, 1 as hops`);
}

export async function setAside(on: Queryable, id: number, why: string): Promise<void> {
  await on.query(sql`update ledger_journal set failed = ${why} where id = ${id}`);
}

export interface FailedRows {
  count: number;
  /** Of the first. */
  why: string | null;
}

export async function failedRows(on: Queryable): Promise<FailedRows> {
  const [row] = await on.query<FailedRows>(
    sql`select count(*) as count, min(failed) as why from ledger_journal where failed is not null`,
  );
  return row ?? { count: 0, why: null };
}

/** What was set aside is tried again, some at each start: by a newer version it may be posted. */
export async function takeUpAgain(on: Queryable): Promise<void> {
  await on.query(sql`update ledger_journal set failed = null where id in (
    select id from ledger_journal where failed is not null order by id limit ${limits.retriedRowsMax})`);
}
