// How fast a batch goes and how long it takes, from what a page saw of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  leftWords,
  noted,
  paceOf,
  ratesOf,
  rateWords,
  type Sample,
} from "../../console/batches/batch-pace.ts";

/** One look a second. */
const seen = (...done: number[]): Sample[] =>
  done.map((done, second) => ({ atMs: second * 1_000, done }));

const unknown = { perSecond: undefined, leftMs: undefined };

test("nothing is said before three seconds were seen", () => {
  assert.deepEqual(paceOf([], 10), unknown);
  assert.deepEqual(paceOf(seen(0), 10), unknown);
  assert.deepEqual(paceOf(seen(0, 10, 20), 10), unknown);
  assert.deepEqual(paceOf(seen(0, 10, 20, 30), 300), { perSecond: 10, leftMs: 30_000 });
});

test("only the last half minute counts", () => {
  const slow = Array.from({ length: 100 }, (_, second) => second);
  const fast = Array.from({ length: 31 }, (_, second) => 100 + second * 20);
  assert.deepEqual(paceOf(seen(...slow, ...fast), 400), { perSecond: 20, leftMs: 20_000 });
});

test("what stands still is known to only after half a minute", () => {
  const still = (seconds: number) => seen(...Array.from({ length: seconds + 1 }, () => 5));
  assert.deepEqual(paceOf(still(29), 10), unknown);
  assert.deepEqual(paceOf(still(30), 10), { perSecond: 0, leftMs: undefined });
});

test("looks are kept for a while, and none twice", () => {
  let samples: readonly Sample[] = [];
  for (let second = 0; second < 3_000; second++)
    samples = noted(samples, { atMs: second * 1_000, done: second });
  assert.equal(samples.length, 1_200);
  assert.equal(samples.at(-1)?.done, 2_999);
  assert.equal(noted(samples, { atMs: 2_999_000, done: 3_000 }), samples);
});

test("the picture has as many steps as there is room for, each over three seconds or more", () => {
  assert.deepEqual(ratesOf(seen(0), 10), []);
  assert.deepEqual(ratesOf(seen(0, 3, 6, 9, 9, 9, 9), 10), [3, 0]);
  const many = seen(...Array.from({ length: 1_000 }, (_, second) => second * 4));
  const rates = ratesOf(many, 50);
  assert.ok(rates.length > 40 && rates.length <= 50, String(rates.length));
  assert.ok(rates.every((rate) => rate === 4));
});

test("in words", () => {
  assert.equal(rateWords(1_234.4), "1,234 requests a second");
  assert.equal(rateWords(2.36), "2.4 requests a second");
  assert.equal(rateWords(1), "1 request a second");
  assert.equal(rateWords(0.5), "30 requests a minute");
  assert.equal(rateWords(0), "0 requests a second");
  const left: [ms: number, words: string][] = [
    [100, "a few seconds"],
    [12_000, "about 15 seconds"],
    [89_000, "about 90 seconds"],
    [91_000, "about 2 minutes"],
    [3_600_000, "about 60 minutes"],
    [7_300_000, "about 2 hours"],
    [60 * 3_600_000, "about 3 days"],
  ];
  for (const [ms, words] of left) assert.equal(leftWords(ms), words);
});
