// A hop as it is written to the ledger.
import type { Prices } from "../../models/module.ts";
import type { NewHop } from "../schema.ts";

/** With the month whose limits it counts for, and its prices as an array's text. */
export interface HopRow extends NewHop {
  month: string;
  /** The day of the same clock, for the limits of people. */
  day: string;
  priceList: string | null;
}

/** `day` as `2026-11-21`, by the clock of the node. */
export const hopRowOf = (hop: NewHop, day: string): HopRow => ({
  ...hop,
  month: monthOf(day),
  day,
  priceList: hop.prices === undefined ? null : priceList(hop.prices),
});

let known = { day: "", month: "" };

/** One text for all rows of a day. */
function monthOf(day: string): string {
  if (known.day !== day) known = { day, month: day.slice(0, 7) };
  return known.month;
}

const texts = new WeakMap<Prices, string>();

/** In the order of their column; the catalog has one object for each model. */
function priceList(prices: Prices): string {
  let text = texts.get(prices);
  if (text === undefined) {
    const { input, output, cacheWrite5m, cacheWrite1h, cacheRead } = prices;
    text = `{${[input, output, cacheWrite5m, cacheWrite1h, cacheRead].join()}}`;
    texts.set(prices, text);
  }
  return text;
}
