// A hop as it is written.
import type { Prices } from "../models/module.ts";
import type { HopRow } from "./queries-group.ts";
import type { NewHop } from "./schema.ts";

export const rowOf = (hop: NewHop, month: string): HopRow => ({
  ...hop,
  month,
  priceList: hop.prices === undefined ? null : priceList(hop.prices),
});

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
