// What was settled, for the metrics: tokens by class, and money.
import type { World } from "../../kernel/context.ts";
import type { Settlement } from "./schema.ts";

const nanoPerUnit = 1e9;

/** Rule USE21. Once for each attempt, when its settlement is on its way: a counter need not wait for the disk. */
export function meterSettled(
  { instruments }: Pick<World, "instruments">,
  model: string,
  { counts, amountNano }: Pick<Settlement, "counts" | "amountNano">,
): void {
  const meter = instruments.modelMeter(model);
  if (counts.input > 0) meter.input.inc(counts.input);
  if (counts.output > 0) meter.output.inc(counts.output);
  if (counts.cacheWrite5m > 0) meter.cacheWrite5m.inc(counts.cacheWrite5m);
  if (counts.cacheWrite1h > 0) meter.cacheWrite1h.inc(counts.cacheWrite1h);
  if (counts.cacheRead > 0) meter.cacheRead.inc(counts.cacheRead);
  if (amountNano > 0) meter.spend.inc(amountNano / nanoPerUnit);
}
