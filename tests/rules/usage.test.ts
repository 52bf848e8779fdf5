// The rules of usage: the ledger on a real database, through its face.
import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../kernel/base/clock.ts";
import { Failure, unavailable } from "../../kernel/base/failure.ts";
import { makeIds } from "../../kernel/base/ids.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import type { Database } from "../../kernel/sql/database.ts";
import { nextLoopIteration } from "../../kernel/base/event-loop.ts";
import { sql, type Statement } from "../../kernel/sql/statement.ts";
import { makeLedger, makeNode, postJournal, type Settlement } from "../../server/usage/module.ts";
import { hopOf, type FlatHop } from "../flat-hop.ts";
import { testDatabase } from "../postgres.ts";
import { until } from "./support.ts";
import { queryPosted } from "../posted.ts";

const ids = makeIds(systemClock, systemRandom);

const flatHop = (some: Partial<FlatHop> = {}): FlatHop => ({
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
const newHop = (some: Partial<FlatHop> = {}) => hopOf(flatHop(some));

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
  await postJournal({ db, logger: silentLogger });
  const [row] = await queryPosted<Record<string, number>>(
    db,
    sql`
    select (select count(*) from ledger) as rows, (select count(*) from ledger_opens) as opens,
      (select coalesce(sum(amount_nano), 0)::bigint from ledger) as ledger,
      (select coalesce(sum(amount_nano), 0)::bigint from usage_days) as days,
      (select coalesce(sum(requests), 0)::bigint from usage_days) as requests,
      (select coalesce(sum(spent_nano), 0)::bigint from spend_months) as months`,
  );
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

test("[USE2] a settlement does not wait for the reservations that are being committed", async () => {
  await using test = await testDatabase();
  const gate = Promise.withResolvers<void>();
  const { ledger } = ledgerOn(
    watched(test.db, (name) => (name === "ledger_open" ? gate.promise : undefined)),
  );
  const [hop, other] = [newHop(), newHop()];
  const opened = Promise.all([ledger.open(hop), ledger.open(other)]);
  await nextLoopIteration();
  await ledger.close(hop.id, settled());
  assert.equal((await sums(test.db))?.["rows"], 1);
  gate.resolve();
  await opened;
  assert.deepEqual([(await sums(test.db))?.["rows"], (await sums(test.db))?.["opens"]], [1, 1]);
  await ledger.close(other.id, settled());
  assert.deepEqual([ledger.underWay(), (await sums(test.db))?.["opens"]], [0, 0]);
});

test("[USE12] rows of reservations are written over once everything in them has ended", async () => {
  await using test = await testDatabase();
  const { ledger, node } = ledgerOn(test.db);
  const rows = () =>
    test.db.query<{ slot: number }>(sql`select slot from ledger_reservations order by slot`);
  const long = newHop();
  await ledger.open(long);
  for (let round = 0; round < 12; round++) {
    const hops = Array.from({ length: 5 }, () => newHop());
    await Promise.all(hops.map((hop) => ledger.open(hop)));
    await Promise.all(hops.map((hop) => ledger.close(hop.id, settled())));
  }
  assert.deepEqual(await rows(), [{ slot: 0 }, { slot: 1 }]);
  assert.deepEqual(await queryPosted(test.db, sql`select id from ledger_opens`), [{ id: long.id }]);
  await ledger.close(long.id, settled());
  await node.release();
  assert.deepEqual(await rows(), []);
});

test("[USE12] a late write of a row never takes the place of a later one", async () => {
  await using test = await testDatabase();
  const late: Statement[] = [];
  const { ledger } = ledgerOn({
    ...test.db,
    query: async (statement) => {
      if (statement.name !== "ledger_open" || late.length > 0) return test.db.query(statement);
      late.push(statement);
      throw unavailable("nobody knows whether it was written");
    },
  });
  const [first, second] = [newHop(), newHop()];
  await ledger.open(first);
  await ledger.close(first.id, settled());
  await ledger.open(second);
  for (const statement of late) await test.db.query(statement);
  const open = await queryPosted(
    test.db,
    sql`select id, slot from ledger_opens, ledger_reservations`,
  );
  assert.deepEqual(open, [{ id: second.id, slot: 0 }]);
});

test("[USE13] each attempt is written with its own payer, however many there are in a group", async () => {
  await using test = await testDatabase();
  const { ledger } = ledgerOn(test.db);
  const hops = Array.from({ length: 60 }, (_, n) =>
    flatHop({
      workspaceId: `wrkspc_${(n * 7) % 20}`,
      credentialId: `key "${n % 3}" \\ {,}`,
      userId: n % 2 === 0 ? null : `user_${n}`,
      speed: n % 5 === 0 ? "fast" : undefined,
    } as Partial<FlatHop>),
  );
  const rowOf = ({ id, workspaceId, credentialId, userId, speed = null }: FlatHop) => [
    id,
    { id, workspaceId, credentialId, userId, speed },
  ];
  const read = async (table: Statement) => {
    const rows = await queryPosted<{ id: string }>(
      test.db,
      sql`select id, workspace_id as "workspaceId",
      credential_id as "credentialId", user_id as "userId", speed from ${table}`,
    );
    return new Map(rows.map((row) => [row.id, row]));
  };
  await Promise.all(hops.map((hop) => ledger.open(hopOf(hop))));
  assert.deepEqual(
    Object.fromEntries(await read(sql`ledger_opens`)),
    Object.fromEntries(hops.map(rowOf)),
  );
  await Promise.all(hops.map((hop) => ledger.close(hop.id, settled())));
  assert.deepEqual(
    Object.fromEntries(await read(sql`ledger`)),
    Object.fromEntries(hops.map(rowOf)),
  );
});

test("[USE3] a group whose answer was lost is sent again and counts once", async () => {
  await using test = await testDatabase();
  const lost: Record<string, number> = { ledger_open: 0, ledger_close: 0 };
  const forgetful: Database = {
    ...test.db,
    query: async (statement) => {
      const rows = await test.db.query(statement);
      const { name = "" } = statement;
      const times = lost[name];
      if (times === undefined || times === 2) return rows as never;
      lost[name] = times + 1;
      throw unavailable("the answer was lost");
    },
  };
  const { ledger } = ledgerOn(forgetful);
  const hops = Array.from({ length: 5 }, () => newHop());
  await Promise.all(hops.map((hop) => ledger.open(hop)));
  await Promise.all(hops.map((hop) => ledger.close(hop.id, settled())));
  assert.deepEqual(lost, { ledger_open: 2, ledger_close: 2 });
  assert.deepEqual(await sums(test.db), {
    rows: 5,
    opens: 0,
    ledger: 3_500,
    days: 3_500,
    requests: 5,
    months: 3_500,
  });
});

test("[USE4] a row that cannot be written fails alone, and rows beside a close never hold it up", async () => {
  await using test = await testDatabase();
  const { ledger } = ledgerOn(test.db);
  const bad = newHop({ model: "nul \0 is no text" });
  const hops = [newHop(), bad, newHop()];
  const opened = await Promise.allSettled(hops.map((hop) => ledger.open(hop)));
  assert.deepEqual(
    opened.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  const good = sql`insert into setup_links (token_sha256, organization_id, created_at, expires_at)
    select ''::bytea, 'nobody', now(), now() where false`;
  await ledger.close(hops[0]?.id ?? "", settled({ with: [sql`select 1 / 0`] }));
  await ledger.close(hops[2]?.id ?? "", settled({ with: [good] }));
  assert.deepEqual(await queryPosted(test.db, sql`select count(*) from ledger`), [{ count: 2 }]);
});

test("[USE4] rows beside a close commit with it", async () => {
  await using test = await testDatabase();
  const { ledger } = ledgerOn(test.db);
  await test.db.query(sql`create table beside (hop text)`);
  const hop = newHop();
  await ledger.open(hop);
  await ledger.close(hop.id, settled({ with: [sql`insert into beside values (${hop.id})`] }));
  assert.deepEqual(await test.db.query(sql`select hop from beside`), [{ hop: hop.id }]);
});

/** A database that can be taken away, before or after what it is asked. */
function shaky(db: Database) {
  const state = { away: "no" as "no" | "before" | "after" };
  const during = async <T>(run: () => Promise<T>): Promise<T> => {
    if (state.away === "before") throw unavailable("away");
    const result = await run();
    if (state.away === "after") throw unavailable("the answer was lost");
    return result;
  };
  const shaken: Database = {
    ...db,
    query: (statement) => during(() => db.query(statement)),
    tx: (work) => during(() => db.tx(work)),
  };
  return { state, db: shaken };
}

for (const away of ["before", "after"] as const)
  test(`[USE5] database lost ${away} the write: the open is 503 and not charged, the close goes on`, async () => {
    await using test = await testDatabase();
    const { state, db } = shaky(test.db);
    const { ledger } = ledgerOn(db);
    const [early, late] = [newHop(), newHop()];
    await ledger.open(early);
    state.away = away;
    let isClosed = false;
    const closing = ledger.close(early.id, settled()).then(() => (isClosed = true));
    const failure = await ledger.open(late).catch((error: unknown) => error);
    assert.ok(failure instanceof Failure && failure.status === 503);
    assert.equal(isClosed, false);
    state.away = "no";
    await closing;
    await ledger.whenWritten(late.id);
    assert.equal((await sums(test.db))?.["opens"], 0);
    assert.equal((await sums(test.db))?.["ledger"], 700);
  });

test("[USE6] drain resolves when everything is written", async () => {
  await using test = await testDatabase();
  const { ledger } = ledgerOn(test.db);
  const hops = Array.from({ length: 1_500 }, () => newHop());
  for (const hop of hops) void ledger.open(hop);
  for (const hop of hops) void ledger.close(hop.id, settled());
  await ledger.drain();
  assert.deepEqual([(await sums(test.db))?.["rows"], ledger.underWay()], [1_500, 0]);
});

const lapse = (db: Database) =>
  db.query(sql`update ledger_nodes set lease_until = clock_timestamp() - interval '1 second'`);

/** Another process looks for the dead until there is nothing left of them. */
async function recover(db: Database): Promise<void> {
  const { node } = ledgerOn(db);
  const stop = node.start();
  await until(async () => (await sums(db))?.["opens"] === 0, "the recovery");
  await stop();
  await node.release();
}

test("[USE7] [USE8] a dead node's hops are lost at their reserve; a close that comes all the same is right", async () => {
  await using test = await testDatabase();
  const { ledger } = ledgerOn(test.db);
  const [hop, other, after] = [newHop(), newHop({ workspaceId: "wrkspc_2" }), newHop()];
  await Promise.all([ledger.open(hop), ledger.open(other)]);
  await lapse(test.db);
  await recover(test.db);
  assert.deepEqual(await sums(test.db), {
    rows: 2,
    opens: 0,
    ledger: 2_000_000,
    days: 2_000_000,
    requests: 2,
    months: 2_000_000,
  });
  await recover(test.db);
  await ledger.close(hop.id, settled());
  await ledger.open(after);
  assert.deepEqual(await sums(test.db), {
    rows: 2,
    opens: 1,
    ledger: 1_000_700,
    days: 1_000_700,
    requests: 2,
    months: 1_000_700,
  });
  const nodes = await queryPosted(
    test.db,
    sql`select lease_owner from ledger_nodes
    where id = (select node from ledger_opens) and lease_until > clock_timestamp()`,
  );
  assert.equal(nodes.length, 1, "it opens under a lease that is held");
});

test("[USE8] what is opened under a lease that somebody else took is not written", async () => {
  await using test = await testDatabase();
  const { ledger, node } = ledgerOn(test.db);
  await node.acquire();
  const before = node.heldLease();
  await lapse(test.db);
  await ledger.open(newHop());
  assert.notDeepEqual(node.heldLease(), before);
  assert.equal((await sums(test.db))?.["opens"], 1);
});

test("[USE10] an amount that is not whole, or negative, is refused before it is queued", async () => {
  await using test = await testDatabase();
  const { ledger } = ledgerOn(test.db);
  for (const reserveNano of [-1, 0.5, Number.NaN, 2 ** 53])
    await assert.rejects(ledger.open(newHop({ reserveNano })), RangeError);
  const hop = newHop();
  await ledger.open(hop);
  await assert.rejects(ledger.close(hop.id, settled({ amountNano: -5 })), RangeError);
  await ledger.close(hop.id, settled());
  await assert.rejects(ledger.close(hop.id, settled()), /There is no open hop/);
});
