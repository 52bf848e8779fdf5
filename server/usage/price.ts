// What tokens cost: whole nano-dollars, by class of price.
import type { Prices, TokenCounts } from "../models/module.ts";

/**
 * Rule USE9: a batch pays half. Reports divide a price among the classes of its tokens in SQL, and count in halves
 * for it: `classAmount` in sums/queries-report.ts. `minorOfHalves`, below, is for no other divisor.
 */
export const batchPriceDivisor = 2;

/** Half a nano-dollar is rounded up. */
export function priceOf(
  prices: Prices,
  counts: TokenCounts,
  { batch }: { batch: boolean },
): number {
  const full =
    counts.input * prices.input +
    counts.output * prices.output +
    counts.cacheWrite5m * prices.cacheWrite5m +
    counts.cacheWrite1h * prices.cacheWrite1h +
    counts.cacheRead * prices.cacheRead;
  if (!Number.isSafeInteger(full) || full < 0)
    throw new RangeError(`A price of ${full} nano-dollars is no whole number that can be kept.`);
  return batch ? Math.ceil(full / batchPriceDivisor) : full;
}

/** Nano-dollars as cents, exact: up to seven decimal places. */
export const minorOf = (nano: bigint) => decimal(nano, 7);

/** The same of half nano-dollars: what each class of tokens costs in a batch. */
export const minorOfHalves = (halves: bigint) => decimal(halves * 5n, 8);

function decimal(value: bigint, places: number): string {
  const digits = String(value < 0n ? -value : value).padStart(places + 1, "0");
  const whole = digits.slice(0, -places);
  const text = `${whole}.${digits.slice(-places)}`.replace(/\.?0+$/, "");
  return value < 0n ? `-${text}` : text;
}
