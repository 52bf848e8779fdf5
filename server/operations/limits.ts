// Limits of readiness, of the count of requests and of what operators look at.

export const limits = {
  readyWithinMs: 1_000,
  addRequestsEveryMs: 2_000,
  countBacklogEveryMs: 15_000,
  countKeptEveryMs: 60_000,
  minutesKeptMs: 24 * 60 * 60 * 1000,
  sweepRowsMax: 100_000,
} as const;
