// Seeded simulations of the ledger and the limits. PLINTH_SIMULATION_SEEDS says how many.
import { simulateMoney } from "./money.ts";
import { trySeeds } from "./seeds.ts";

trySeeds(["kills", "served", "reached"], {
  first: 500,
  count: 2,
  title: "[SIM3] seed %: no limit is passed, nothing paid is lost, the quota of the dead returns",
  run: (seed) => simulateMoney(seed, 1_000),
  met: {
    title: "[SIM3] the seeds killed processes, served requests and reached limits",
    isEnough: ({ kills, served, reached }) => kills > 0 && served > 10 && reached > 0,
  },
});
