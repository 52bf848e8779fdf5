// Amounts of the console: their decimals, and from where on a limit is nearly gone.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  amountText,
  hundredthsOf,
  limitTone,
  mostPlaces,
  percent,
  shareOf,
  typedDollars,
  dollarsText,
  goneText,
} from "../../console/kit/value/money.ts";

test("of a limit the colour turns at 80 and at 95 percent", () => {
  const toneAt = (gone: number, limit: number | null = 100) => limitTone(shareOf(gone, limit));
  assert.equal(toneAt(0), "accent");
  assert.equal(toneAt(79.99), "accent");
  assert.equal(toneAt(80), "warn");
  assert.equal(toneAt(94.99), "warn");
  assert.equal(toneAt(95), "bad");
  assert.equal(toneAt(100), "bad");
  assert.equal(toneAt(250), "bad");
  assert.equal(toneAt(80, null), "accent");
  assert.equal(toneAt(0, 0), "bad");
});

test("at whatever limit the threshold is met to the hundredth", () => {
  for (let limit = 20; limit <= 200_000; limit += 20) {
    assert.equal(limitTone(shareOf(limit * 0.8, limit)), "warn", String(limit));
    assert.equal(limitTone(shareOf((limit / 20) * 19, limit)), "bad", String(limit));
    assert.equal(limitTone(shareOf((limit / 20) * 19 - 0.01, limit)), "warn", String(limit));
  }
});

test("a share is no more than all, and there is none without a limit", () => {
  assert.equal(shareOf(250, 100), 1);
  assert.equal(shareOf(0, 0), 1);
  assert.equal(shareOf(5, null), undefined);
  assert.equal(percent(0.9499), "94%");
  assert.equal(percent(0.001), "under 1%");
  assert.equal(percent(0), "0%");
});

test("past the limit, words say how far", () => {
  assert.equal(goneText(150, 100), "150%");
  assert.equal(goneText(70, 100), "70%");
  assert.equal(goneText(0.5, 100), "under 1%");
  assert.equal(goneText(5, 0), undefined);
});

test("amounts have two decimals, six where two would not tell a small one", () => {
  assert.equal(dollarsText("123450"), "$1,234.50");
  assert.equal(dollarsText("0"), "$0.00");
  assert.equal(dollarsText("10"), "$0.10");
  assert.equal(dollarsText("1.23"), "$0.012300");
  assert.equal(amountText(1), "$1.00");
  assert.equal(amountText(1.234567), "$1.23");
  assert.equal(amountText(0.29), "$0.29");
  assert.equal(amountText(0.060105), "$0.060105");
  assert.equal(mostPlaces([]), 2);
  assert.equal(mostPlaces([12, 0.8]), 2);
  assert.equal(mostPlaces([12, 0.000_019]), 6);
});

test("what is typed is an amount in hundredths, or none", () => {
  assert.equal(hundredthsOf("1,234.5"), "123450");
  assert.equal(hundredthsOf("0"), "0");
  for (const none of ["12,50", "1,2345", "1e3", "", "-1", "1.234"])
    assert.equal(hundredthsOf(none), undefined, none);
  assert.equal(typedDollars("1250"), "12.50");
  assert.equal(typedDollars(null), "");
});
