// What the holder of leases does where several things go wrong at once; see also work.test.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeManualClock, systemClock } from "../../kernel/base/clock.ts";
import { nextLoopIteration } from "../../kernel/base/event-loop.ts";
import { Failure, unavailable } from "../../kernel/base/failure.ts";
import { makeIds } from "../../kernel/base/ids.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { enqueue } from "../../kernel/jobs/jobs.ts";
import type { JobRun } from "../../kernel/jobs/run.ts";
import type { Database } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { hold, type Held } from "../../kernel/work/hold.ts";
import { leasable, LeaseLost, type Lease } from "../../kernel/work/lease.ts";
import { leaseLimits } from "../../kernel/work/limits.ts";
import { makeNode } from "../../server/usage/module.ts";
import { testDatabase } from "../postgres.ts";
import { openJobsHarness, until, type JobsHarness } from "./jobs-harness.ts";
import { timedDatabase } from "./timed-database.ts";

const { leaseMs, heartbeatMs } = leaseLimits;
const rows = leasable("rows");

/** A holder of the one row that there is; it has it when this resolves. */
async function openHolder(times: { leaseMs: number; heartbeatMs: number } = leaseLimits) {
  await using opening = new AsyncDisposableStack();
  const timed = opening.use(await timedDatabase());
  await timed.observer.query(sql`create table rows (id text primary key,
    lease_owner text, lease_epoch bigint not null default 0, lease_until timestamptz)`);
  await timed.observer.query(sql`insert into rows values ('a')`);
  const clock = makeManualClock(await timed.now());
  const begun: Held<Lease>[] = [];
  const renewals: Promise<unknown>[] = [];
  let mayHang = false;
  const db: Database = {
    ...timed.db,
    query: <Row extends object>(statement: Parameters<Database["query"]>[0]) => {
      if (statement.name !== "rows_renew") return timed.db.query<Row>(statement);
      const answer = mayHang ? new Promise<Row[]>(() => {}) : timed.db.query<Row>(statement);
      renewals.push(mayHang ? Promise.resolve() : answer);
      mayHang = false;
      return answer;
    },
  };
  const holder = hold<Lease>(
    { db, clock, logger: silentLogger },
    {
      name: "row",
      leasable: rows,
      times: { ...times, pollMs: 1_000 },
      claim: async ({ take }) => {
        const claiming = { owner: "me", where: sql`true`, orderBy: sql`row.id`, limit: 1 };
        await take(() => rows.claim<Lease>(timed.db, { ...claiming, leaseMs: times.leaseMs }));
      },
      on: (held) => void begun.push(held),
    },
  );
  opening.defer(() => holder.stop());
  holder.start();
  const pass = async (ms: number) => {
    await timed.advance(ms);
    clock.advance(ms);
    for (let i = 0; i < 3; i++) await nextLoopIteration();
    await Promise.allSettled(renewals);
    for (let i = 0; i < 3; i++) await nextLoopIteration();
  };
  await until("the row is held", () => begun.length === 1);
  const opened = opening.move();
  return {
    timed,
    begun,
    pass,
    hangNextRenewal: () => {
      mayHang = true;
    },
    get held() {
      return begun[0] ?? assert.fail("nothing is held");
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

test("[WRK7] a node is given back when its process stops, and needs no other to find it dead", async () => {
  await using database = await testDatabase();
  const { db } = database;
  const ids = makeIds(systemClock, systemRandom);
  const node = makeNode({ clock: systemClock, ids, logger: silentLogger, db });
  const stop = node.start();
  await node.acquire();
  await stop();
  await node.release();
  const owners = await db.query(sql`select lease_owner from ledger_nodes`);
  assert.deepEqual(owners, [{ lease_owner: null }]);
});

test("[WRK2] a second write on a row whose first takes longer than the lease fails alone", async () => {
  await using scene = await openHolder();
  const { held, pass, timed } = scene;
  await timed.db.tx(async (tx) => {
    await held.fence(tx);
    for (let i = 0; i < 4; i++) await pass(heartbeatMs);
    await assert.rejects(timed.db.tx(held.fence), LeaseLost);
    assert.ok(!held.signal.aborted);
  });
  const [row] = await timed.observer.query<{ held: boolean }>(
    sql`select lease_until > timed.clock_timestamp() as held from rows`,
  );
  assert.equal(row?.held, true);
});

test("[WRK2] after a write that failed the lease is asked for at once", async () => {
  await using scene = await openHolder({ leaseMs: 6_000, heartbeatMs: 2_000 });
  const { held, pass, timed } = scene;
  const failing = timed.db.tx(async (tx) => {
    await held.fence(tx);
    for (const ms of [2_000, 2_000, 200]) await pass(ms);
    throw new Error("the disk is full");
  });
  await assert.rejects(failing, /disk is full/);
  for (let ms = 0; ms < 4_000; ms += 250) await pass(250);
  assert.ok(!held.signal.aborted);
});

test("[WRK1] a row that was over by the database's clock alone is held once", async () => {
  await using scene = await openHolder();
  const { begun, pass, timed } = scene;
  await timed.advance(leaseMs + 1);
  for (let i = 0; i < 20 && begun.length < 2; i++) {
    await pass(1_000);
    await systemClock.sleep(5);
  }
  assert.deepEqual(
    begun.map(({ signal }) => signal.aborted),
    [true, false],
  );
});

test("[WRK4] a renewal that is never answered keeps no later one from being asked", async () => {
  await using scene = await openHolder();
  scene.hangNextRenewal();
  for (let i = 0; i < 30; i++) await scene.pass(1_000);
  assert.deepEqual(
    scene.begun.map(({ signal }) => signal.aborted),
    [false],
  );
});

async function openJob(h: JobsHarness, options: Parameters<JobsHarness["runner"]>[1] = {}) {
  const given = Promise.withResolvers<JobRun>();
  const end = Promise.withResolvers<void>();
  await h.db.tx((tx) => enqueue(tx, h.world, { kind: "long", payload: {} }));
  const kind = {
    kind: "long",
    run: async (_: object, run: JobRun) => {
      given.resolve(run);
      await end.promise;
    },
  };
  const runner = h.runner([kind], options);
  return { run: await given.promise, end: end.resolve, runner };
}

test("[JOB19] a write that takes longer than the lease finishes its job", async () => {
  await using h = await openJobsHarness();
  const clock = makeManualClock(await h.timed.now());
  const { run, end } = await openJob(h, { clock });
  await h.db.tx(async (tx) => {
    await run.fence(tx);
    await h.timed.advance(leaseMs + 1);
    await run.finish(tx);
  });
  assert.equal(await h.count("jobs"), 0);
  end();
});

test("[JOB10] a runner that drains waits for a handler that goes on after it has finished", async () => {
  await using h = await openJobsHarness();
  const { run, end, runner } = await openJob(h);
  await h.db.tx(run.finish);
  let isDrained = false;
  const drained = runner.drain().then(() => (isDrained = true));
  // A whole other statement of the same database: time enough for a round.
  for (let i = 0; i < 20; i++) await h.count("jobs");
  assert.equal(isDrained, false);
  end();
  await drained;
});

test("[JOB10] a job that ends well while the runner stops is not given back undone", async () => {
  await using h = await openJobsHarness();
  const asked = Promise.withResolvers<void>();
  const mayClaim = Promise.withResolvers<void>();
  let isSlow = false;
  const db: Database = {
    ...h.db,
    query: async <Row extends object>(statement: Parameters<Database["query"]>[0]) => {
      if (isSlow && statement.name === "jobs_claim") {
        asked.resolve();
        await mayClaim.promise;
      }
      return h.db.query<Row>(statement);
    },
  };
  const { end, runner } = await openJob(h, { db });
  isSlow = true;
  // One that nobody here runs: the next look finds something to do.
  await h.db.tx((tx) => enqueue(tx, h.world, { kind: "of others", payload: {} }));
  await asked.promise;
  end();
  for (let i = 0; i < 3; i++) await nextLoopIteration();
  const stopped = runner.stop();
  mayClaim.resolve();
  await stopped;
  assert.equal(await h.count("jobs"), 1, "that of others alone");
});

test("[JOB14] an error with a character that no text of the database holds stops no other job", async () => {
  await using h = await openJobsHarness();
  const good = Promise.withResolvers<void>();
  await h.db.tx((tx) => enqueue(tx, h.world, { kind: "bad", payload: {} }));
  h.runner([
    {
      kind: "bad",
      run: () => Promise.reject(new Failure("api_error", "it said \0 and hung up")),
    },
    { kind: "good", run: async () => good.resolve() },
  ]);
  const failed = async () =>
    (await h.timed.observer.query(sql`select 1 from jobs where last_error like 'it said  and%'`))
      .length === 1;
  while (!(await failed())) await systemClock.sleep(5);
  await h.db.tx((tx) => enqueue(tx, h.world, { kind: "good", payload: {} }));
  await good.promise;
});

test("[JOB10] a runner drains though the database is away, once its leases are over", async () => {
  await using h = await openJobsHarness();
  const clock = makeManualClock(await h.timed.now());
  let isAway = false;
  let told = 0;
  const db: Database = {
    ...h.db,
    query: async <Row extends object>(statement: Parameters<Database["query"]>[0]) => {
      if (isAway) throw unavailable("The database is away.");
      return h.db.query<Row>(statement);
    },
  };
  const { end, runner } = await openJob(h, { db, clock, onRunEnded: () => void told++ });
  isAway = true;
  end();
  let isDrained = false;
  const drained = runner.drain().then(() => (isDrained = true));
  for (let i = 0; i < 30; i++) {
    clock.advance(1_000);
    for (let j = 0; j < 5; j++) await nextLoopIteration();
  }
  assert.ok(isDrained);
  await drained;
  assert.equal(told, 1);
  isAway = false;
});
