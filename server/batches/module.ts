// The face of batches.
export { kinds, schedules } from "./jobs.ts";
export { countLostResults } from "./results/lost.ts";
export { routes } from "./routes.ts";
export { batchesSection } from "./settings.ts";
export { runnerPart, startRunner } from "./work/runner.ts";
export { searchables } from "./found/queries.ts";
