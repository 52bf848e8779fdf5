// The holder of leases with the clocks of process and database set; see also tests/simulation/leases.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeManualClock } from "../../kernel/base/clock.ts";
import { nextLoopIteration } from "../../kernel/base/event-loop.ts";
import { unavailable } from "../../kernel/base/failure.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import type { Database } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { every } from "../../kernel/work/every.ts";
import { soon } from "../../kernel/work/soon.ts";
import { hold, type Held } from "../../kernel/work/hold.ts";
import { leasable, LeaseLost, type Lease } from "../../kernel/work/lease.ts";
import { leaseLimits } from "../../kernel/work/limits.ts";
import { until } from "./jobs-harness.ts";
import { timedDatabase } from "./timed-database.ts";

const { leaseMs, heartbeatMs } = leaseLimits;
const rows = leasable("rows");

/** A holder of up to two rows, which passes time only where the test does. */
async function openScene(begin: (held: Held<Lease>) => void = () => {}) {
  await using opening = new AsyncDisposableStack();
  const timed = opening.use(await timedDatabase());
  await timed.observer.query(sql`create table rows (id text primary key,
    lease_owner text, lease_epoch bigint not null default 0, lease_until timestamptz)`);
  await timed.observer.query(sql`insert into rows values ('a'), ('b')`);
  const clock = makeManualClock(await timed.now());
  const renewals: number[] = [];
  let isAway = false;
  const db: Database = {
    ...timed.db,
    query: async <Row extends object>(statement: Parameters<Database["query"]>[0]) => {
      if (statement.name === "rows_renew") renewals.push(clock.monotonicMs());
      if (isAway) throw unavailable("The database is away.");
      return timed.db.query<Row>(statement);
    },
  };
  let late: Promise<void> | undefined;
  const holder = hold<Lease>(
    { db, clock, logger: silentLogger },
    {
      name: "row",
      leasable: rows,
      times: { ...leaseLimits, pollMs: 1_000 },
      claim: async ({ take }) => {
        const limit = 2 - holder.held.size;
        const claiming = { owner: "me", where: sql`true`, orderBy: sql`row.id`, limit };
        if (limit > 0)
          await take(async () => {
            const claimed = await rows.claim<Lease>(timed.db, claiming);
            await late;
            return claimed;
          });
      },
      on: begin,
    },
  );
  const pass = async (ms: number) => {
    await timed.advance(ms);
    clock.advance(ms);
    for (let i = 0; i < 3; i++) await nextLoopIteration();
  };
  opening.defer(() => holder.stop());
  const opened = opening.move();
  return {
    timed,
    holder,
    renewals,
    pass,
    setAway: (away: boolean) => void (isAway = away),
    /** Claims are answered when it is resolved. */
    delayClaims: (go: Promise<void> | undefined) => void (late = go),
    owners: async () => {
      const found = await timed.observer.query<{ owner: string | null }>(
        sql`select lease_owner as owner from rows order by id`,
      );
      return found.map(({ owner }) => owner);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

test("[WRK3] a row that another statement has locked is waited for; the others are renewed meanwhile", async () => {
  await using s = await openScene();
  s.holder.start();
  await until("both are held", () => s.holder.held.size === 2);
  const [a, b] = [...s.holder.held];
  await s.timed.observer.tx(async (tx) => {
    await tx.query(sql`select from rows where id = 'a' for no key update`);
    await s.pass(heartbeatMs);
    await until("the other is renewed", () => b?.isSure(leaseMs - 1) === true);
    assert.equal(a?.isSure(leaseMs - 1), false);
  });
  await until("it is renewed, too", () => a?.isSure(leaseMs - 1) === true);
  assert.equal(s.renewals.length, 1);
});

test("[WRK4] [WRK5] a lease ends in time, and a renewal that failed is tried again soon", async () => {
  await using s = await openScene();
  s.holder.start();
  await until("both are held", () => s.holder.held.size === 2);
  const [a] = [...s.holder.held];
  s.setAway(true);
  await s.pass(heartbeatMs);
  for (let passed = heartbeatMs; passed < leaseMs - 500; passed += 500) await s.pass(500);
  assert.equal(a?.signal.aborted, false);
  assert.ok(s.renewals.length >= 10, `${s.renewals.length} tries`);
  await s.pass(250);
  assert.match(String(a?.signal.reason), /The lease of the row has lapsed/);
  s.setAway(false);
});

test("[WRK6] a fence fails where the lease is another's, and its holder learns it", async () => {
  await using s = await openScene();
  s.holder.start();
  await until("both are held", () => s.holder.held.size === 2);
  const [a] = [...s.holder.held];
  assert.ok(a);
  await s.timed.observer.query(sql`update rows set lease_epoch = 7 where id = 'a'`);
  await assert.rejects(
    s.timed.db.tx((tx) => a.fence(tx)),
    LeaseLost,
  );
  assert.match(String(a.signal.reason), /is lost/);
});

test("[WRK7] a holder that stops gives everything back, also what it was claiming", async () => {
  const begun: string[] = [];
  await using s = await openScene((held) => void begun.push(held.lease.id));
  const go = Promise.withResolvers<void>();
  s.delayClaims(go.promise);
  s.holder.start();
  await until("they are claimed", async () => (await s.owners()).join() === "me,me");
  const stopped = s.holder.stop();
  go.resolve();
  await stopped;
  assert.deepEqual(begun, []);
  assert.deepEqual(await s.owners(), [null, null]);
});

test("[WRK7] a holder that drains claims nothing more, and waits for what it holds", async () => {
  await using s = await openScene();
  s.holder.start();
  await until("both are held", () => s.holder.held.size === 2);
  const [a, b] = [...s.holder.held];
  let isDrained = false;
  const drained = s.holder.drain().then(() => (isDrained = true));
  a?.end();
  await s.pass(1_000);
  assert.deepEqual([s.holder.held.size, isDrained], [1, false]);
  b?.end();
  s.holder.wake();
  await drained;
});

test("[WRK8] rows whose work could not begin lapse, and are claimed anew", async () => {
  let fails = true;
  const begun: string[] = [];
  await using s = await openScene((held) => {
    if (fails) throw new Error("no room");
    begun.push(`${held.lease.id} ${held.lease.epoch}`);
  });
  s.holder.start();
  await until("they are claimed", async () => (await s.owners()).join() === "me,me");
  await until("nothing is held", () => s.holder.held.size === 0);
  fails = false;
  await s.pass(leaseMs + 1);
  await until("they are claimed anew", async () => {
    await s.pass(100);
    return begun.length === 2;
  });
  assert.deepEqual(begun, ["a 2", "b 2"]);
});

test("[WRK13] rows that are claimed together are answered in the order of their ids, whatever chose them", async () => {
  await using s = await openScene();
  for (const orderBy of [sql`row.id`, sql`row.id desc`]) {
    const claiming = { owner: "me", where: sql`true`, orderBy, limit: 2 };
    const claimed = await rows.claim<Lease>(s.timed.db, claiming);
    assert.deepEqual(
      claimed.map(({ id }) => id),
      ["a", "b"],
    );
    await rows.release(s.timed.db, claimed);
  }
});

test("[WRK9] what is done every so often goes on when a try has failed, until it is stopped", async () => {
  const clock = makeManualClock(new Date(0));
  let tries = 0;
  const stop = every({ clock, logger: silentLogger }, 1_000, {
    name: "trying",
    act: async () => {
      tries += 1;
      if (tries === 1) throw new Error("not yet");
    },
  });
  for (const expected of [1, 2, 3]) {
    await nextLoopIteration();
    assert.equal(tries, expected);
    clock.advance(1_000);
  }
  await stop();
  const before = tries;
  clock.advance(10_000);
  await nextLoopIteration();
  assert.equal(tries, before);
});

test("[WRK14] what came is done together, a moment later, again where something is left, and never unasked", async () => {
  const clock = makeManualClock(new Date(0));
  const sleeps: number[] = [];
  const sleep = (ms: number, signal?: AbortSignal) => {
    sleeps.push(ms);
    return clock.sleep(ms, signal);
  };
  let waiting = 0;
  const done: number[] = [];
  const writing = soon({ clock: { ...clock, sleep }, logger: silentLogger }, 250, {
    name: "writing",
    act: async () => {
      done.push(waiting);
      if (done.length === 1) throw new Error("not yet");
      waiting = 0;
    },
    isLeft: () => waiting > 0,
  });
  const come = () => {
    waiting += 1;
    writing.ask();
  };
  const pass = async () => {
    clock.advance(250);
    await nextLoopIteration();
  };
  come();
  await pass();
  assert.deepEqual([sleeps, done], [[], []], "nothing before it is started");
  waiting = 0;
  writing.start();
  await pass();
  assert.deepEqual([sleeps, done], [[], []]);
  for (let one = 0; one < 3; one++) come();
  await pass();
  assert.deepEqual(done, [3], "the try that fails");
  await pass();
  assert.deepEqual(done, [3, 3]);
  await pass();
  assert.deepEqual(sleeps, [250, 250], "nothing waits any more, and nothing wakes");
  come();
  await writing.stop();
  come();
  await pass();
  assert.deepEqual(done, [3, 3], "what stopped does nothing by itself");
});
