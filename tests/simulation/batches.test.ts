// Seeded simulations of batches under kills and lost connections. PLINTH_SIMULATION_SEEDS says how many.
import assert from "node:assert/strict";
import { test } from "node:test";
import { simulateBatches } from "./batches.ts";

const seeds = Number(process.env["PLINTH_SIMULATION_SEEDS"] ?? 2);
const tried = { kills: 0, succeeded: 0, errored: 0, canceled: 0, segments: 0, batches: 0 };

for (let seed = 900; seed < 900 + seeds; seed++) {
  test(`[SIM4] seed ${seed}: one result and one price for each request, and no line beside them`, async (t) => {
    const found = await simulateBatches(seed, { steps: 1_500, batches: 8 });
    t.diagnostic(JSON.stringify(found));
    for (const key of Object.keys(tried) as (keyof typeof tried)[]) tried[key] += found[key];
  });
}

// Of all seeds together: one alone may have been spared.
test("[SIM4] the seeds killed processes, wrote results of each kind, and began files anew", () => {
  const { kills, succeeded, errored, canceled, segments, batches } = tried;
  const enough = kills > 3 && succeeded > 50 && errored > 5 && canceled > 0 && segments > batches;
  assert.ok(enough, JSON.stringify(tried));
});
