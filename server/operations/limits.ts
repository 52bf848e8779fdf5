// Limits of readiness and of what operators look at.

export const limits = {
  readyWithinMs: 1_000,
  countBacklogEveryMs: 15_000,
  countKeptEveryMs: 60_000,
} as const;
