// The limits of the event log.

export const logLimits = {
  /** One event's data as JSON in UTF-8. What may be larger lives in a blob; the event names it. */
  eventBytesMax: 1024 * 1024,
  eventsPerAppendMax: 1_000,
  /** Events per read, of `read` and of a subscriber that catches up. */
  eventsPerReadMax: 1_000,
  subscriberReadEvents: 200,
  /** Each process asks this often for the heads of all streams it watches. */
  pollMs: 1_000,
  /** Subscribers of one process that read at the same time: they must not take the pool from requests. */
  concurrentReadsMax: 4,
} as const;
