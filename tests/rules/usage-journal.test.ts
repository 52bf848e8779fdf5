// The rules of the journal: what was acknowledged reaches the ledger once, whatever happens on the way.
import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../kernel/base/clock.ts";
import { unavailable } from "../../kernel/base/failure.ts";
import type { Database } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { postJournal, spendOfMonth, usedSince } from "../../server/usage/module.ts";
import { testDatabase } from "../postgres.ts";
import { until } from "./support.ts";
import {
  at,
  books,
  booksOf,
  ledgerOn,
  newHop,
  settle,
  settlement,
  worldOn,
} from "./usage-journal-house.ts";

const moments = ["journal_post", "journal_delete", "commit"] as const;
for (const moment of moments)
  for (const when of ["before", "after"] as const)
    test(`[USE15] a process that dies ${when} ${moment} leaves each hop there once`, async () => {
      await using test = await testDatabase();
      await settle(test.db, 5);
      const died = unavailable("the process died");
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
  const sumOf = (key: "requests" | "outputTokens") => used.reduce((sum, row) => sum + row[key], 0);
  assert.deepEqual([sumOf("requests"), sumOf("outputTokens")], [7, 7 * 20]);
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
