// Seeded simulations of the ledger and the limits. PLINTH_SIMULATION_SEEDS says how many.
import assert from "node:assert/strict";
import { test } from "node:test";
import { simulateMoney } from "./money.ts";

const seeds = Number(process.env["PLINTH_SIMULATION_SEEDS"] ?? 2);
const tried = { kills: 0, served: 0, reached: 0 };

for (let seed = 500; seed < 500 + seeds; seed++) {
  test(`[SIM3] seed ${seed}: no limit is passed, nothing paid is lost, the quota of the dead returns`, async () => {
    const { kills, served, reached } = await simulateMoney(seed, 1_000);
    tried.kills += kills;
    tried.served += served;
    tried.reached += reached;
  });
}

// Of all seeds together: one alone may have been killed before it came to a limit.
test("[SIM3] the seeds killed processes, served requests and reached limits", () => {
  const { kills, served, reached } = tried;
  assert.ok(kills > 0 && served > 10 && reached > 0, JSON.stringify(tried));
});
