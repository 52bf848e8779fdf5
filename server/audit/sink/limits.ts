// Limits of the export of the audit log.

const secondMs = 1_000;

export const exportLimits = {
  /** Of one file append, or one post: whichever is reached first. One event is never divided. */
  linesMax: 500,
  bytesMax: 512 * 1024,
  /** Organizations that one statement finds. */
  organizationsAtOnce: 200,
  /** So often it is looked whether there is more. */
  pollMs: secondMs,
  /** One post, from the first look at the name to the status of the answer, unless the settings say otherwise. */
  postMs: 30 * secondMs,
  /** After a failure; each further one doubles it, up to the longest. */
  backoffMs: secondMs,
  backoffMsMax: 60 * secondMs,
  /** So often each process looks how much waits, for its metrics and /readyz. */
  measureEveryMs: 5 * secondMs,
  /** An event that waits for longer is told of: the export is behind. */
  lateMs: 5 * 60 * secondMs,
} as const;
