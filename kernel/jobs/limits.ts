// The limits of the job queue.

export const jobLimits = {
  payloadBytesMax: 64 * 1024,
  jobsPerEnqueueMax: 1_000,
  attemptsMaxDefault: 8,
  /** Jobs of one kind that one process runs at a time, where the kind names no number. */
  concurrencyDefault: 4,
  /**
   * Of the slots that are free one lane takes this part at most: of 64, eight lanes that stand still, with 8 at most
   * each, leave 12 where they came one after the other, and 20 where they came together.
   */
  laneShareOfFree: 0.25,
  /** A job that runs longer is told to stop and counts as failed, where the kind names no number. */
  timeoutMsDefault: 15 * 60_000,
  /** The pause after the first failure; each further one doubles it, up to the longest. */
  backoffMs: 1_000,
  backoffMsMax: 10 * 60_000,
  pollMs: 1_000,
  /** Rows that one poll moves to ready; the next poll takes the rest. */
  jobsPerPromotionMax: 1_000,
  lastErrorCharsMax: 500,
  deadRetentionDays: 30,
  deadPurgeIntervalMs: 60 * 60_000,
  deadJobsPageMax: 100,
  /** An occurrence that is found later than this was missed. */
  missedAfterMs: 60_000,
} as const;
