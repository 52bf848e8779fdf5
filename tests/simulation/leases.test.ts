// Seeded simulations of the one loop that holds leases: writes longer than a lease, processes that are held up.
// PLINTH_SIMULATION_SEEDS says how many; `node tests/simulation/run.ts --leases --seed N --trace` replays one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { simulateLeases } from "./leases.ts";

const seeds = Number(process.env["PLINTH_SIMULATION_SEEDS"] ?? 2);
const steps = 700;

test("the same seed gives the same trace", async () => {
  const options = { steps: 200, faultChance: 0.02, isStarved: true };
  const [one, other] = [await simulateLeases(1, options), await simulateLeases(1, options)];
  assert.deepEqual(one, other);
});

for (let seed = 300; seed < 300 + seeds; seed++) {
  test(`[WRK2] seed ${seed}: without faults no lease is lost, however long a write takes`, async () => {
    const options = { steps, faultChance: 0, isStarved: false };
    const { claims, lost, longWrites } = await simulateLeases(seed, options);
    assert.ok(claims > 20 && longWrites > 0, "the seed tried too little");
    assert.equal(lost, 0);
  });

  test(`[WRK1] [WRK6] seed ${seed}: processes that are held up, cut off and killed never hold a row at once`, async () => {
    const options = { steps, faultChance: 0.01, isStarved: true };
    const { claims, lost, kills } = await simulateLeases(seed, options);
    assert.ok(claims > 20 && lost > 0 && kills > 3, "the seed tried too little");
  });
}
