// Numbers of what this server keeps of mounts.

export const limits = {
  /** Kept of a session for the console. */
  keptNotesMax: 200,
  outputBytesMax: 100 * 1024 * 1024,
  /** Of the files that a session's tools write for others. */
  outputsMax: 1_000,
} as const;
