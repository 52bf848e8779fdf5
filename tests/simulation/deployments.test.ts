// Seeded simulations of deployments under kills, cuts and clocks that jump. PLINTH_SIMULATION_SEEDS says how many.
import { simulateDeployments } from "./deployments.ts";
import { trySeeds } from "./seeds.ts";

trySeeds(["kills", "torn", "runs", "missed"], {
  first: 700,
  count: 3,
  title: "[DRN6] [DRN7] seed %: each occurrence has one run with one session, or was missed",
  run: (seed) => simulateDeployments(seed, 4_000),
  met: {
    title:
      "[DRN6] the seeds killed processes in the midst of firings, and let occurrences be missed",
    isEnough: ({ kills, torn, runs, missed }) =>
      kills > 100 && torn > 60 && runs > 40 && missed > 5,
  },
});
