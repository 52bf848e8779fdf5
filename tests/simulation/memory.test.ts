// Seeded simulations of memory stores under kills, lost connections and sleep. PLINTH_SIMULATION_SEEDS says how many.
import { simulateMemory } from "./memory.ts";
import { trySeeds } from "./seeds.ts";

const keys = ["kills", "done", "refused", "unknown", "preconditions", "redacted"] as const;
const rare = ["secretlySaved", "swept", "storesGone"] as const;

trySeeds([...keys, ...rare], {
  first: 1_300,
  count: 2,
  title:
    "[SIM5] seed %: what was acknowledged is there, what was refused is not, all counts are sums",
  run: (seed) => simulateMemory(seed, 1_000),
  met: {
    title: "[SIM5] the seeds killed processes and tried all that may happen to a memory",
    isEnough: (sums) =>
      sums.kills > 2 &&
      sums.preconditions > 2 &&
      [sums.done, sums.refused, sums.unknown].every((count) => count > 50) &&
      sums.redacted > 0 &&
      rare.some((key) => sums[key] > 0),
  },
});
