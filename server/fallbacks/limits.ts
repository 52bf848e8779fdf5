// The numbers of fallbacks and credit.

export const limits = {
  fallbacksMin: 1,
  fallbacksMax: 3,
  /** How long a conversation stays on the model that served it. */
  stickyMs: 60 * 60 * 1000,
  /** The latest user turns are looked up; older ones are beyond an hour anyway. */
  stickyTurnsMax: 1_000,
  /** Different answers to the same question that are remembered. */
  skeletonsMax: 8,
  /** Rows that one statement of the sweep deletes. */
  sweepRowsMax: 10_000,
  creditMs: 5 * 60 * 1000,
  /** How far the clocks of two nodes may be apart. */
  creditSkewMs: 30_000,
  /** A token of ours has about 1,000 characters. */
  creditTokenCharactersMax: 4_096,
  /** The wire has four breakpoints. */
  creditBreakpointsMax: 8,
} as const;
