// The event log: positions, what an append refuses, and what a subscriber sees.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../../kernel/base/failure.ts";
import { logLimits } from "../../kernel/log/limits.ts";
import { append, deleteStream, fold, head, read, type StoredEvent } from "../../kernel/log/log.ts";
import { subscribe } from "../../kernel/log/subscribe.ts";
import type { Database } from "../../kernel/sql/database.ts";
import { type JobsHarness, openJobsHarness, until } from "./jobs-harness.ts";

const put = (h: JobsHarness, stream: string, ns: number[], expectedPosition?: number) =>
  h.db.tx((tx) =>
    append(
      tx,
      h.world,
      stream,
      ns.map((n) => ({ type: "counted", data: { n } })),
      expectedPosition === undefined ? {} : { expectedPosition },
    ),
  );

const numbers = (events: StoredEvent[]) => events.map(({ data }) => (data as { n: number }).n);

function collect(h: JobsHarness, stream: string, after = 0, db: Database = h.db) {
  const stop = new AbortController();
  const events: StoredEvent[] = [];
  const ended = (async () => {
    const world = { ...h.world, db, signal: stop.signal };
    for await (const event of subscribe(world, stream, after)) events.push(event);
  })();
  return { events, ended, stop };
}

test("[LOG1] positions of a stream count from 1 without a gap, also where transactions roll back", async () => {
  await using h = await openJobsHarness();
  assert.deepEqual(await put(h, "s", [1, 2]), { position: 2 });
  const doomed = h.db.tx(async (tx) => {
    await append(tx, h.world, "s", [{ type: "counted", data: { n: 0 } }]);
    throw new Error("no");
  });
  await assert.rejects(doomed, /no/);
  await Promise.all([3, 4, 5, 6].map((n) => put(h, "s", [n])));
  await put(h, "other", [9]);
  const events = await read(h.db, "s", { after: 0, limit: 100 });
  assert.deepEqual(
    events.map((event) => event.position),
    [1, 2, 3, 4, 5, 6],
  );
  assert.deepEqual(
    numbers(events).sort((a, b) => a - b),
    [1, 2, 3, 4, 5, 6],
  );
  assert.deepEqual(numbers(await read(h.db, "s", { after: 1, limit: 1 })), [2]);
  assert.deepEqual([await head(h.db, "s"), await head(h.db, "none")], [6, 0]);
});

test("[LOG2] an append that expects another position is a conflict that names both and changes nothing", async () => {
  await using h = await openJobsHarness();
  await put(h, "s", [1], 0);
  await assert.rejects(put(h, "s", [2], 0), (error: Failure) => {
    assert.equal(error.type, "conflict_error");
    assert.deepEqual(error.options.details, { expected_position: 0, position: 1 });
    assert.match(error.message, /s is at position 1, not at 0/);
    return true;
  });
  await assert.rejects(put(h, "new", [2], 3), /new is at position 0, not at 3/);
  assert.equal(await h.count("log_streams"), 1);
  const racers = await Promise.allSettled([1, 2, 3, 4, 5].map((n) => put(h, "s", [n], 1)));
  assert.equal(racers.filter(({ status }) => status === "fulfilled").length, 1);
});

test("[LOG3] data comes back as it was written: NUL, lone surrogates, order of keys", async () => {
  await using h = await openJobsHarness();
  const data = { z: "\u0000", a: "\ud800 \\u0000 ' \"", n: [1, null, { y: 1, x: 2 }] };
  await h.db.tx((tx) => append(tx, h.world, "s", [{ type: "t", data }]));
  const [event] = await read(h.db, "s", { after: 0, limit: 1 });
  assert.equal(JSON.stringify(event?.data), JSON.stringify(data));
});

test("[LOG4] an event at the limit is taken, one byte more is refused; so are no events and too many", async () => {
  await using h = await openJobsHarness();
  const put = (bytes: number) =>
    h.db.tx((tx) =>
      append(tx, h.world, "s", [{ type: "t", data: { s: "x".repeat(bytes - '{"s":""}'.length) } }]),
    );
  await put(logLimits.eventBytesMax);
  await assert.rejects(put(logLimits.eventBytesMax + 1), (error: Failure) => error.status === 413);
  const many = Array.from({ length: logLimits.eventsPerAppendMax + 1 }, () => ({
    type: "t",
    data: {},
  }));
  await h.db.tx((tx) => append(tx, h.world, "m", many.slice(1)));
  await assert.rejects(
    h.db.tx((tx) => append(tx, h.world, "m", many)),
    /not 10001/,
  );
  await assert.rejects(
    h.db.tx((tx) => append(tx, h.world, "m", [])),
    /not 0/,
  );
});

test("[LOG5] a subscriber sees what was there and what comes, once and in order, hints or not", async () => {
  await using h = await openJobsHarness();
  await put(h, "s", [1, 2, 3]);
  const deaf = { ...h.world.hints, listen: () => () => {} };
  const hinted = collect(h, "s", 1);
  const polling = collect({ ...h, world: { ...h.world, hints: deaf } }, "s", 0, { ...h.db });
  const all = Array.from({ length: 300 }, (_, i) => i + 4);
  await Promise.all(
    [0, 100, 200].map(async (from) => {
      for (let i = from; i < from + 100; i += 10) await put(h, "s", all.slice(i, i + 10));
    }),
  );
  for (const { events, after } of [
    { ...hinted, after: 1 },
    { ...polling, after: 0 },
  ]) {
    await until("all have come", () => events.length >= 303 - after);
    const positions = Array.from({ length: 303 - after }, (_, i) => i + 1 + after);
    assert.deepEqual(
      events.map((event) => event.position),
      positions,
    );
  }
  for (const { stop, ended } of [hinted, polling]) {
    stop.abort();
    await ended;
  }
});

test("[LOG6] a thousand subscribers cost one statement per poll", async () => {
  await using h = await openJobsHarness();
  let statements = 0;
  const counting: Database = {
    ...h.db,
    query: (statement) => {
      if (statement.name === "log_select_heads") statements += 1;
      return h.db.query(statement);
    },
  };
  const deaf = { ...h.world.hints, listen: () => () => {} };
  const quiet = { ...h, world: { ...h.world, hints: deaf } };
  await put(h, "s0", [1]);
  const all = Array.from({ length: 1000 }, (_, i) => collect(quiet, `s${i % 10}`, 0, counting));
  await until("the poll has asked twice", () => statements >= 2);
  assert.ok(statements <= 4, `${statements}`);
  await put(h, "s7", [7]);
  const told = () => all.filter(({ events }) => events.length === 1).length;
  await until("all of s0 and s7 have theirs", () => told() === 200);
  for (const { stop } of all) stop.abort();
  await Promise.all(all.map(({ ended }) => ended));
});

test("[LOG7] a subscriber waits while the database is away and then goes on", async () => {
  await using h = await openJobsHarness();
  let away = true;
  const flaky: Database = {
    ...h.db,
    query: async (statement) => {
      if (away) throw new Failure("api_error", "away", { status: 503 });
      return h.db.query(statement);
    },
  };
  const { events, stop, ended } = collect(h, "s", 0, flaky);
  await put(h, "s", [1]);
  away = false;
  await until("it has come", () => events.length === 1);
  stop.abort();
  await ended;
});

test("[LOG8] a deleted stream is gone and ends its subscribers; one that never was is waited for", async () => {
  await using h = await openJobsHarness();
  await put(h, "s", [1]);
  const subscriber = collect(h, "s");
  const patient = collect(h, "later");
  await until("it has come", () => subscriber.events.length === 1);
  await h.db.tx((tx) => deleteStream(tx, h.world, "s"));
  await subscriber.ended;
  assert.deepEqual([await h.count("log_events"), await head(h.db, "s")], [0, 0]);
  await put(h, "later", [1]);
  await until("it has come", () => patient.events.length === 1);
  patient.stop.abort();
  await patient.ended;
});

test("[LOG9] fold steps through the events in order", () => {
  assert.equal(
    fold([1, 2, 3], "", (text, n) => text + n),
    "123",
  );
});
