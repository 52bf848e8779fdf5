// What an answer costs, from the prices of the models that worked on it. Whole nano-dollars, never fractions.
import type { ModelEntry } from "../kit/server/api.ts";
import type { Counts, Message } from "../../client/messages/message.ts";

type Prices = NonNullable<ModelEntry["prices"]>;

/** Undefined where a price is not known: better no number than a wrong one. */
export function priceOf(message: Message, entries: readonly ModelEntry[]): number | undefined {
  const { usage, model } = message;
  const hops = usage.iterations ?? [{ ...usage, type: "message", model }];
  let sum = 0;
  for (const [place, hop] of hops.entries()) {
    const declined = place < hops.length - 1 || message.stop_reason === "refusal";
    // Whoever declines before the first word costs nothing.
    if (declined && hop.output_tokens === 0) continue;
    const prices = entries.find(({ id }) => id === (hop.model ?? model))?.prices;
    if (prices === undefined) return undefined;
    sum += nanoOf(hop, prices);
  }
  return sum;
}

function nanoOf(counts: Counts, prices: Prices): number {
  const { input, output } = prices;
  const split = counts.cache_creation;
  const hour = split?.ephemeral_1h_input_tokens ?? 0;
  const minutes = (counts.cache_creation_input_tokens ?? 0) - hour;
  return (
    counts.input_tokens * input +
    counts.output_tokens * output +
    minutes * (prices.cache_write_5m ?? Math.ceil((input * 5) / 4)) +
    hour * (prices.cache_write_1h ?? input * 2) +
    (counts.cache_read_input_tokens ?? 0) * (prices.cache_read ?? Math.ceil(input / 10))
  );
}
