// The statements of the journal: settlements enter the ledger, are counted and leave the journal.
import { plainArray } from "../../../kernel/sql/arrays.ts";
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
import { payerColumns, payerTypes } from "../ledger/queries-payers.ts";

export interface JournalRow {
  id: number;
  node: string;
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

export const oldestRows = (on: Queryable, upTo: number, rows: number): Promise<JournalRow[]> =>
  on.query<JournalRow>(
    preparedAs(
      "journal_oldest",
      sql`select id, node from ledger_journal
        where failed is null and id <= ${upTo}::bigint order by id limit ${rows}::int`,
    ),
  );

/** One value of a JSON array after another, as a column each. */
const valuesOf = (array: Statement, columns: readonly Column[]): Statement =>
  joinStatements(
    columns.map(
      ([name, type], at) => sql`(${array} ->> ${at}::int)${type ?? empty} as ${identifier(name)}`,
    ),
    ", ",
  );

type Column = readonly [name: string, type?: Statement | undefined];

const namesOf = (columns: Statement): string[] => columns.text.split(/,\s*/);
const bigint = sql`::bigint`;

const hopValues: readonly Column[] = [
  ["id"],
  ["request_id"],
  ["who", sql`::int`],
  ["reserve_nano", bigint],
  ["at_ms", bigint],
  ["outcome"],
  ["estimated", sql`::boolean`],
  ...namesOf(amountColumns).map((name): Column => [name, bigint]),
];
const payerValues = namesOf(payerColumns).map((name): Column => [name, payerTypes[name]]);

/** Rows of the journal, held until the commit: what another process has posted meanwhile is not among them. */
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
  select (select count(*) from sent) as sent, (select count(*) from closed) as closed`;

/** Hops that were taken for lost and have ended after all: what was charged is put right. */
const correcting = (node: string, ids: string): Statement => sql`
  with ${taken(ids)}, lost as materialized (
    select ledger.id, ledger.amount_nano from ledger
    where ledger.id = any(array(select id from sent)) and outcome = 'lost'
    order by ledger.id for update
  ), closed as (
    update ledger set outcome = sent.outcome, estimated = sent.estimated, ${joinStatements(
      namesOf(amountColumns).map((name) => sql`${identifier(name)} = sent.${identifier(name)}`),
      ", ",
    )}
    from sent, lost
    where ledger.id = sent.id and ledger.id = lost.id
    returning ${joinStatements(
      namesOf(countedColumns).map((name) => sql`ledger.${identifier(name)}`),
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

/** All of one node. Their commit need not be durable at once: what is lost with it is in the journal again. */
export async function post(tx: Tx, node: string, rows: readonly number[]): Promise<void> {
  const ids = plainArray(rows);
  await tx.query(sql`set local synchronous_commit = off`);
  const [done] = await tx.query<{ sent: number; closed: number }>(
    preparedAs("journal_post", posting(node, ids)),
  );
  if (done !== undefined && done.closed < done.sent)
    await tx.query(preparedAs("journal_correct", correcting(node, ids)));
  await tx.query(
    preparedAs(
      "journal_delete",
      sql`delete from ledger_journal where id = any(${ids}::bigint[]) and failed is null`,
    ),
  );
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

/** What was set aside is tried again: by a newer version it may be posted. */
export async function takeUpAgain(on: Queryable): Promise<void> {
  await on.query(sql`update ledger_journal set failed = null where failed is not null`);
}
