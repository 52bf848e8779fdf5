// Jobs of a kind that is run by lanes: none has more than its share, however many of its jobs wait.
import assert from "node:assert/strict";
import { test } from "node:test";
import { enqueueAll } from "../../kernel/jobs/jobs.ts";
import { claimJobsByLane } from "../../kernel/jobs/queries.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { until } from "../rules/support.ts";
import { openJobsHarness } from "./jobs-harness.ts";

const jobOf = (lane: string, name: string) => ({ kind: "post", lane, payload: { name } });
const many = (lane: string, count: number) =>
  Array.from({ length: count }, (_, index) => jobOf(lane, `${lane}${index}`));

test("[JOB21] the first of each lane goes before the second of any, and none has more than its share", async () => {
  await using h = await openJobsHarness();
  await h.db.tx((tx) =>
    enqueueAll(tx, h.world, [...many("a", 50), ...many("b", 2), jobOf("c", "c0")]),
  );
  const claim = async (slots: number, busy: Record<string, number> = {}) => {
    const wanted = { slots, perLane: 3, busy: new Map(Object.entries(busy)) };
    const claimed = await claimJobsByLane(h.db, "me", "post", wanted);
    return claimed.map(({ lane }) => lane).toSorted();
  };
  assert.deepEqual(await claim(3), ["a", "b", "c"]);
  assert.deepEqual(await claim(30, { a: 1, b: 1, c: 1 }), ["a", "a", "b"]);
  assert.deepEqual(await claim(30, { a: 3, b: 2, c: 1 }), []);
  assert.deepEqual(await claim(30, { a: 2, b: 2, c: 1 }), ["a"]);
});

test("[JOB21] jobs that stand still hold up those of their own lane alone", async () => {
  await using h = await openJobsHarness();
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const ended: string[] = [];
  const held: string[] = [];
  h.runner([
    {
      kind: "post",
      concurrency: 16,
      perLane: 3,
      run: async (_, { job }) => {
        const { name } = job.payload as { name: string };
        if (name.startsWith("slow")) {
          held.push(name);
          await released;
        }
        ended.push(name);
      },
    },
  ]);
  await h.db.tx((tx) => enqueueAll(tx, h.world, many("slow", 40)));
  await until(() => Promise.resolve(held.length === 3), "the slow ones to hold their share");
  await h.db.tx((tx) => enqueueAll(tx, h.world, many("quick", 20)));
  await until(() => Promise.resolve(ended.length === 20), "the quick ones to end");
  assert.ok(ended.every((name) => name.startsWith("quick")));
  assert.equal(held.length, 3);
  release();
  await until(async () => (await h.db.query(sql`select id from jobs`)).length === 0, "all to end");
  assert.equal(ended.length, 60);
});

test("[JOB21] the share of a lane shrinks with the slots that are free, so that one more lane finds some", async () => {
  await using h = await openJobsHarness();
  const busy = new Map<string, number>();
  let free = 64;
  // One after the other, as when each of them falls silent while the others are already.
  const taken: number[] = [];
  for (let at = 0; at < 12; at++) {
    const lane = `lane${at}`;
    await h.db.tx((tx) => enqueueAll(tx, h.world, many(lane, 10)));
    const claimed = await claimJobsByLane(h.db, "me", "post", { slots: free, perLane: 8, busy });
    for (const each of claimed) busy.set(each.lane, (busy.get(each.lane) ?? 0) + 1);
    free -= claimed.length;
    assert.ok(claimed.every((each) => each.lane === lane));
    taken.push(claimed.length);
  }
  assert.deepEqual(taken, [8, 8, 8, 8, 7, 5, 4, 4, 3, 2, 2, 1]);
  assert.equal(free, 4);
  // All at once each has the same.
  await h.db.query(sql`delete from jobs`);
  const lanes = Array.from({ length: 8 }, (_, at) => `l${at}`);
  await h.db.tx((tx) =>
    enqueueAll(
      tx,
      h.world,
      lanes.flatMap((lane) => many(lane, 10)),
    ),
  );
  const wanted = { slots: 64, perLane: 8, busy: new Map<string, number>() };
  const all = await claimJobsByLane(h.db, "me", "post", wanted);
  const counts = lanes.map((lane) => all.filter((each) => each.lane === lane).length);
  assert.equal(all.length, 44);
  assert.ok(counts.every((count) => count === 5 || count === 6));
});
