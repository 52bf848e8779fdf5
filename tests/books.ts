// Whether the books agree: every counter is the sum of the ledger's rows, and nothing waits in the journal.
import assert from "node:assert/strict";
import type { Queryable } from "../kernel/sql/database.ts";
import { identifier, joinStatements, sql, type Statement } from "../kernel/sql/statement.ts";

const amounts = [
  "input_tokens",
  "output_tokens",
  "cache_write_5m_tokens",
  "cache_write_1h_tokens",
  "cache_read_tokens",
  "amount_nano",
  "list_amount_nano",
];

interface Book {
  table: string;
  keys: readonly (readonly [name: string, ofLedger: Statement])[];
  sums: readonly (readonly [name: string, ofLedger: Statement])[];
  where?: Statement;
}

const plain = (name: string) => [name, identifier(name)] as const;
const utcDay = sql`(at at time zone 'UTC')::date`;

const books: readonly Book[] = [
  {
    table: "usage_days",
    keys: [
      ...["organization_id", "workspace_id", "model", "kind"].map(plain),
      ["day", utcDay] as const,
    ],
    sums: [["requests", sql`1`] as const, ...amounts.map(plain)],
  },
  {
    table: "spend_months",
    keys: ["organization_id", "workspace_id", "month"].map(plain),
    sums: [["spent_nano", sql`amount_nano`]],
  },
  {
    table: "spend_user_days",
    keys: ["organization_id", "user_id", "day"].map(plain),
    sums: [["spent_nano", sql`amount_nano`]],
    where: sql`where user_id is not null and day is not null`,
  },
];

/** Of each book, where its sums are not those of the ledger. */
function differing({ table, keys, sums, where = sql`` }: Book): Statement {
  const list = (of: readonly Statement[]) => joinStatements(of, ", ");
  const keyNames = keys.map(([name]) => identifier(name));
  const summed = (of: (one: readonly [string, Statement]) => Statement) =>
    list(sums.map((one) => sql`sum(${of(one)}) as ${identifier(one[0])}`));
  const sumsOf = (side: Statement) =>
    list(sums.map(([name]) => sql`coalesce(${side}.${identifier(name)}, 0)`));
  return sql`select to_jsonb(of_ledger) as ledger, to_jsonb(counted) as counted
    from (select ${list(keys.map(([name, value]) => sql`${value} as ${identifier(name)}`))},
        ${summed(([, value]) => value)}
      from ledger ${where} group by ${list(keys.map(([, value]) => value))}) as of_ledger
    full join (select ${list(keyNames)}, ${summed(([name]) => identifier(name))}
      from ${identifier(table)} group by ${list(keyNames)}) as counted
      using (${list(keyNames)})
    where (${sumsOf(sql`of_ledger`)}) is distinct from (${sumsOf(sql`counted`)})
    order by 1 limit 3`;
}

/** Where everything is posted: see posted.ts. */
export async function checkBooks(db: Queryable): Promise<void> {
  for (const book of books)
    assert.deepEqual(await db.query(differing(book)), [], `${book.table} and the ledger differ`);
  assert.deepEqual(
    await db.query(sql`select id, node, failed from ledger_journal order by id limit 3`),
    [],
    "settlements are not posted",
  );
}
