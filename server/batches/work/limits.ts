// Limits of working batches off, each for one process.

export const workLimits = {
  /** A chunk of a process that died is taken by another after this. */
  leaseMs: 6_000,
  heartbeatMs: 2_000,
  /** Something to do is found without a hint after this. */
  pollMs: 1_000,
  /** Chunks at a time; each open batch has one at least, as far as they go. */
  chunksMax: 1_024,
  /** Of those that are more than the first of a batch: in all, and of one batch. */
  moreChunksMax: 64,
  chunksPerBatchMax: 16,
  /** Fewer requests than this that have not begun: another chunk is taken. */
  readyRequestsMin: 200,
  /** So many at a time of a batch that is worked on already. */
  chunksPerClaim: 4,
  /** Params in memory; beside it a batch may have one chunk, and one chunk may be larger where there is no other. */
  loadedBytesMax: 24 * 1024 * 1024,
  /** How long a batch rests whose upstreams are busy while params of others wait for memory. */
  restMs: 1_000,
  /** Requests of one batch that stand ready for upstreams that are busy, so that others are not held up by them. */
  preparedMax: 16,
  /** Of one upstream: at first, and at most. */
  widthAtFirst: 8,
  widthMax: 64,
  /** Of that, while messages are under way at the same upstream from the same process. */
  shareBesidePeople: 0.25,
  /** When it is looked again whether they are. */
  stepBackMs: 50,
  /** While even one at a time is too much for it; doubles. */
  pauseMs: 250,
  pauseMsMax: 60_000,
  retryAfterMsMax: 3_600_000,
  /** A pause that is longer stands in the log. */
  pauseLoggedMs: 10_000,
  attemptsMax: 6,
  /** Before the second attempt; doubles. */
  retryMs: 500,
  /** Before what failed without an upstream is tried again: a database that is away. */
  awayMs: 500,
  /** Before what could not be read or written is tried again: it doubles up to this, for a disk that stays so. */
  awayMsMax: 15_000,
  /** Results that are written together, and how long they wait for each other while more are under way. */
  groupResultsMax: 512,
  groupBytesMax: 8 * 1024 * 1024,
  groupMs: 25,
  /** Results that were not written yet: nothing more begins. */
  unwrittenMax: 1_024,
  unwrittenBytesMax: 32 * 1024 * 1024,
  writersMax: 4,
  /** How long requests under way may still run when the process ends. */
  drainMs: 2_000,
} as const;

/** Before what could not be read or written is tried again, by how often it had failed before. */
export const pauseAfterFailures = (before: number): number =>
  Math.min(workLimits.awayMs * 2 ** before, workLimits.awayMsMax);
