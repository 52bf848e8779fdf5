// The limits of the event log.

export const logLimits = {
  /** One event's data as JSON in UTF-8. What may be larger lives in a blob; the event names it. */
  eventBytesMax: 1024 * 1024,
  eventsPerAppendMax: 10_000,
  /** Events per read, of `read` and of a subscriber that catches up. */
  eventsPerReadMax: 1_000,
  /** Of `read` with types: each costs a look into the index. */
  typesPerReadMax: 100,
  /** A page that a subscriber or a fold holds: so many events, and the one with which it reaches so many bytes. */
  pageEventsMax: 200,
  pageBytesMax: 1024 * 1024,
  /** The newest events of a stream with several subscribers, kept for those of them that come a little later. */
  keptEventsMax: 200,
  keptBytesMax: 1024 * 1024,
  /** Of all streams of a process together. */
  keptBytesOfAllMax: 32 * 1024 * 1024,
  /** The state of one fold as JSON in UTF-8. */
  snapshotBytesMax: 4 * 1024 * 1024,
  /** Of each kind of a stream: the newest. */
  snapshotsKeptMax: 8,
  /** A fold that has gone through so many events since the last snapshot saves one. */
  snapshotEveryEvents: 1_000,
  /** Each process asks this often for the heads of all streams it watches. */
  pollMs: 1_000,
  /** Subscribers of one process that read at the same time: they must not take the pool from requests. */
  concurrentReadsMax: 4,
} as const;
