// The rules of the journal: what was acknowledged reaches the ledger once, whatever happens on the way.
import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../kernel/base/clock.ts";
import { makeIds } from "../../kernel/base/ids.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import type { Database } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import {
  failedRows,
  makeLedger,
  makeNode,
  postJournal,
  spendOfMonth,
  usedSince,
  type Settlement,
} from "../../server/usage/module.ts";
import { hopOf } from "../flat-hop.ts";
import { testDatabase } from "../postgres.ts";
import { until } from "./support.ts";

const ids = makeIds(systemClock, systemRandom);
const at = new Date("2026-03-01T12:00:00Z");

const newHop = (workspaceId = "wrkspc_1") =>
  hopOf({
    id: ids.next("hop_"),
    requestId: "req_1",
    organizationId: "org_1",
    workspaceId,
    credentialId: "key_1",
    userId: "user_1",
    model: "sim-large",
    upstream: "simulator",
    reserveNano: 1_000_000,
    at,
    kind: "message",
  });

const settlement: Settlement = {
  outcome: "served",
  counts: { input: 10, output: 20, cacheWrite5m: 1, cacheWrite1h: 2, cacheRead: 5 },
  amountNano: 700,
  listAmountNano: 900,
  estimated: false,
};

/** Nothing is posted by itself: its pause does not end. */
const patientClock = { ...systemClock, sleep: () => new Promise<boolean>(() => {}) };

const worldOn = (db: Database, clock = systemClock) => ({ clock, ids, logger: silentLogger, db });

function ledgerOn(db: Database, clock = systemClock) {
  const node = makeNode(worldOn(db));
  return { node, ledger: makeLedger(worldOn(db, clock), node) };
}

/** Without posting. */
async function books(db: Database) {
  const [row] = await db.query(sql`
    select (select count(*) from ledger) as rows,
      (select coalesce(sum(amount_nano), 0)::bigint from ledger) as nano,
      (select coalesce(sum(cache_write_1h_tokens), 0)::bigint from ledger) as written,
      (select count(*) from ledger where outcome <> 'served') as odd,
      (select coalesce(sum(requests), 0)::bigint from usage_days) as requests,
      (select coalesce(sum(amount_nano), 0)::bigint from usage_days) as days,
      (select coalesce(sum(spent_nano), 0)::bigint from spend_months) as months,
      (select coalesce(sum(spent_nano), 0)::bigint from spend_user_days) as users,
      (select count(*) from ledger_journal) as journal`);
  return row;
}

const booksOf = (rows: number) => ({
  rows,
  nano: rows * 700,
  written: rows * 2,
  odd: 0,
  requests: rows,
  days: rows * 700,
  months: rows * 700,
  users: rows * 700,
  journal: 0,
});

async function settle(
  db: Database,
  count: number,
  { ledger } = ledgerOn(db, patientClock),
): Promise<void> {
  for (let n = 0; n < count; n++) {
    const hop = newHop(`wrkspc_${n % 3}`);
    await ledger.open(hop);
    await ledger.close(hop.id, settlement);
  }
}

const moments = ["journal_post", "journal_delete", "commit"] as const;
for (const moment of moments)
  for (const when of ["before", "after"] as const)
    test(`[USE15] a process that dies ${when} ${moment} leaves each hop there once`, async () => {
      await using test = await testDatabase();
      await settle(test.db, 5);
      const died = new Error("the process died");
      const dying: Database = {
        ...test.db,
        tx: async (work) => {
          const result = await test.db.tx(async (tx) => {
            const done = await work({
              ...tx,
              query: async (statement) => {
                if (statement.name === moment && when === "before") throw died;
                const rows = await tx.query(statement);
                if (statement.name === moment) throw died;
                return rows as never;
              },
            });
            if (moment === "commit" && when === "before") throw died;
            return done;
          });
          if (moment === "commit") throw died;
          return result;
        },
      };
      await assert.rejects(postJournal(worldOn(dying)), died);
      const isPosted = moment === "commit" && when === "after";
      assert.deepEqual(await books(test.db), isPosted ? booksOf(5) : { ...booksOf(0), journal: 5 });
      await postJournal(worldOn(test.db));
      await postJournal(worldOn(test.db));
      assert.deepEqual(await books(test.db), booksOf(5));
    });

test("[USE15] a process posts what it settled by itself, and all of it before its end", async () => {
  await using test = await testDatabase();
  const { ledger } = ledgerOn(test.db);
  const [one, ...more] = Array.from({ length: 40 }, () => newHop());
  assert.ok(one);
  await ledger.open(one);
  await ledger.close(one.id, settlement);
  await until(async () => (await books(test.db))?.["rows" as never] === 1, "it is posted");
  await Promise.all(more.map((hop) => ledger.open(hop)));
  await Promise.all(more.map((hop) => ledger.close(hop.id, settlement)));
  await ledger.drain();
  assert.deepEqual(await books(test.db), booksOf(40));
});

test("[USE16] who reads sees what any process has acknowledged", async () => {
  await using test = await testDatabase();
  await settle(test.db, 3);
  const spent = await spendOfMonth(worldOn(test.db), "org_1", "2026-03");
  assert.equal(
    spent.reduce((sum, { spentNano }) => sum + Number(spentNano), 0),
    0,
    "an attempt counts for the month of the node's clock",
  );
  const month = systemClock.now().toISOString().slice(0, 7);
  await settle(test.db, 3);
  const now = await spendOfMonth(worldOn(test.db), "org_1", month);
  assert.equal(
    now.reduce((sum, { spentNano }) => sum + Number(spentNano), 0),
    6 * 700,
  );
  await settle(test.db, 1);
  const used = await usedSince(worldOn(test.db), "org_1", new Date(at.getTime() - 1));
  assert.equal(
    used.reduce((sum, { requests }) => sum + requests, 0),
    7,
  );
});

test("[USE16] what a process settled before it died is not lost", async () => {
  await using test = await testDatabase();
  await settle(test.db, 4);
  await test.db.query(
    sql`update ledger_nodes set lease_until = clock_timestamp() - interval '1 second'`,
  );
  const { node } = ledgerOn(test.db);
  const stop = node.start();
  const left = () => test.db.query(sql`select node from ledger_reservations`);
  await until(async () => (await left()).length === 0, "the dead node is recovered").finally(stop);
  assert.deepEqual(await books(test.db), booksOf(4));
});

test("[USE17] many that post at once, while more is settled, post each once", async () => {
  await using test = await testDatabase();
  const { ledger } = ledgerOn(test.db);
  const settling = Array.from({ length: 12 }, async () => {
    for (let n = 0; n < 25; n++) {
      const hop = newHop(`wrkspc_${n % 7}`);
      await ledger.open(hop);
      await ledger.close(hop.id, settlement);
    }
  });
  const over = new AbortController();
  const posting = Array.from({ length: 4 }, async () => {
    while (!over.signal.aborted) await postJournal(worldOn(test.db));
  });
  await Promise.all(settling);
  over.abort();
  await Promise.all(posting);
  await ledger.drain();
  assert.deepEqual(await books(test.db), booksOf(300));
});

test("[USE17] a row that commits after one with a larger id is posted too", async () => {
  await using test = await testDatabase();
  await settle(test.db, 2);
  const committed = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const late = test.db.tx(async (tx) => {
    await tx.query(sql`insert into ledger_journal (node, closes)
      select node, replace(closes, 'hop_', 'hop_late') from ledger_journal order by id limit 1`);
    written.resolve();
    await committed.promise;
  });
  await written.promise;
  await settle(test.db, 2);
  await postJournal(worldOn(test.db));
  assert.deepEqual(await books(test.db), booksOf(4));
  committed.resolve();
  await late;
  await postJournal(worldOn(test.db));
  assert.deepEqual(await books(test.db), booksOf(5));
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
