// Jobs: the four fates of every job, what a key means, leases, draining.
import assert from "node:assert/strict";
import { test } from "node:test";
import { invalid } from "../../kernel/base/failure.ts";
import { deadJobs, enqueue, enqueueAll, retryDead, stats } from "../../kernel/jobs/jobs.ts";
import { LeaseLost } from "../../kernel/work/lease.ts";
import { claimJobs, leases } from "../../kernel/jobs/queries.ts";
import { publicMessage, type JobRun } from "../../kernel/jobs/run.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { openJobsHarness, until } from "./jobs-harness.ts";

const note = (tx: Tx, job: string, epoch: number) =>
  tx.query(sql`insert into effects (job, epoch) values (${job}, ${epoch})`);

test("[JOB1] works: the effect and the completion commit together, and no row is left", async () => {
  await using h = await openJobsHarness();
  const seen: unknown[] = [];
  const run = async (_: object, { job, finish }: JobRun) => {
    seen.push(job.payload, job.attempt);
    await h.db.tx(async (tx) => {
      await finish(tx);
      await note(tx, job.id, job.attempt);
    });
  };
  h.runner([{ kind: "greet", run }]);
  await h.db.tx((tx) => enqueue(tx, h.world, { kind: "greet", payload: { name: "ada" } }));
  await until("the job is gone", async () => (await h.count("jobs")) === 0);
  assert.deepEqual(seen, [{ name: "ada" }, 1]);
  assert.equal(await h.count("effects"), 1);
});

test("[JOB2] fails and is tried again: not before its pause is over, then it works", async () => {
  await using h = await openJobsHarness();
  let attempts = 0;
  const run = async () => {
    attempts += 1;
    if (attempts === 1) throw invalid("the first attempt fails");
  };
  h.runner([{ kind: "flaky", run, backoffMs: 1_000 }]);
  await h.db.tx((tx) => enqueue(tx, h.world, { kind: "flaky", payload: {} }));
  await until("it waits", async () => (await stats(h.db)).waiting === 1);
  const [row] = await h.db.query<{ pause: number; error: string }>(
    sql`select extract(epoch from run_at - statement_timestamp())::double precision as pause,
      last_error as error from jobs`,
  );
  assert.ok(row !== undefined && row.pause >= 0.5 && row.pause <= 1.5, `${row?.pause}`);
  assert.equal(row.error, "the first attempt fails");
  assert.equal(attempts, 1);
  await h.timed.advance(1_500);
  await until("the job is gone", async () => (await h.count("jobs")) === 0);
  assert.equal(attempts, 2);
});

test("[JOB3] fails twice and ends dead, is seen, can be revived, and keeps no stack or secret", async () => {
  await using h = await openJobsHarness();
  let attempts = 0;
  const run = async () => {
    attempts += 1;
    if (attempts <= 2) throw new Error("refused for Bearer abcdefgh12345 at pg://u:p@host/x");
  };
  h.runner([{ kind: "hopeless", run }]);
  const job = { kind: "hopeless", payload: { n: 1 }, attemptsMax: 2 };
  const { id } = await h.db.tx((tx) => enqueue(tx, h.world, job));
  await until("it waits", async () => (await stats(h.db)).waiting === 1);
  await h.timed.advance(60_000);
  await until("it is dead", async () => (await stats(h.db)).dead === 1);
  const [dead] = await deadJobs(h.db);
  assert.equal(dead?.lastError, "refused for Bearer [secret] at pg://[secret]@host/x");
  assert.deepEqual([dead?.id, dead?.payload, dead?.attempts], [id, { n: 1 }, 2]);
  assert.deepEqual(await deadJobs(h.db, { kind: "other" }), []);
  assert.deepEqual(await h.db.tx((tx) => retryDead(tx, h.world, [id, "job_none"])), [id]);
  await until("the job is gone", async () => (await h.count("jobs")) === 0);
  assert.equal(attempts, 3);
});

test("[JOB4] runs twice with one effect: the one whose lease lapsed cannot write", async () => {
  await using h = await openJobsHarness();
  const paused = Promise.withResolvers<void>();
  const outcomes: unknown[] = [];
  const run = async (_: object, { job, finish }: JobRun) => {
    if (job.attempt === 1) await paused.promise;
    await h.db
      .tx(async (tx) => {
        await finish(tx);
        await note(tx, job.id, job.attempt);
      })
      .then(() => outcomes.push("written"))
      .catch((error: unknown) => {
        outcomes.push(error instanceof LeaseLost ? "lost" : error);
        throw error;
      });
  };
  h.runner([{ kind: "slow", run }]);
  await h.db.tx((tx) => enqueue(tx, h.world, { kind: "slow", payload: {} }));
  await until("it runs", async () => (await stats(h.db)).running === 1);
  await h.timed.advance(10_001);
  await until("another run has written", () => outcomes.length === 1);
  paused.resolve();
  await until("the late one has tried", () => outcomes.length === 2);
  assert.deepEqual(outcomes, ["written", "lost"]);
  assert.equal(await h.count("effects"), 1);
  assert.equal(await h.count("jobs"), 0);
});

test("[JOB5] a job exists only if the transaction that put it in committed", async () => {
  await using h = await openJobsHarness();
  const doomed = h.db.tx(async (tx) => {
    await enqueue(tx, h.world, { kind: "x", payload: {} });
    throw new Error("rolled back");
  });
  await assert.rejects(doomed, /rolled back/);
  assert.equal(await h.count("jobs"), 0);
});

test("[JOB6] one unstarted job per key; a started one does not count; the earliest time and highest priority win", async () => {
  await using h = await openJobsHarness();
  const put = (options: object) =>
    h.db.tx((tx) => enqueue(tx, h.world, { kind: "k", key: "a", payload: {}, ...options }));
  const first = await put({ delayMs: 60_000 });
  assert.equal((await stats(h.db)).waiting, 1);
  assert.deepEqual(await put({ priority: 5 }), first);
  assert.deepEqual(await put({ delayMs: 90_000 }), first);
  assert.equal((await stats(h.db)).ready, 1);
  const other = await h.db.tx((tx) =>
    enqueue(tx, h.world, { kind: "other", key: "a", payload: {} }),
  );
  assert.notDeepEqual(other, first);
  await claimJobs(h.db, "me", new Map([["k", 1]]));
  const second = await put({});
  assert.notDeepEqual(second, first);
  assert.equal(await h.count("jobs"), 3);
});

test("[JOB7] a job that stands for a later enqueue is not claimed before that one commits", async () => {
  await using h = await openJobsHarness();
  const job = { kind: "k", key: "a", payload: {} };
  await h.db.tx((tx) => enqueue(tx, h.world, job));
  const slots = new Map([["k", 1]]);
  await h.db.tx(async (tx) => {
    await enqueue(tx, h.world, job);
    assert.deepEqual(await claimJobs(h.db, "me", slots), []);
  });
  assert.equal((await claimJobs(h.db, "me", slots)).length, 1);
});

test("[JOB8] by priority, then by age; no more of a kind than its slots", async () => {
  await using h = await openJobsHarness();
  const jobs = [0, 0, 9, 3].map((priority, n) => ({ kind: "a", payload: { n }, priority }));
  await h.db.tx((tx) => enqueueAll(tx, h.world, [...jobs, { kind: "b", payload: { n: 4 } }]));
  const claimed = await claimJobs(
    h.db,
    "me",
    new Map([
      ["a", 3],
      ["b", 3],
      ["c", 3],
    ]),
  );
  const numbers = claimed.map((job) => (job.payload as { n: number }).n);
  assert.deepEqual(
    numbers.sort((a, b) => a - b),
    [0, 2, 3, 4],
  );
});

test("[JOB9] what a dead process held is run by another; a job that kills each process ends dead", async () => {
  await using h = await openJobsHarness();
  const job = { kind: "k", payload: {}, attemptsMax: 2 };
  await h.db.tx((tx) => enqueue(tx, h.world, job));
  await claimJobs(h.db, "dead process", new Map([["k", 1]]));
  let runs = 0;
  h.runner([{ kind: "k", run: () => new Promise(() => (runs += 1)) }]);
  await h.timed.advance(10_001);
  await until("it runs here", () => runs === 1);
  await h.timed.advance(10_001);
  await until("it is dead", async () => (await stats(h.db)).dead === 1);
  const [dead] = await deadJobs(h.db);
  assert.equal(dead?.lastError, "The process that ran it stopped before it ended.");
});

test("[JOB10] drain lets jobs end and claims nothing more; stop gives them back unharmed", async () => {
  await using h = await openJobsHarness();
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const reasons: unknown[] = [];
  const run = async (_: object, { signal }: JobRun) => {
    signal.addEventListener("abort", () => reasons.push(signal.reason.message));
    await gates[0]?.promise;
  };
  const runner = h.runner([{ kind: "k", concurrency: 1, run }]);
  const jobs = [1, 2].map((n) => ({ kind: "k", payload: { n } }));
  await h.db.tx((tx) => enqueueAll(tx, h.world, jobs));
  await until("one runs", async () => (await stats(h.db)).running === 1);
  const drained = runner.drain();
  gates[0]?.resolve();
  await drained;
  assert.deepEqual(await stats(h.db).then((s) => [s.ready, s.running]), [1, 0]);

  const stubborn = h.runner([
    { kind: "k", run: (world, given) => run(world, given).then(() => gates[1]?.promise) },
  ]);
  await until("the other runs", async () => (await stats(h.db)).running === 1);
  await stubborn.stop();
  assert.deepEqual(reasons, ["The process is stopping."]);
  const rows = await h.db.query(sql`select state, attempts, lease_owner as owner from jobs`);
  assert.deepEqual(rows, [{ state: "ready", attempts: 0, owner: null }]);
});

test("[JOB11] a job that takes too long is told so and counts as failed", async () => {
  await using h = await openJobsHarness();
  let told: unknown;
  const run = (_: object, { signal }: JobRun) =>
    new Promise<void>(() => signal.addEventListener("abort", () => (told = signal.reason)));
  h.runner([{ kind: "k", timeoutMs: 20, run }]);
  await h.db.tx((tx) => enqueue(tx, h.world, { kind: "k", payload: {}, attemptsMax: 1 }));
  await until("it is dead", async () => (await stats(h.db)).dead === 1);
  assert.match(String(told), /did not end within 0.02 seconds/);
});

test("[JOB12] a payload at the limit is taken, one byte more is refused", async () => {
  await using h = await openJobsHarness();
  const put = (bytes: number) =>
    h.db.tx((tx) =>
      enqueue(tx, h.world, { kind: "k", payload: { s: "x".repeat(bytes - '{"s":""}'.length) } }),
    );
  await put(64 * 1024);
  await assert.rejects(put(64 * 1024 + 1), /65537 bytes; the most is 65536/);
});

test("[JOB13] a renewal tells what it prolonged, what was locked just then, and what is lost", async () => {
  await using h = await openJobsHarness();
  const jobs = [1, 2, 3].map((n) => ({ kind: "k", payload: { n } }));
  await h.db.tx((tx) => enqueueAll(tx, h.world, jobs));
  const [a, b, c] = await claimJobs(h.db, "me", new Map([["k", 3]]));
  assert.ok(a && b && c);
  await leases.release(h.db, [c]);
  await h.timed.advance(5_000);
  await h.timed.observer.tx(async (tx) => {
    await tx.query(sql`select from jobs where id = ${a.id} for no key update`);
    assert.deepEqual(
      await leases.renewAll(h.db, [a, b, c]),
      new Map([
        [a.id, "locked"],
        [b.id, "renewed"],
      ]),
    );
  });
  await h.timed.advance(5_001);
  const after = await leases.renewAll(h.db, [a, b]);
  assert.deepEqual(after, new Map([[b.id, "renewed"]]), "a was locked when the renewal came by");
  for (const lost of [{ ...b, epoch: b.epoch - 1 }, { ...b, owner: "you" }, a])
    await assert.rejects(
      h.db.tx((tx) => leases.fenced(tx, lost)),
      LeaseLost,
    );
});

test("[JOB14] stored messages are cut and hold no secrets", () => {
  assert.equal(publicMessage(new Error("x".repeat(900))).length, 500);
  assert.equal(publicMessage("key sk-plinth-api-abc_DEF-123 failed"), "key [secret] failed");
});
