// Leases whose rows are locked while heartbeats come by, with the clocks of process and database set.
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeManualClock } from "../../kernel/base/clock.ts";
import { enqueue } from "../../kernel/jobs/jobs.ts";
import { leaseLimits } from "../../kernel/work/limits.ts";
import { claimJobs, leases, promoteJobs } from "../../kernel/jobs/queries.ts";
import type { JobRun } from "../../kernel/jobs/run.ts";
import type { Database } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { type JobsHarness, openJobsHarness, until } from "./jobs-harness.ts";

/** One job that runs in a runner whose time the test passes, heartbeat by heartbeat. */
async function scene(h: JobsHarness, work: (run: JobRun) => Promise<void>) {
  const clock = makeManualClock(await h.timed.now());
  const away = Promise.withResolvers<never>();
  away.promise.catch(() => {});
  let [isSilent, beats, runs] = [false, 0, 0];
  const db: Database = {
    ...h.db,
    query: async <Row extends object>(statement: Parameters<Database["query"]>[0]) => {
      if (isSilent) return away.promise;
      const rows = await h.db.query<Row>(statement);
      if (statement.name === "jobs_renew") beats += 1;
      return rows;
    },
  };
  const run = (_: object, given: JobRun) => {
    runs += 1;
    return work(given);
  };
  await h.db.tx((tx) => enqueue(tx, h.world, { kind: "k", payload: {} }));
  h.runner([{ kind: "k", run }], { db, clock });
  await until("it runs", () => runs > 0);
  const pass = async (ms: number) => {
    await h.timed.advance(ms);
    clock.advance(ms);
  };
  return {
    pass,
    beat: async () => {
      const before = beats;
      await pass(leaseLimits.heartbeatMs);
      await until("a heartbeat", () => beats > before);
    },
    /** The database answers nothing from now on, until it is told to fail. */
    silence: () => void (isSilent = true),
    fail: () => {
      isSilent = false;
      away.reject(new Error("the database is away"));
    },
  };
}

test("[JOB19] a job that writes while heartbeats come by does not lose its lease", async () => {
  await using h = await openJobsHarness();
  const given = Promise.withResolvers<JobRun>();
  const end = Promise.withResolvers<void>();
  const s = await scene(h, (run) => (given.resolve(run), end.promise));
  const { fence, finish, signal } = await given.promise;
  for (let write = 1; write <= 3; write++)
    await h.db.tx(async (tx) => {
      await fence(tx);
      for (let beat = 1; beat <= 3; beat++) {
        await s.beat();
        assert.equal(signal.aborted, false, `write ${write}, heartbeat ${beat}: ${signal.reason}`);
      }
    });
  await promoteJobs(h.db);
  const [row] = await h.db.query(sql`select state, lease_epoch as epoch from jobs`);
  assert.deepEqual(row, { state: "running", epoch: 1 });
  await h.db.tx(finish);
  end.resolve();
});

test("[JOB19] a write that takes longer than the lease is not told to stop", async () => {
  await using h = await openJobsHarness();
  const given = Promise.withResolvers<JobRun>();
  const end = Promise.withResolvers<void>();
  const s = await scene(h, (run) => (given.resolve(run), end.promise));
  const { fence, finish, signal } = await given.promise;
  await h.db.tx(async (tx) => {
    await fence(tx);
    for (let beat = 1; beat <= 5; beat++) await s.beat();
    await s.pass(1);
    assert.equal(signal.aborted, false, String(signal.reason));
  });
  await s.beat();
  assert.equal(signal.aborted, false, String(signal.reason));
  await h.db.tx(finish);
  end.resolve();
});

test("[JOB19] rows that a transaction has fenced are its own at its end, whatever time it is", async () => {
  await using h = await openJobsHarness();
  await h.db.tx((tx) => enqueue(tx, h.world, { kind: "k", payload: {} }));
  const [job] = await claimJobs(h.db, "me", new Map([["k", 1]]));
  assert.ok(job);
  await h.db.tx(async (tx) => {
    await leases.fenced(tx, job);
    await h.timed.advance(leaseLimits.leaseMs + 1);
    await leases.prolong(tx, [{ ...job, epoch: job.epoch + 1 }]);
  });
  assert.equal((await leases.renewAll(h.db, [job])).size, 0, "prolonged by another epoch");
  await h.timed.advance(-2);
  await h.db.tx(async (tx) => {
    await leases.fenced(tx, job);
    await h.timed.advance(leaseLimits.leaseMs + 1);
    await leases.prolong(tx, [job]);
  });
  assert.deepEqual(await leases.renewAll(h.db, [job]), new Map([[job.id, "renewed"]]));
});

test("[JOB20] what a heartbeat found locked is not counted as renewed: it ends with its lease", async () => {
  await using h = await openJobsHarness();
  const given = Promise.withResolvers<JobRun>();
  const told = Promise.withResolvers<unknown>();
  const s = await scene(h, async (run) => {
    run.signal.addEventListener("abort", () => told.resolve(run.signal.reason));
    given.resolve(run);
    await told.promise;
  });
  const { signal } = await given.promise;
  await h.timed.observer.tx(async (tx) => {
    await tx.query(sql`select from jobs for no key update`);
    for (let beat = 1; beat <= 3; beat++) await s.beat();
    assert.equal(signal.aborted, false);
    s.silence();
    await s.pass(leaseLimits.heartbeatMs);
    await until("it is told", () => signal.aborted, 2_000).finally(s.fail);
  });
  assert.match(String(await told.promise), /has lapsed/);
});
