// Seeded simulations of sessions under kills, lost connections and sleep. PLINTH_SIMULATION_SEEDS says how many.
import { simulateSessions } from "./sessions.ts";
import { trySeeds } from "./seeds.ts";

trySeeds(
  [
    "kills",
    "turns",
    "calls",
    "interrupted",
    "retried",
    "takenOver",
    "given",
    "graded",
    "stopped",
    "ran",
  ],
  {
    first: 1_400,
    count: 2,
    title:
      "[SES38] seed %: no event is lost or written twice, every turn ends, every call has one result",
    run: (seed) => simulateSessions(seed, { steps: 1_500, sessions: 6, messages: 40 }),
    met: {
      title:
        "[SES38] the seeds killed processes in the middle of turns, retries, calls, interrupts, outcomes, budgets, sandboxes and work for others",
      isEnough: ({
        kills,
        turns,
        calls,
        interrupted,
        retried,
        takenOver,
        given,
        graded,
        stopped,
        ran,
      }) =>
        kills > 10 &&
        turns > 40 &&
        calls > 10 &&
        interrupted > 2 &&
        retried > 0 &&
        takenOver > 0 &&
        given > 3 &&
        graded > 0 &&
        stopped > 0 &&
        ran > 20,
    },
  },
);
