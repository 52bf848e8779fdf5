// The journal under faults: rows that cannot be posted, processes that freeze, rows that come and go meanwhile.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../../kernel/base/failure.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { failedRows, postJournal } from "../../server/usage/module.ts";
import { checkBooks } from "../books.ts";
import { testDatabase } from "../postgres.ts";
import { until } from "./support.ts";
import {
  at,
  books,
  booksOf,
  interrupted,
  ledgerOn,
  newHop,
  patientClock,
  settle,
  settlement,
  worldOn,
} from "./usage-journal-house.ts";

const lateCloses = JSON.stringify({
  who: [
    ["org_1", "wrkspc_1", "key_1", "user_1", "sim-large", "simulator", "message", null, null],
  ].map((payer) => [
    ...payer,
    "2026-03",
    null,
    null,
    "2026-03-01",
    null,
    null,
    null,
    null,
    null,
    null,
  ]),
  hops: [["hop_late", "req_1", 0, 5, at.getTime(), "served", false, 1, 1, 0, 2, 0, 700, 900]],
});

test("[USE17] a row that commits while others with larger ids are posted is posted too", async () => {
  await using test = await testDatabase();
  await settle(test.db, 2);
  await postJournal(worldOn(test.db));
  const committed = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const late = test.db.tx(async (tx) => {
    await tx.query(
      sql`insert into ledger_journal (node, closes) values ('node_late', ${lateCloses})`,
    );
    written.resolve();
    await committed.promise;
  });
  await written.promise;
  await settle(test.db, 2);
  const commitNow = async () => {
    committed.resolve();
    await late;
  };
  await postJournal(worldOn(interrupted(test.db, "journal_delete", commitNow)));
  assert.deepEqual(await books(test.db), { ...booksOf(4), journal: 1 });
  await postJournal(worldOn(test.db));
  assert.deepEqual(await books(test.db), booksOf(5));
});

test("[USE17] [USE18] a row that is set aside and taken up again while it is posted is not lost", async () => {
  await using test = await testDatabase();
  await settle(test.db, 3);
  const last = sql`select max(id) from ledger_journal`;
  const aside = interrupted(test.db, "journal_post", () =>
    test.db.query(sql`update ledger_journal set failed = 'once' where id = (${last})`),
  );
  const back = interrupted(aside, "journal_delete", () =>
    test.db.query(sql`update ledger_journal set failed = null where failed is not null`),
  );
  await postJournal(worldOn(back));
  assert.deepEqual(await books(test.db), { ...booksOf(2), journal: 1 });
  await postJournal(worldOn(test.db));
  assert.deepEqual(await books(test.db), booksOf(3));
});

test("[USE15] each settlement is counted for the node that wrote it", async () => {
  await using test = await testDatabase();
  const processes = [ledgerOn(test.db, patientClock), ledgerOn(test.db, patientClock)];
  for (const [index, process] of processes.entries()) {
    await process.node.acquire();
    await settle(test.db, index + 2, process);
  }
  await postJournal(worldOn(test.db));
  const counted = await test.db.query(
    sql`select node, sum(spent_nano)::bigint as nano from spend_months group by 1`,
  );
  const expected = processes.map(({ node }, index) => ({
    node: node.lastLease()?.id,
    nano: (index + 2) * 700,
  }));
  const inOrder = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).toSorted();
  assert.deepEqual(inOrder(counted), inOrder(expected));
});

test("[USE8] a settlement that comes after its hop was taken for lost puts all of it right, late sums too", async () => {
  await using test = await testDatabase();
  await test.db.query(sql`update usage_horizon set promised = '2100-01-01'`);
  const { ledger } = ledgerOn(test.db, patientClock);
  const hops = [newHop(), newHop()];
  for (const hop of hops) await ledger.open(hop);
  await test.db.query(
    sql`update ledger_nodes set lease_until = clock_timestamp() - interval '1 second'`,
  );
  const stop = ledgerOn(test.db).node.start();
  const lost = () => test.db.query(sql`select id from ledger where outcome = 'lost'`);
  await until(async () => (await lost()).length === 2, "they are lost").finally(stop);
  for (const hop of hops) await ledger.close(hop.id, settlement);
  await postJournal(worldOn(test.db));
  assert.deepEqual(await books(test.db), booksOf(2));
  await checkBooks(test.db);
  const sums = sql`sum(input_tokens)::int as input, sum(output_tokens)::int as output,
    sum(cache_read_tokens)::int as read, sum(amount_nano)::int as nano, sum(list_amount_nano)::int as list`;
  const expected = [{ input: 20, output: 40, read: 10, nano: 1_400, list: 1_800 }];
  assert.deepEqual(await test.db.query(sql`select ${sums} from ledger`), expected);
  assert.deepEqual(await test.db.query(sql`select ${sums} from usage_late`), expected);
});

test("[USE18] rows that cannot be posted are set aside, and tried again at the next start", async () => {
  await using test = await testDatabase();
  await settle(test.db, 5);
  await test.db.query(sql`insert into ledger_journal (node, closes)
    select node, 'no JSON' || closes from ledger_journal order by id limit 2`);
  await settle(test.db, 5);
  await postJournal(worldOn(test.db));
  assert.deepEqual(await books(test.db), { ...booksOf(10), journal: 2 });
  const { count, why } = await failedRows(test.db);
  assert.deepEqual([count, /invalid input syntax for type json/.test(why ?? "")], [2, true]);
  await test.db.query(sql`update ledger_journal
    set closes = replace(replace(closes, 'no JSON', ''), 'hop_', 'hop_' || id)`);
  const { node } = ledgerOn(test.db);
  const stop = node.start();
  await until(
    async () => (await books(test.db))?.["rows" as never] === 12,
    "they are posted",
  ).finally(stop);
  assert.deepEqual(await books(test.db), booksOf(12));
});

test("[USE18] a sum beyond what a counter holds keeps nothing else from being posted", async () => {
  await using test = await testDatabase();
  const process = ledgerOn(test.db, patientClock);
  await settle(test.db, 1, process);
  await postJournal(worldOn(test.db));
  await test.db.query(sql`update usage_days set amount_nano = 9223372036854775807`);
  await settle(test.db, 3, process);
  await postJournal(worldOn(test.db));
  const { count, why } = await failedRows(test.db);
  assert.equal(count, 1);
  assert.match(why ?? "", /bigint out of range/);
  assert.deepEqual(await test.db.query(sql`select count(*) from ledger`), [{ count: 3 }]);
});

test("[USE18] of a row with many hops those fail alone that cannot be posted", async () => {
  await using test = await testDatabase();
  const process = ledgerOn(test.db, patientClock);
  const hops = Array.from({ length: 20 }, (_, n) => newHop(`wrkspc_${n}`));
  await settle(test.db, 1, process);
  await postJournal(worldOn(test.db));
  await test.db.query(sql`update usage_days set amount_nano = 9223372036854775807`);
  await Promise.all(hops.map((hop) => process.ledger.open(hop)));
  await Promise.all(hops.map((hop) => process.ledger.close(hop.id, settlement)));
  assert.deepEqual(await test.db.query(sql`select count(*) from ledger_journal`), [{ count: 1 }]);
  await postJournal(worldOn(test.db));
  assert.deepEqual(await test.db.query(sql`select count(*) from ledger`), [{ count: 20 }]);
  assert.equal((await failedRows(test.db)).count, 1);
});

test("[USE18] where posting itself is broken nothing is set aside, and readers are told to come back", async () => {
  await using test = await testDatabase();
  await settle(test.db, 40);
  await test.db.query(sql`create function break() returns trigger language plpgsql
    as 'begin raise exception ''broken''; end'`);
  await test.db.query(sql`create trigger broken before delete on ledger_journal
    for each statement execute function break()`);
  await assert.rejects(
    postJournal(worldOn(test.db)),
    (error) => error instanceof Failure && error.status === 503,
  );
  const { node } = ledgerOn(test.db);
  await test.db.query(
    sql`update ledger_nodes set lease_until = clock_timestamp() - interval '1 second'`,
  );
  const stop = node.start();
  const left = () => test.db.query(sql`select node from ledger_reservations`);
  await until(async () => (await left()).length === 0, "dead nodes are looked after").finally(stop);
  await test.db.query(sql`drop trigger broken on ledger_journal`);
  assert.equal((await failedRows(test.db)).count, 0);
  await postJournal(worldOn(test.db));
  assert.deepEqual(await books(test.db), booksOf(40));
});

test("[USE19] a process that freezes while it posts holds up no reader for long", async () => {
  await using test = await testDatabase();
  await settle(test.db, 2);
  const frozen = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const freezing = interrupted(test.db, "journal_delete", () => {
    frozen.resolve();
    return over.promise;
  });
  const posting = postJournal(worldOn(freezing));
  await frozen.promise;
  await postJournal(worldOn(test.db));
  assert.deepEqual(await books(test.db), booksOf(2));
  over.resolve();
  await assert.rejects(posting);
  assert.deepEqual(await books(test.db), booksOf(2));
});
