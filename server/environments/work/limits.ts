// Limits of the work of self-hosted environments.

export const limits = {
  /** How long a poll waits for work, at most. */
  blockMsMax: 999,
  /** Work that was handed out and not acknowledged goes to another worker after this, unless a poll says otherwise. */
  reclaimMs: 5_000,
  reclaimMsMax: 3_600_000,
  /** For the first heartbeat, from the acknowledgement on. */
  startSecondsMax: 60,
  ttlSecondsMin: 5,
  ttlSecondsMax: 60,
  /** What a heartbeat may be late by: a server that was away for a moment takes no work from a worker that lives. */
  lateSeconds: 10,
  /** A worker that has asked to stop and sends no heartbeat has gone. */
  leaveSeconds: 10,
  /** So many pieces of work in a row may end without an answer to the call that waits longest. */
  triesMax: 20,
  sweepMs: 5_000,
  sweptTogetherMax: 100,
  /** Work that is over is shown so long. */
  keptSeconds: 7 * 24 * 3_600,
  workerIdCharactersMax: 200,
  /** A worker counts as polling so long after its last poll. */
  pollingSeconds: 30,
  /** A worker that polls more often than this is noted no more often. */
  notedSeconds: 5,
} as const;
