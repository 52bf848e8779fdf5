// Limits of what is counted by the minute.

export const limits = {
  writeEveryMs: 2_000,
  minutesKeptMs: 24 * 60 * 60 * 1000,
  sweepRowsMax: 100_000,
} as const;
