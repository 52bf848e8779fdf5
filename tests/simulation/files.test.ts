// Seeded simulations of files under kills, cuts and clocks that jump. PLINTH_SIMULATION_SEEDS says how many.
import assert from "node:assert/strict";
import { test } from "node:test";
import { simulateFiles } from "./files.ts";

const seeds = Number(process.env["PLINTH_SIMULATION_SEEDS"] ?? 3);
const tried = { kills: 0, uploads: 0, deletes: 0, strays: 0, refused: 0 };

for (let seed = 300; seed < 300 + seeds; seed++) {
  test(`[FIL12] [FIL13] [FIL14] seed ${seed}: files have their bytes, and nothing lies beside them`, async (t) => {
    const found = await simulateFiles(seed, 1_400);
    t.diagnostic(JSON.stringify(found));
    for (const key of Object.keys(tried) as (keyof typeof tried)[]) tried[key] += found[key];
  });
}

// Of all seeds together: one alone may have been spared.
test("[FIL14] the seeds killed processes, filled the quota, deleted, and left blobs to the sweep", () => {
  const { kills, uploads, deletes, strays, refused } = tried;
  const enough = kills > 10 && uploads > 30 && deletes > 10 && strays > 0 && refused > 0;
  assert.ok(enough, JSON.stringify(tried));
});
