// What a process holds of a batch, in small: what is ready begins, and a verb out of turn is a bug.
import assert, { AssertionError } from "node:assert/strict";
import { test } from "node:test";
import { makeManualClock } from "../../../kernel/base/clock.ts";
import type { OriginalBody } from "../../../kernel/http/input/body.ts";
import { makeConcurrencyLimit, type ConcurrencyLimit } from "../pacing/concurrency-limit.ts";
import { ClaimedBatch } from "./claimed-batch.ts";
import type { FinishedItem, HeldChunk, PreparedItem, WaitingItem } from "./items.ts";

const clock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
const original: OriginalBody = { value: {} } as OriginalBody;

/** Of so many requests, all of them waiting. */
function batchWith(requests: number) {
  const owner = { workspaceId: "one", state: "in_progress" } as ClaimedBatch["owner"];
  const batch = new ClaimedBatch("a", owner);
  const row = { firstIndex: 0, lengths: Array.from({ length: requests }, () => 1) };
  const take = (signal: AbortSignal, id: string) => {
    const held = { row, lease: { id }, signal, isSure: () => !signal.aborted, end: () => {} };
    batch.takeChunk(held as unknown as HeldChunk, new Set());
  };
  take(new AbortController().signal, "one");
  const prepareNext = (concurrencyLimit?: ConcurrencyLimit) =>
    batch.prepare({ ...waitingIn(batch), bytes: Buffer.from("{"), concurrencyLimit }, original);
  return { batch, take, prepareNext };
}

function waitingIn(batch: ClaimedBatch): WaitingItem {
  const waiting = batch.nextWaiting(0);
  assert.ok(waiting !== undefined, "nothing waits");
  return waiting;
}

const finished = ({ chunk, position }: WaitingItem): FinishedItem => ({
  chunk,
  position,
  customId: "",
  type: "canceled",
  isRefusal: false,
  line: Buffer.from("12345"),
  settledHops: [],
  logged: undefined,
});

test("[BAT12] what is ready is taken once its upstream has room, and what has none to wait for at once", () => {
  const { batch, prepareNext } = batchWith(4);
  const [narrow, wide] = [makeConcurrencyLimit(clock, 1), makeConcurrencyLimit(clock, 8)];
  for (const limit of [narrow, narrow, wide, undefined]) prepareNext(limit);
  const takeReady = () => ["n1", "n2", "w1", "nowhere"][batch.begin()?.item.position ?? -1];
  assert.equal(batch.counts.ready, 4);
  assert.equal(takeReady(), "n1");
  const leave = narrow.begin("one");
  const taken = new Set([takeReady(), takeReady()]);
  assert.deepEqual(taken, new Set(["nowhere", "w1"]));
  assert.equal(takeReady(), undefined);
  assert.equal(batch.counts.ready, 1);
  leave("answered");
  assert.equal(takeReady(), "n2");
  assert.equal(batch.counts.ready, 0);
});

test("[BAT38] a verb out of turn is a bug, and changes nothing", () => {
  const { batch, prepareNext } = batchWith(3);
  const first = waitingIn(batch);
  prepareNext();
  const attempt = batch.begin();
  assert.ok(attempt !== undefined);
  prepareNext();
  batch.resolve(finished(waitingIn(batch)));
  const prepared: PreparedItem = { ...first, bytes: Buffer.from("{"), concurrencyLimit: undefined };
  const before = { ...batch.counts };
  assert.deepEqual(before, {
    waiting: 0,
    ready: 1,
    running: 1,
    pausing: 0,
    finished: 1,
    written: 0,
  });
  for (const [name, act] of Object.entries({
    "read while it runs": () => batch.prepare(prepared, original),
    "resolved while it runs": () => batch.resolve(finished(first)),
    "an attempt of another": () => batch.finish(prepared, finished(prepared)),
    "written before it was taken": () => batch.wrote(new Set()),
    "put off before it was taken": () => batch.couldNotWrite(),
  })) {
    assert.throws(act, AssertionError, name);
    assert.deepEqual({ ...batch.counts }, before, name);
  }
  batch.finish(attempt.item, finished(attempt.item));
  assert.throws(() => batch.finish(attempt.item, finished(attempt.item)), AssertionError);
  assert.throws(() => batch.pause(attempt.item, 1, 0), AssertionError);
  const { items } = batch.takeFinished();
  assert.throws(() => batch.takeFinished(), AssertionError, "two writes at a time");
  assert.throws(() => batch.wrote(new Set([finished(first)])), AssertionError, "of no group");
  batch.wrote(new Set(items));
  assert.equal(batch.counts.written, 2);
});

test("[BAT36] a chunk that was lost before it was taken holds nothing up", () => {
  const { batch, take } = batchWith(1);
  take(AbortSignal.abort(), "another");
  assert.equal(batch.chunks.size, 1);
  assert.equal(batch.mayBegin(0), true);
});
