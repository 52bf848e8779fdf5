// Time limits of one length with one sleeper: each passes when it is due, and not where it was taken out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeManualClock } from "../../kernel/base/clock.ts";
import { nextLoopIteration } from "../../kernel/base/event-loop.ts";
import { deadlines } from "../../server/models/upstreams/deadlines.ts";
import { dueTimes } from "../../server/models/upstreams/http1/due-times.ts";

test("each passes when it is due, also those that came while others waited", async () => {
  const clock = makeManualClock(new Date(0));
  const passed: string[] = [];
  const limits = deadlines(clock, 5_000);
  limits.add(() => void passed.push("first"));
  const drop = limits.add(() => void passed.push("dropped"));
  const move = async (ms: number) => {
    clock.advance(ms);
    await nextLoopIteration();
  };
  await move(3_000);
  limits.add(() => void passed.push("second"));
  drop();
  await move(1_999);
  assert.equal(passed.join(), "");
  await move(1_000);
  assert.equal(passed.join(), ["first"].join());
  await move(2_001);
  assert.equal(passed.join(), ["first", "second"].join());
  // Idle by now: a new one wakes it.
  limits.add(() => void passed.push("third"));
  await move(5_000);
  assert.equal(passed.join(), ["first", "second", "third"].join());
  limits.close();
});

test("a sleeper for many times sleeps as long as is left, without an error of rounding", () => {
  for (let nowMs = 700; nowMs < 5_000; nowMs += 0.123456) {
    const slept: number[] = [];
    const sleep = (ms: number) => {
      slept.push(ms);
      return new Promise<never>(() => {});
    };
    const times = dueTimes({ now: () => new Date(0), monotonicMs: () => nowMs, sleep });
    times.add({ dueMs: Number.POSITIVE_INFINITY, passed: () => {} });
    assert.deepEqual(slept, [1_000], String(nowMs));
  }
});
