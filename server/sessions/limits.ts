// The numbers of sessions.

export const limits = {
  /** Calls of the model in one turn. */
  roundsMax: 100,
  /** Summaries of the conversation in one turn. */
  compactionsMax: 5,
  /** A conversation is summed up when it fills so much of its model's window. */
  compactAtShare: 0.8,
  /** Failures of the model in a row, within so long, before a turn is given up. */
  failuresMax: 8,
  failuresMs: 120_000,
  /** Sessions that one process works on at a time. */
  heldMax: 64,
} as const;
