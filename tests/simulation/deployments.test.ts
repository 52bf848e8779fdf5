// Seeded simulations of deployments under kills, cuts and clocks that jump. PLINTH_SIMULATION_SEEDS says how many.
import { simulateDeployments } from "./deployments.ts";
import { isLong, trySeeds } from "./seeds.ts";

const killsMin = isLong ? 500 : 100;

trySeeds(["kills", "torn", "runs", "missed"], {
  first: 700,
  count: isLong ? 6 : 3,
  title: "[DRN6] [DRN7] seed %: each occurrence has one run with one session, or was missed",
  run: (seed) => simulateDeployments(seed, 4_000),
  met: {
    title:
      "[DRN6] the seeds killed processes in the midst of firings, and let occurrences be missed",
    isEnough: ({ kills, torn, runs, missed }) =>
      kills > killsMin && torn > 60 && runs > 40 && missed > 5,
  },
});
