// The arithmetic of slices under any order of events: no bucket holds too much, no limit is passed.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { dealRate, dealSpend } from "../../server/limits/admission/slice-arithmetic.ts";

const perMinute = 600;

const step = fc.record({
  asker: fc.integer({ min: 0, max: 3 }),
  afterMs: fc.oneof(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 90_000 })),
  used: fc.double({ min: 0, max: 1, noNaN: true }),
  least: fc.integer({ min: 0, max: 200 }),
  more: fc.integer({ min: 0, max: 400 }),
  refund: fc.integer({ min: -50, max: 50 }),
  isClockBack: fc.boolean(),
});

test("bucket and slices together never hold more than a minute's worth", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const held = [0, 0, 0, 0];
      let bucket = { tokens: perMinute, atMs: 0 };
      let nowMs = 0;
      const granted: { atMs: number; amount: number }[] = [];
      for (const { asker, afterMs, used, least, more, refund, isClockBack } of steps) {
        nowMs += afterMs;
        const own = held[asker] ?? 0;
        const others = held.reduce((sum, one) => sum + one, 0) - own;
        const dealt = dealRate(
          { ...bucket, heldByOthers: others, heldByAsker: own },
          {
            perMinute,
            keep: own * (1 - used),
            refund: Math.min(0, refund),
            least,
            wanted: least + more,
          },
          isClockBack ? nowMs - 10_000 : nowMs,
        );
        assert.ok(dealt.granted === 0 || dealt.granted >= least);
        assert.ok(dealt.held >= 0 && dealt.atMs >= bucket.atMs);
        held[asker] = dealt.held;
        bucket = { tokens: dealt.tokens, atMs: dealt.atMs };
        const all = held.reduce((sum, one) => sum + one, 0) + dealt.tokens;
        assert.ok(all <= perMinute + 1e-6, `${all} are about`);
        granted.push({ atMs: dealt.atMs, amount: dealt.granted });
      }
      for (const [index, first] of granted.entries()) {
        let sum = 0;
        for (const { atMs, amount } of granted.slice(index)) {
          sum += amount;
          assert.ok(sum <= perMinute + ((atMs - first.atMs) * perMinute) / 60_000 + 1e-6);
        }
      }
    }),
  );
});

test("what is dealt of a sum of money never exceeds it, and all of it can be had", () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 18n }),
      fc.array(fc.record({ least: fc.nat(10 ** 9), more: fc.nat(10 ** 9) }), { maxLength: 40 }),
      (limitNano, asks) => {
        let taken = 0n;
        for (const { least, more } of asks) {
          const granted = dealSpend({
            limitNano,
            takenByOthers: taken / 2n,
            takenByAsker: taken - taken / 2n,
            least,
            wanted: least + more,
          });
          assert.ok(Number.isSafeInteger(granted) && granted >= 0);
          if (limitNano - taken >= BigInt(least)) assert.ok(granted >= least);
          taken += BigInt(granted);
          assert.ok(taken <= limitNano);
        }
      },
    ),
  );
});
