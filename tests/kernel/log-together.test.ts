// Appends to several streams, what a process reads of its own, and streams without events.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Failure } from "../../kernel/base/failure.ts";
import { isBehind, openFeed, takeAppended, type KeptEvents } from "../../kernel/log/feed.ts";
import {
  append,
  appendAll,
  countWaiting,
  deleteStream,
  head,
  openStream,
  read,
  type StoredEvent,
} from "../../kernel/log/log.ts";
import { subscribe } from "../../kernel/log/subscribe.ts";
import type { Database } from "../../kernel/sql/database.ts";
import { openJobsHarness, until, type JobsHarness } from "./jobs-harness.ts";

const events = (...numbers: number[]) => numbers.map((n) => ({ type: "counted", data: { n } }));
const numbersOf = async (h: JobsHarness, stream: string) =>
  (await read(h.db, stream, { limit: 99 })).map(({ data }) => (data as { n: number }).n);

test("[LOG18] an append to several streams goes to all of them or to none", async () => {
  await using h = await openJobsHarness();
  const put = (...all: Parameters<typeof appendAll>[2]) =>
    h.db.tx((tx) => appendAll(tx, h.world, all));
  const made = await put(
    { stream: "b", events: events(1, 2) },
    { stream: "a", events: events(3), expectedPosition: 0 },
  );
  assert.deepEqual(made, [2, 1]);
  const more = await put(
    { stream: "a", events: events(4, 5), expectedPosition: 1 },
    { stream: "b", events: [], expectedPosition: 2 },
    { stream: "c", events: [], expectedPosition: 0 },
  );
  assert.deepEqual(more, [3, 2, 0]);
  const wrong = [
    { stream: "a", events: events(9), expectedPosition: 2 },
    { stream: "a", events: [], expectedPosition: 2 },
    { stream: "new", events: events(9), expectedPosition: 1 },
    { stream: "b", events: events(9), expectedPosition: 0 },
  ];
  for (const each of wrong)
    await assert.rejects(put({ stream: "d", events: events(9) }, each), (error: Failure) => {
      assert.equal(error.options.code, "position_conflict");
      assert.match(error.message, new RegExp(`^${each.stream} is at position`));
      return true;
    });
  await assert.rejects(put({ stream: "d", events: [] }), /takes 1 to/);
  assert.deepEqual(await numbersOf(h, "a"), [3, 4, 5]);
  assert.deepEqual(await numbersOf(h, "b"), [1, 2]);
  assert.deepEqual([await head(h.db, "c"), await head(h.db, "d")], [0, 0]);
});

test("[LOG19] a process does not read what it has appended itself", async () => {
  await using h = await openJobsHarness();
  let reads = 0;
  const db: Database = {
    ...h.db,
    query: (statement) => {
      if (statement.name === "log_select_oldest_first") reads += 1;
      return h.db.query(statement);
    },
  };
  await h.db.tx((tx) => append(tx, h.world, "s", events(1)));
  const stop = new AbortController();
  const seen: StoredEvent[] = [];
  const reading = (async () => {
    for await (const event of subscribe({ ...h.world, db, signal: stop.signal }, "s", 0))
      seen.push(event);
  })();
  await until("the first", () => seen.length === 1);
  // It looks once more, and finds that there is nothing.
  await until("rest", () => reads >= 1);
  const before = reads;
  const odd = {
    text: "a\u0000b",
    missing: undefined,
    big: 9007199254740993n,
    nested: { z: 1, a: 2 },
  };
  const { big: _, ...data } = odd;
  for (let n = 2; n <= 20; n++) {
    await h.db.tx((tx) => append(tx, h.world, "s", [{ id: `e${n}`, type: "counted", data }]));
    await until(`event ${n}`, () => seen.length === n);
  }
  assert.ok(reads <= before + 1, `${reads - before} reads`);
  const doomed = h.db.tx(async (tx) => {
    await append(tx, h.world, "s", events(99));
    throw new Error("no");
  });
  await assert.rejects(doomed, /no/);
  await h.db.tx((tx) => append(tx, h.world, "s", events(21)));
  await until("the one behind it", () => seen.length === 21);
  // They are what others read.
  assert.deepEqual(seen, await read(h.db, "s", { limit: 99 }));
  stop.abort();
  await reading;
});

test("[LOG19] what is told late does not hide what is known to be there", () => {
  const feed = openFeed("s");
  const kept: KeptEvents = { bytes: new Map(), total: 0 };
  const at = new Date(0);
  const event = { id: null, position: 3, type: "t", data: {}, bytes: 2, at, processedAt: null };
  const watch = { isBegun: true, position: 2, gone: false, wake: () => {} };
  feed.watches.add(watch);
  feed.end = 2;
  takeAppended(feed, kept, 2, [event]);
  assert.equal(feed.end, 3);
  feed.end = 5;
  takeAppended(feed, kept, 2, [event]);
  watch.position = 3;
  assert.ok(isBehind(feed, watch), "two more are there");
});

test("[LOG19] other processes are told of it, by a hint for each stream that got something", async () => {
  await using h = await openJobsHarness();
  const sent: unknown[][] = [];
  const hints = { ...h.world.hints, send: (...hint: unknown[]) => void sent.push(hint) };
  const streams = ["a", "b"].map((stream) => ({ stream, events: events(1) }));
  const looked = { stream: "c", events: [], expectedPosition: 0 };
  await h.db.tx(async (tx) => {
    await appendAll(tx, { ...h.world, hints }, [...streams, looked]);
    assert.deepEqual(sent, []);
  });
  assert.deepEqual(sent, [
    ["log", "a", { toOthers: true }],
    ["log", "b", { toOthers: true }],
  ]);
});

test("[LOG20] the subscribers of a stream that was opened end with it; what waits in it is counted", async () => {
  await using h = await openJobsHarness();
  await h.db.tx((tx) => openStream(tx, "s"));
  const until_ = new AbortController();
  const world = { ...h.world, db: h.db, signal: until_.signal };
  const seen: string[] = [];
  const ended = (async () => {
    for await (const { type } of subscribe(world, "s", 0, { isThere: true })) seen.push(type);
  })();
  await h.db.tx((tx) => deleteStream(tx, h.world, "s"));
  await ended;
  assert.deepEqual(seen, []);
  await h.db.tx((tx) => openStream(tx, "t"));
  const waits = (id: string, type: string) => ({ id, type, data: {} });
  const done = { id: "c", type: "one", data: {}, processedAt: new Date() };
  const all = [waits("a", "one"), waits("b", "two"), done, { type: "one", data: {} }];
  await h.db.tx((tx) => append(tx, h.world, "t", all, { expectedPosition: 0 }));
  assert.equal(await countWaiting(h.db, "t", ["one"]), 1);
  assert.equal(await countWaiting(h.db, "t", ["one", "two", "three"]), 2);
  assert.equal(await countWaiting(h.db, "none", ["one"]), 0);
});
