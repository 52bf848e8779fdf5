// Seeded simulations of memory stores under kills, lost connections and sleep. PLINTH_SIMULATION_SEEDS says how many.
import assert from "node:assert/strict";
import { test } from "node:test";
import { simulateMemory } from "./memory.ts";

const seeds = Number(process.env["PLINTH_SIMULATION_SEEDS"] ?? 2);
const steps = 1_000;
const sums = new Map<string, number>();

for (let seed = 1_300; seed < 1_300 + seeds; seed++) {
  test(`[SIM5] seed ${seed}: what was acknowledged is there, what was refused is not, all counts are sums`, async (t) => {
    const { trace, ...found } = await simulateMemory(seed, steps);
    t.diagnostic(JSON.stringify({ trace, ...found }));
    for (const [key, count] of Object.entries(found)) sums.set(key, (sums.get(key) ?? 0) + count);
  });
}

// Of all seeds together: one alone may have been spared.
test("[SIM5] the seeds killed processes and tried all that may happen to a memory", () => {
  const of = (...keys: string[]) => keys.reduce((sum, key) => sum + (sums.get(key) ?? 0), 0);
  const tried = JSON.stringify([...sums]);
  for (const key of ["kills", "preconditions"]) assert.ok(of(key) > 2, `${key}: ${tried}`);
  for (const key of ["done", "refused", "unknown"]) assert.ok(of(key) > 50, `${key}: ${tried}`);
  assert.ok(of("redacted") > 0 && of("secretlySaved", "swept", "storesGone") > 0, tried);
});
