// Claims and schedules that really run at the same time, which the simulation's single steps cannot show.
import assert from "node:assert/strict";
import { test } from "node:test";
import { enqueueAll } from "../../kernel/jobs/jobs.ts";
import { claimJobs } from "../../kernel/jobs/queries.ts";
import { fireDue, startSchedules, type Schedule } from "../../kernel/jobs/schedules/schedules.ts";
import { openJobsHarness } from "./jobs-harness.ts";

test("[JOB16] no job is claimed twice by processes that claim at the same time", async () => {
  await using h = await openJobsHarness();
  const jobs = Array.from({ length: 800 }, (_, n) => ({ kind: "k", payload: { n } }));
  await h.db.tx((tx) => enqueueAll(tx, h.world, jobs));
  const claimed: string[] = [];
  const claimer = async (owner: string) => {
    for (let round = 0; round < 50; round++) {
      const got = await claimJobs(h.db, owner, new Map([["k", 7]]));
      claimed.push(...got.map((job) => job.id));
    }
  };
  await Promise.all(["a", "b", "c", "d", "e", "f", "g", "h"].map(claimer));
  assert.deepEqual([claimed.length, new Set(claimed).size], [800, 800]);
});

test("[JOB17] schedules that many processes start and fire at the same time fire once", async () => {
  await using h = await openJobsHarness();
  const job = (at: Date) => ({ kind: "tick", payload: { at } });
  const schedules: Schedule[] = ["a", "b", "c"].map((name) => ({
    name,
    timing: { everyMs: 1_000 },
    job,
  }));
  const all = [1, 2, 3, 4, 5, 6, 7, 8];
  await Promise.all(all.map(() => startSchedules(h, schedules)));
  assert.equal(await h.count("schedule_occurrences"), 3);
  for (let fired = 1; fired <= 5; fired++) {
    await h.timed.advance(1_000);
    await Promise.all(all.map(() => fireDue({ ...h.world, db: h.db }, schedules)));
    assert.equal(await h.count("jobs"), 3 * fired);
  }
  assert.equal(await h.count("schedule_occurrences"), 6, "the last fired and the next of each");
});

test("[JOB18] after downtime: once fires the oldest alone, skip fires none that is late, each fires all", async () => {
  await using h = await openJobsHarness();
  const schedules: Schedule[] = (["once", "skip", "each"] as const).map((missed) => ({
    name: missed,
    timing: { everyMs: 60_000 },
    missed,
    job: (at) => ({ kind: missed, payload: { at } }),
  }));
  await startSchedules(h, schedules);
  await h.timed.advance(5 * 60_000 + 30_000);
  while ((await fireDue({ ...h.world, db: h.db }, schedules)) > 0);
  const rows = await h.db.query<{ kind: string; count: number }>({
    text: "select kind, count(*) from jobs group by kind order by kind",
    values: [],
  });
  assert.deepEqual(rows, [
    { kind: "each", count: 5 },
    { kind: "once", count: 1 },
  ]);
});
