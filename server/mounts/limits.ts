// Numbers of what is mounted in sandboxes.

export const limits = {
  /** What one call that looks, reads or writes beside the agent may take. */
  execMs: 60_000,
  /** How often stores are brought together with their files while a call runs. */
  besideMs: 10_000,
  /** What is done in the sandbox beside a call may take this. */
  besideExecMs: 15_000,
  /** What a list of files may have: some 50,000 of them. */
  listBytesMax: 4 * 1024 * 1024,
  /** What is read of files, or written into them, by one call. */
  pieceBytes: 4 * 1024 * 1024,
  /** A file that changed so short before a look may change again within the same tick of the kernel's clock. */
  settledMs: 1_000,
  /** How often what both sides change is brought together in one go; the rest waits for the next call. */
  roundsMax: 4,
  /** Of one call: what is beyond is told in a number. */
  notesMax: 10,
  noteCharactersMax: 2_000,
} as const;
