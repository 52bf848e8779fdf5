// Seeded simulations of batches under kills and lost connections. PLINTH_SIMULATION_SEEDS says how many.
import { simulateBatches } from "./batches.ts";
import { trySeeds } from "./seeds.ts";

trySeeds(["kills", "succeeded", "errored", "canceled", "segments", "batches"], {
  first: 900,
  count: 2,
  title: "[SIM4] seed %: one result and one price for each request, and no line beside them",
  run: (seed) => simulateBatches(seed, { steps: 1_500, batches: 8 }),
  met: {
    title: "[SIM4] the seeds killed processes, wrote results of each kind, and began files anew",
    isEnough: ({ kills, succeeded, errored, canceled, segments, batches }) =>
      kills > 3 && succeeded > 50 && errored > 5 && canceled > 0 && segments > batches,
  },
});
