// Several subscribers of one stream in a process: what they read together, and what one that is slow costs the others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nextEvents, openFeed, type KeptEvents } from "../../kernel/log/feed.ts";
import { logLimits } from "../../kernel/log/limits.ts";
import { append, type StoredEvent } from "../../kernel/log/log.ts";
import { subscribe } from "../../kernel/log/subscribe.ts";
import type { Database } from "../../kernel/sql/database.ts";
import { openJobsHarness, until, type JobsHarness } from "./jobs-harness.ts";

const put = (h: JobsHarness, count: number) =>
  h.db.tx((tx) =>
    append(
      tx,
      h.world,
      "s",
      Array.from({ length: count }, () => ({ type: "counted", data: {} })),
    ),
  );

function counting(h: JobsHarness): { db: Database; reads: number } {
  const counted = {
    reads: 0,
    db: {
      ...h.db,
      query: (statement) => {
        if (statement.name === "log_select_oldest_first") counted.reads += 1;
        return h.db.query(statement);
      },
    } satisfies Database,
  };
  return counted;
}

function collect(h: JobsHarness, db: Database) {
  const stop = new AbortController();
  const events: StoredEvent[] = [];
  const ended = (async () => {
    const world = { ...h.world, db, signal: stop.signal };
    for await (const event of subscribe(world, "s", 0)) events.push(event);
  })();
  return { events, ended, stop };
}

test("[LOG14] fifty subscribers at one position cost one read", async () => {
  await using h = await openJobsHarness();
  const counted = counting(h);
  await put(h, 3);
  const all = Array.from({ length: 50 }, () => collect(h, counted.db));
  const haveAll = (count: number) => () => all.every(({ events }) => events.length === count);
  await until("all have the first", haveAll(3));
  assert.equal(counted.reads, 1);
  for (let round = 1; round <= 20; round++) {
    await put(h, 2);
    await until("all have what came", haveAll(3 + 2 * round));
  }
  // One that comes at another moment than the others finds what they have read.
  assert.ok(counted.reads <= 21, `${counted.reads} reads`);
  for (const { events } of all)
    assert.ok(events.every(({ position }, index) => position === index + 1));
  for (const { stop } of all) stop.abort();
  await Promise.all(all.map(({ ended }) => ended));
});

test("[LOG14] a read that began before a hint is not shared with those who come after it", async () => {
  await using h = await openJobsHarness();
  const held = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  let reads = 0;
  // The first read has looked and found nothing, and its answer is late.
  const db: Database = {
    ...h.db,
    query: async (statement) => {
      const rows = await h.db.query(statement);
      if (statement.name === "log_select_oldest_first" && ++reads === 1) {
        answered.resolve();
        await held.promise;
      }
      return rows as never;
    },
  };
  const first = collect(h, db);
  await answered.promise;
  await put(h, 1);
  const second = collect(h, db);
  await until("the later one has it", () => second.events.length === 1);
  held.resolve();
  await until("so has the first", () => first.events.length === 1);
  for (const { stop, ended } of [first, second]) {
    stop.abort();
    await ended;
  }
});

test("[LOG15] a slow subscriber reads for itself, and holds up no other", async () => {
  await using h = await openJobsHarness();
  const counted = counting(h);
  const stop = new AbortController();
  const slow = subscribe({ ...h.world, db: counted.db, signal: stop.signal }, "s", 0);
  await put(h, 1);
  assert.equal((await slow.next()).value?.position, 1);
  const quick = collect(h, counted.db);
  const late = 3 * logLimits.keptEventsMax;
  for (let n = 0; n < late; n += 50) await put(h, 50);
  await until("the quick one has all", () => quick.events.length === late + 1);
  const before = counted.reads;
  for (let position = 2; position <= late + 1; position++)
    assert.equal((await slow.next()).value?.position, position);
  const own = counted.reads - before;
  // Three pages, of which the last is among the events that are kept.
  assert.ok(own >= 1 && own <= 3, `${own} reads of its own`);
  stop.abort();
  quick.stop.abort();
  assert.equal((await slow.next()).done, true);
  await quick.ended;
});

test("[LOG15] what is kept for late subscribers is bounded by number and by bytes, per stream and of all", async () => {
  const kept: KeptEvents = { bytes: new Map(), total: 0 };
  const event = (position: number, bytes: number): StoredEvent => ({
    id: null,
    position,
    type: "t",
    data: {},
    bytes,
    at: new Date(0),
    processedAt: null,
  });
  const openWith = (watches: number) => {
    const feed = openFeed("s");
    for (let n = 0; n < watches; n++)
      feed.watches.add({ isBegun: true, position: 0, gone: false, wake: () => {} });
    return feed;
  };
  const fill = async (feed: ReturnType<typeof openFeed>, count: number, bytes: number) => {
    for (let at = 0; at < count; at++)
      await nextEvents(feed, kept, at, (after) => Promise.resolve([event(after + 1, bytes)]));
  };
  const many = openWith(2);
  await fill(many, 500, 10);
  assert.equal(many.kept.length, logLimits.keptEventsMax);
  assert.deepEqual([many.kept[0]?.position, many.kept.at(-1)?.position], [301, 500]);
  const unasked = () => assert.fail("it is kept, and read all the same");
  const late = await nextEvents(many, kept, 350, unasked);
  assert.deepEqual([late.length, late[0]?.position], [150, 351]);
  const large = openWith(2);
  await fill(large, 9, logLimits.keptBytesMax / 4);
  assert.equal(large.kept.length, 4);
  const alone = openWith(1);
  await fill(alone, 9, 10);
  assert.equal(alone.kept.length, 0);
  const others = Array.from({ length: 40 }, () => openWith(2));
  for (const other of others) await fill(other, 4, logLimits.keptBytesMax / 4);
  assert.ok(kept.total <= logLimits.keptBytesOfAllMax);
  assert.deepEqual([many.kept.length, large.kept.length, others[0]?.kept.length], [0, 0, 0]);
  assert.equal(others.at(-1)?.kept.length, 4);
});
