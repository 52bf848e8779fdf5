// The rules of usage: the ledger on a real database, through its face.
import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../kernel/base/clock.ts";
import { unavailable } from "../../kernel/base/failure.ts";
import { makeIds } from "../../kernel/base/ids.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import type { Database } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import {
  makeLedger,
  makeNode,
  type NewHop,
  priceOf,
  type Settlement,
} from "../../server/usage/module.ts";
import { testDatabase } from "../postgres.ts";

const ids = makeIds(systemClock, systemRandom);

export const newHop = (some: Partial<NewHop> = {}): NewHop => ({
  id: ids.next("hop_"),
  requestId: "req_1",
  organizationId: "org_1",
  workspaceId: "wrkspc_1",
  credentialId: "key_1",
  userId: null,
  model: "sim-large",
  upstream: "simulator",
  reserveNano: 1_000_000,
  at: new Date("2026-03-01T12:00:00Z"),
  kind: "message",
  ...some,
});

const settled = (some: Partial<Settlement> = {}): Settlement => ({
  outcome: "served",
  counts: { input: 10, output: 20, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 5 },
  amountNano: 700,
  listAmountNano: 700,
  estimated: false,
  ...some,
});

const worldOn = (db: Database) => ({ clock: systemClock, ids, logger: silentLogger, db });

function ledgerOn(db: Database) {
  const node = makeNode(worldOn(db));
  return { node, ledger: makeLedger(worldOn(db), node) };
}

/** What a group sends, seen on its way. */
function watched(db: Database, seen: (name: string) => unknown): Database {
  return {
    ...db,
    query: async (statement) => {
      await seen(statement.name ?? "");
      return db.query(statement);
    },
  };
}

async function sums(db: Database) {
  const [row] = await db.query<Record<string, number>>(sql`
    select (select count(*) from ledger) as rows, (select count(*) from ledger_opens) as opens,
      (select coalesce(sum(amount_nano), 0)::bigint from ledger) as ledger,
      (select coalesce(sum(amount_nano), 0)::bigint from usage_days) as days,
      (select coalesce(sum(requests), 0)::bigint from usage_days) as requests,
      (select coalesce(sum(spent_nano), 0)::bigint from spend_months) as months`);
  return row;
}

test("[USE1] an open is durable when it resolves, and a close takes its place and is counted", async () => {
  await using test = await testDatabase();
  const { ledger } = ledgerOn(test.db);
  const hop = newHop();
  await ledger.open(hop);
  assert.deepEqual(await sums(test.db), {
    rows: 0,
    opens: 1,
    ledger: 0,
    days: 0,
    requests: 0,
    months: 0,
  });
  await ledger.close(hop.id, settled());
  assert.deepEqual(await sums(test.db), {
    rows: 1,
    opens: 0,
    ledger: 700,
    days: 700,
    requests: 1,
    months: 700,
  });
});

test("[USE2] rows that come while a group is committed go together; a hop still queued is one row", async () => {
  await using test = await testDatabase();
  const sent: string[] = [];
  const { ledger } = ledgerOn(watched(test.db, (name) => sent.push(name)));
  const hops = Array.from({ length: 20 }, () => newHop());
  const opened = hops.map((hop) => ledger.open(hop));
  const closed = hops.slice(0, 10).map((hop) => ledger.close(hop.id, settled()));
  await Promise.all([...opened, ...closed]);
  assert.deepEqual(
    sent.filter((name) => name.startsWith("ledger_") && !/now|node/.test(name)),
    ["ledger_both"],
  );
  assert.equal((await sums(test.db))?.["opens"], 10);
  await Promise.all(hops.slice(10).map((hop) => ledger.close(hop.id, settled())));
  assert.deepEqual(await sums(test.db), {
    rows: 20,
    opens: 0,
    ledger: 14_000,
    days: 14_000,
    requests: 20,
    months: 14_000,
  });
});

test("[USE3] a group whose answer was lost is sent again and counts once", async () => {
  await using test = await testDatabase();
  let lose = 3;
  const forgetful: Database = {
    ...test.db,
    query: async (statement) => {
      const rows = await test.db.query(statement);
      if (/ledger_(open|close|both)$/.test(statement.name ?? "") && lose-- > 0)
        throw unavailable("the answer was lost");
      return rows as never;
    },
  };
  const { ledger } = ledgerOn(forgetful);
  const hops = Array.from({ length: 5 }, () => newHop());
  await Promise.all(hops.map((hop) => ledger.open(hop)));
  await Promise.all(hops.map((hop) => ledger.close(hop.id, settled())));
  assert.ok(lose <= 0);
  assert.deepEqual(await sums(test.db), {
    rows: 5,
    opens: 0,
    ledger: 3_500,
    days: 3_500,
    requests: 5,
    months: 3_500,
  });
});

test("[USE9] a price is whole, by class, and a batch pays half of it, rounded up", () => {
  const prices = {
    input: 3_000,
    output: 15_000,
    cacheWrite5m: 3_750,
    cacheWrite1h: 6_000,
    cacheRead: 301,
  };
  const counts = { input: 1, output: 2, cacheWrite5m: 3, cacheWrite1h: 4, cacheRead: 5 };
  assert.equal(priceOf(prices, counts, { batch: false }), 3_000 + 30_000 + 11_250 + 24_000 + 1_505);
  assert.equal(priceOf(prices, counts, { batch: true }), 34_878);
});
