// The numbers of the prompt cache.

export const cacheLimits = {
  /** Ends of blocks where an earlier request may have cut, looked at for each breakpoint, itself included. */
  lookbackBlocks: 20,
  /** A read moves the end of an entry only when that gains so much: busy prompts would wait on one row. */
  refreshStepMs: 10_000,
} as const;
