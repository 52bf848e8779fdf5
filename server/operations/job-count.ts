// How many jobs wait, run and are dead: on the metrics page.
import type { World } from "../../kernel/context.ts";
import { stats } from "../../kernel/jobs/jobs.ts";
import { every } from "../../kernel/work/every.ts";
import { part } from "../../kernel/work/parts.ts";
import { limits } from "./limits.ts";

/** A query at each scrape would let any caller load the database. */
export const jobCountPart = part("count of jobs", {
  start: (world: World) =>
    every(world, limits.countJobsEveryMs, { name: "counting jobs", act: () => countJobs(world) }),
});

async function countJobs({ db, instruments: { jobsWaiting } }: World): Promise<void> {
  const { ready, waiting, running, dead } = await stats(db);
  for (const [state, value] of Object.entries({ ready, waiting, running, dead }))
    jobsWaiting.with(state).set(value);
}
