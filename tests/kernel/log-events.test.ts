// Events of the log by direction, by type, by id, and by the moment of their processing.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Failure } from "../../kernel/base/failure.ts";
import { logLimits } from "../../kernel/log/limits.ts";
import {
  append,
  findEvent,
  head,
  read,
  readProcessed,
  recordProcessed,
  type NewEvent,
  type StoredEvent,
} from "../../kernel/log/log.ts";
import { openJobsHarness, type JobsHarness } from "./jobs-harness.ts";

const put = (h: JobsHarness, stream: string, events: NewEvent[]) =>
  h.db.tx((tx) => append(tx, h.world, stream, events));

const positions = (events: readonly StoredEvent[]) => events.map(({ position }) => position);
const second = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, n));

test("[LOG11] a read goes either way between two positions, of all events or of some types", async () => {
  await using h = await openJobsHarness();
  const types = ["said", "heard", "said", "rare", "heard", "said", "said"];
  await put(
    h,
    "s",
    types.map((type, n) => ({ type, data: { n } })),
  );
  await put(h, "other", [{ type: "rare", data: {} }]);
  const of = async (options: Partial<Parameters<typeof read>[2]>) =>
    positions(await read(h.db, "s", { limit: 100, ...options }));

  assert.deepEqual(await of({}), [1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(await of({ order: "newest_first" }), [7, 6, 5, 4, 3, 2, 1]);
  assert.deepEqual(await of({ before: 6, limit: 2, order: "newest_first" }), [5, 4]);
  assert.deepEqual(await of({ after: 2, before: 6 }), [3, 4, 5]);
  assert.deepEqual(await of({ after: 2, before: 6, order: "newest_first" }), [5, 4, 3]);
  assert.deepEqual(await of({ types: ["rare", "heard", "none"] }), [2, 4, 5]);
  assert.deepEqual(await of({ types: ["rare", "heard", "rare"], limit: 2 }), [2, 4]);
  assert.deepEqual(
    await of({ types: ["said"], before: 7, limit: 2, order: "newest_first" }),
    [6, 3],
  );
  assert.deepEqual(await of({ types: [] }), []);
  const tooMany = Array.from({ length: logLimits.typesPerReadMax + 1 }, (_, n) => `t${n}`);
  await assert.rejects(of({ types: tooMany }), /at most 100 types/);
});

test("[LOG11] a page ends with the event that reaches the bytes that were asked for", async () => {
  await using h = await openJobsHarness();
  const data = { text: "ä".repeat(45) };
  await put(
    h,
    "s",
    Array.from({ length: 5 }, () => ({ type: "t", data })),
  );
  const of = async (bytesMax: number, order: "oldest_first" | "newest_first" = "oldest_first") =>
    positions(await read(h.db, "s", { limit: 100, bytesMax, order }));
  const [event] = await read(h.db, "s", { limit: 1 });
  assert.equal(event?.bytes, Buffer.byteLength(JSON.stringify(data)));
  assert.deepEqual(await of(1), [1]);
  assert.deepEqual(await of(2 * event.bytes), [1, 2]);
  assert.deepEqual(await of(2 * event.bytes + 1), [1, 2, 3]);
  assert.deepEqual(await of(2 * event.bytes + 1, "newest_first"), [5, 4, 3]);
});

test("[LOG12] an id finds its event; a used one is a conflict and changes nothing", async () => {
  await using h = await openJobsHarness();
  await put(h, "s", [
    { id: "sevt_1", type: "t", data: { n: 1 } },
    { type: "t", data: { n: 2 } },
    { type: "t", data: { n: 3 } },
  ]);
  await put(h, "other", [{ id: "sevt_1", type: "t", data: { n: 9 } }]);
  assert.deepEqual((await findEvent(h.db, "s", "sevt_1"))?.data, { n: 1 });
  assert.deepEqual((await findEvent(h.db, "other", "sevt_1"))?.data, { n: 9 });
  assert.equal(await findEvent(h.db, "s", "sevt_2"), undefined);
  const ids = (await read(h.db, "s", { limit: 9 })).map(({ id }) => id);
  assert.deepEqual(ids, ["sevt_1", null, null]);
  const again = put(h, "s", [
    { id: "sevt_4", type: "t", data: {} },
    { id: "sevt_1", type: "t", data: {} },
  ]);
  await assert.rejects(again, (error: Failure) => {
    assert.equal(error.type, "conflict_error");
    assert.equal(error.options.code, "event_id_conflict");
    assert.match(error.message, /s has an event with one of these ids already: sevt_4, sevt_1/);
    return true;
  });
  assert.equal(await head(h.db, "s"), 3);
});

test("[LOG13] that an event was processed is recorded once, with the caller's transaction", async () => {
  await using h = await openJobsHarness();
  const at = second(0);
  await put(h, "s", [
    { type: "waits", data: { n: 1 } },
    { type: "done", data: { n: 2 }, processedAt: at },
    { type: "waits", data: { n: 3 } },
  ]);
  const before = await read(h.db, "s", { limit: 9 });
  assert.deepEqual(
    before.map(({ processedAt }) => processedAt),
    [null, at, null],
  );
  const record = async (time: Date, ...which: number[]) => {
    const events = which.map((position) => ({ stream: "s", position, at: time }));
    const set = await h.db.tx((tx) => recordProcessed(tx, events));
    return set.map(({ position }) => position).toSorted((a, b) => a - b);
  };
  const doomed = h.db.tx(async (tx) => {
    await recordProcessed(tx, [{ stream: "s", position: 1, at: second(1) }]);
    throw new Error("no");
  });
  await assert.rejects(doomed, /no/);
  assert.deepEqual(await record(second(2), 3, 1, 2, 99), [1, 3]);
  assert.deepEqual(await record(second(3), 1, 3), []);
  const after = await read(h.db, "s", { limit: 9 });
  assert.deepEqual(
    after,
    before.map((event) => ({ ...event, processedAt: event.processedAt ?? second(2) })),
  );
  // Of another stream at another time, in the same call.
  await put(h, "t", [{ type: "waits", data: {} }]);
  await put(h, "s", [{ type: "waits", data: {} }]);
  const events = [
    { stream: "t", position: 1, at: second(5) },
    { stream: "s", position: 4, at: second(4) },
  ];
  assert.equal((await h.db.tx((tx) => recordProcessed(tx, events))).length, 2);
  assert.deepEqual((await read(h.db, "t", { limit: 9 }))[0]?.processedAt, second(5));
  assert.deepEqual((await read(h.db, "s", { after: 3, limit: 9 }))[0]?.processedAt, second(4));
});

test("[LOG13] events are listed as they were processed, within a range of time", async () => {
  await using h = await openJobsHarness();
  const times = [5, 1, undefined, 3, 3, 9];
  await put(
    h,
    "s",
    times.map((n, index) => ({
      type: index % 2 === 0 ? "even" : "odd",
      data: {},
      ...(n !== undefined && { processedAt: second(n) }),
    })),
  );
  const of = async (options: Partial<Parameters<typeof readProcessed>[2]>) =>
    positions(await readProcessed(h.db, "s", { limit: 100, ...options }));
  const place = (n: number, position: number) => ({ processedAt: second(n), position });

  assert.deepEqual(await of({}), [2, 4, 5, 1, 6]);
  assert.deepEqual(await of({ order: "newest_first", limit: 3 }), [6, 1, 5]);
  assert.deepEqual(await of({ after: place(3, 0), before: place(9, 0) }), [4, 5, 1]);
  assert.deepEqual(await of({ after: place(3, Infinity), before: place(9, Infinity) }), [1, 6]);
  assert.deepEqual(await of({ after: place(3, 4), limit: 1 }), [5]);
  assert.deepEqual(await of({ before: place(3, 5), order: "newest_first" }), [4, 2]);
  assert.deepEqual(await of({ types: ["even"] }), [5, 1]);
});
