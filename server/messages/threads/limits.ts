// The numbers of kept conversations.

export const threadLimits = {
  /** After the last turn, unless the settings say otherwise: long enough for a person who comes back tomorrow. */
  keptHours: 24,
  keptHoursMax: 30 * 24,
  /** The mark of a turn under way ends with its process; one that could not be taken back ends after this. */
  claimMsMax: 60 * 60 * 1000,
  sweepEveryMs: 10 * 60 * 1000,
  /** Threads of one statement: each may have thousands of turns, which go with it. */
  sweepRows: 100,
} as const;
