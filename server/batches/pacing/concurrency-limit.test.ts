// Rule BAT14: how many requests of batches an upstream gets at a time, by a clock that stands still.
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeManualClock } from "../../../kernel/base/clock.ts";
import {
  makeConcurrencyLimit,
  type ConcurrencyLimit,
  type UpstreamSignal,
} from "./concurrency-limit.ts";
import { workLimits } from "../work/limits.ts";

const { widthAtFirst, widthMax } = workLimits;

function scene(most?: number) {
  const clock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
  const limit = makeConcurrencyLimit(clock, most);
  return { clock, limit };
}

/** As many as begin now; the result ends one of them. */
function fill(limit: ConcurrencyLimit) {
  const under: ReturnType<ConcurrencyLimit["begin"]>[] = [];
  while (limit.hasRoom("one")) under.push(limit.begin("one"));
  return under;
}

/** Another one begins and ends at once, over and over. */
function tell(limit: ConcurrencyLimit, signal: UpstreamSignal, times = 1): void {
  for (let time = 0; time < times; time++) limit.begin("one")(signal);
}

test("[BAT14] eight at first, then one more with each answer, up to the most", () => {
  const { limit } = scene();
  const under = fill(limit);
  assert.equal(under.length, widthAtFirst);
  assert.equal(widthAtFirst, 8);
  assert.equal(limit.hasRoomAtMs("one"), 0, "it waits for an answer, not for the clock");
  under.shift()?.("answered");
  assert.equal(limit.width, 9);
  under.push(...fill(limit));
  assert.equal(under.length, 9);
  for (let answers = 0; answers < 200; answers++) {
    under.shift()?.("answered");
    under.push(...fill(limit));
  }
  assert.deepEqual([limit.width, under.length, widthMax], [64, 63, 64]);
});

test("[BAT14] no more than the settings allow, from the first on", () => {
  const three = scene(3).limit;
  assert.equal(fill(three).length, 3);
  const many = scene(1_000).limit;
  assert.equal(fill(many).length, 8);
  tell(many, "answered", 2_000);
  assert.equal(many.width, 1_000);
});

test("[BAT14] an answer that says nothing of the upstream changes nothing", () => {
  const { limit } = scene();
  const under = fill(limit);
  for (const end of under) end("nothing", 60_000);
  assert.equal(limit.width, 8);
  assert.equal(fill(limit).length, 8);
});

test("[BAT14] too much halves it, once for all that began before", () => {
  const { limit, clock } = scene();
  tell(limit, "answered", 24);
  assert.equal(limit.width, 32);
  const under = fill(limit);
  clock.advance(10);
  under.shift()?.("overloaded");
  assert.equal(limit.width, 16);
  clock.advance(10);
  for (const end of under.splice(0, 10)) end("overloaded");
  assert.equal(limit.width, 16, "they began before it was halved");
  assert.equal(limit.hasRoom("one"), false);
  for (const end of under) end("nothing");
  const later = fill(limit);
  assert.equal(later.length, 16);
  later.shift()?.("overloaded");
  assert.equal(limit.width, 8);
});

test("[BAT14] once it was too much, a whole round of answers makes room for one more", () => {
  const { limit, clock } = scene();
  tell(limit, "overloaded");
  assert.equal(limit.width, 4);
  clock.advance(1);
  tell(limit, "answered", 4);
  assert.equal(limit.width, 4);
  tell(limit, "answered");
  assert.equal(limit.width, 5);
  tell(limit, "answered", 5);
  assert.equal(limit.width, 6);
});

test("[BAT14] where even one is too much it pauses, twice as long each time, up to a minute", () => {
  const { limit, clock } = scene(1);
  const pauses: number[] = [];
  for (let time = 0; time < 10; time++) {
    const end = limit.begin("one");
    clock.advance(1);
    end("overloaded");
    assert.equal(limit.hasRoom("one"), false);
    const pause = limit.hasRoomAtMs("one") - clock.monotonicMs();
    pauses.push(pause);
    clock.advance(pause - 1);
    assert.equal(limit.hasRoom("one"), false);
    clock.advance(1);
    assert.equal(limit.hasRoom("one"), true);
    assert.equal(limit.width, 1);
  }
  assert.deepEqual(pauses.slice(0, 4), [500, 1_000, 2_000, 4_000]);
  assert.deepEqual(pauses.slice(-3), [60_000, 60_000, 60_000]);
  tell(limit, "answered");
  clock.advance(1);
  tell(limit, "overloaded");
  assert.equal(
    limit.hasRoomAtMs("one") - clock.monotonicMs(),
    500,
    "an answer between begins anew",
  );
});

test("[BAT14] retry-after holds all back, however wide it is, and the longest counts", () => {
  const { limit, clock } = scene();
  const under = fill(limit);
  under.shift()?.("overloaded", 30_000);
  under.shift()?.("overloaded", 5_000);
  for (const end of under) end("answered");
  assert.equal(limit.hasRoom("one"), false);
  assert.equal(limit.hasRoomAtMs("one"), 30_000);
  clock.advance(29_999);
  assert.equal(limit.hasRoom("one"), false);
  clock.advance(1);
  assert.equal(limit.hasRoom("one"), true);
  limit.begin("one")("overloaded", 1e12);
  assert.equal(limit.hasRoomAtMs("one") - clock.monotonicMs(), workLimits.retryAfterMsMax);
});

test("[BAT14] while others are under way it is a quarter, and one at least", () => {
  const clock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
  let people = 1;
  let batches = 0;
  const limit = makeConcurrencyLimit(clock, 64, () => people + batches);
  const begin = () => {
    batches += 1;
    const end = limit.begin("one");
    return (signal: UpstreamSignal) => {
      batches -= 1;
      end(signal);
    };
  };
  const under: ReturnType<typeof begin>[] = [];
  const fillUp = () => {
    while (limit.hasRoom("one")) under.push(begin());
    return under.length;
  };
  assert.equal(fillUp(), 2);
  assert.equal(limit.hasRoomAtMs("one"), 0);
  people = 0;
  assert.equal(fillUp(), 8);
  people = 3;
  for (let answers = 0; answers < 6; answers++) under.shift()?.("answered");
  assert.equal(limit.width, 14, "it is known how much it takes all the same");
  assert.equal(fillUp(), 3);
  for (let time = 0; time < 4; time++) {
    clock.advance(1);
    under.push(begin());
    under.pop()?.("overloaded");
  }
  for (const end of under.splice(0)) end("nothing");
  clock.advance(60_000);
  assert.equal(limit.width, 1);
  assert.equal(fillUp(), 1);
});

test("[BAT14] a long pause is told once, a longer one again", () => {
  const clock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
  const pauses: number[] = [];
  const limit = makeConcurrencyLimit(clock, 64, undefined, (ms) => void pauses.push(ms));
  const under = fill(limit);
  for (const leave of under.slice(0, 4)) leave("overloaded", 60_000);
  assert.deepEqual(pauses, [60_000]);
  under[4]?.("overloaded", 3_600_000);
  under[5]?.("overloaded", 1_000);
  assert.deepEqual(pauses, [60_000, 3_600_000]);
});

test("[BAT15] what is slow or never answered leaves a place to the others, and never more than there may be", () => {
  const { clock, limit } = scene();
  const slow = fill(limit);
  assert.equal(slow.length, 8);
  assert.equal(limit.hasRoom("one"), false);
  for (let item = 0; item < 200; item++) {
    assert.ok(limit.hasRoom("two"), `${item} of the other were answered`);
    const leave = limit.begin("two");
    slow.push(...fill(limit));
    leave("answered");
    slow.push(...fill(limit));
  }
  assert.equal(slow.length, 63);
  const leave = limit.begin("two");
  assert.equal(limit.hasRoom("three"), false, "64 is the most");
  leave("nothing");
  assert.ok(limit.hasRoom("three"));
  // It said that this is too much: one more than it takes, whichever workspace asks.
  slow.pop()?.("overloaded");
  clock.advance(workLimits.pauseMsMax);
  assert.equal(limit.width, 32);
  for (const end of slow.splice(0, slow.length - 32)) end("nothing");
  limit.begin("two");
  assert.deepEqual([limit.hasRoom("one"), limit.hasRoom("three")], [false, false]);
});

test("[BAT15] where few are allowed, one workspace may have them all", () => {
  const { limit } = scene(3);
  assert.equal(fill(limit).length, 3);
  assert.equal(limit.hasRoom("two"), false);
});
