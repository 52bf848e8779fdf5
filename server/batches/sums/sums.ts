// What the attempts cost that enter the ledger with a group of results, by model.
import type { SettledHop } from "../../messages/module.ts";

export interface ModelSum {
  model: string;
  attempts: number;
  input: number;
  output: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  cacheRead: number;
  amountNano: number;
  listAmountNano: number;
}

export function sumsOf(settled: readonly SettledHop[]): readonly ModelSum[] {
  const sums = new Map<string, ModelSum>();
  for (const { hop, settlement } of settled) {
    const { model } = hop.payer;
    const { counts, amountNano, listAmountNano } = settlement;
    const sum = sums.get(model) ?? empty(model);
    sum.attempts += 1;
    sum.input += counts.input;
    sum.output += counts.output;
    sum.cacheWrite5m += counts.cacheWrite5m;
    sum.cacheWrite1h += counts.cacheWrite1h;
    sum.cacheRead += counts.cacheRead;
    sum.amountNano += amountNano;
    sum.listAmountNano += listAmountNano;
    sums.set(model, sum);
  }
  return [...sums.values()];
}

const empty = (model: string): ModelSum => ({
  model,
  attempts: 0,
  input: 0,
  output: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  cacheRead: 0,
  amountNano: 0,
  listAmountNano: 0,
});
