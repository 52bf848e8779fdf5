// Seeded simulations of jobs, log and schedules under kills, lost connections and jumps of clocks.
// PLINTH_SIMULATION_SEEDS says how many; `node tests/simulation/run.ts --seed N --trace` replays one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { simulate } from "./simulate.ts";

const seeds = Number(process.env["PLINTH_SIMULATION_SEEDS"] ?? 2);
const steps = 1_200;

test("[SIM1] the same seed gives the same trace", async () => {
  const [one, other] = [await simulate(1, 300), await simulate(1, 300)];
  assert.deepEqual(one, other);
  assert.notEqual((await simulate(2, 300)).trace, one.trace);
});

for (let seed = 100; seed < 100 + seeds; seed++) {
  test(`[SIM2] seed ${seed}: nothing is lost, doubled or out of order`, async () => {
    const { kills, paid, attempts, ticks } = await simulate(seed, steps);
    assert.ok(kills > 0 && paid > 0 && ticks > 0 && attempts > paid, "the seed tried too little");
  });
}
