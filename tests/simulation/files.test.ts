// Seeded simulations of files under kills, cuts and clocks that jump. PLINTH_SIMULATION_SEEDS says how many.
import { simulateFiles } from "./files.ts";
import { trySeeds } from "./seeds.ts";

trySeeds(["kills", "uploads", "deletes", "strays", "refused"], {
  first: 300,
  count: 3,
  title: "[FIL12] [FIL13] [FIL14] seed %: files have their bytes, and nothing lies beside them",
  run: (seed) => simulateFiles(seed, 1_400),
  met: {
    title:
      "[FIL14] the seeds killed processes, filled the quota, deleted, and left blobs to the sweep",
    isEnough: ({ kills, uploads, deletes, strays, refused }) =>
      kills > 10 && uploads > 30 && deletes > 10 && strays > 0 && refused > 0,
  },
});
