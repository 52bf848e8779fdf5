// Limits of what is exported and imported.

export const transferLimits = {
  /** What one statement of an export reads: so many rows, or so many bytes of text and one more. */
  pageRowsMax: 500,
  pageBytesMax: 1024 * 1024,
  /** How often an export goes on to where the store has got meanwhile, because a text it needs is gone. */
  snapshotsMax: 50,
  /** Of an upload, and of what it unpacks to. */
  importBytesMax: 16 * 1024 * 1024 * 1024,
  importVersionsMax: 1_000_000,
  /** A text of 102,400 bytes in which each is escaped, and the facts around it. */
  recordBytesMax: 1024 * 1024,
  manifestBytesMax: 256 * 1024,
  /** Names that the reply lists. */
  skippedNamesMax: 2_000,
  /** What one transaction of an import writes. */
  chunkRowsMax: 500,
  chunkBytesMax: 1024 * 1024,
  /** An import that has not ended so long after its start has no process any more. */
  lostAfterMs: 6 * 60 * 60 * 1000,
} as const;

export const tarLimits = {
  unpackedBytesMax: transferLimits.importBytesMax,
  restBytesMax: 64 * 1024 * 1024,
  frameBytes: 4 * 1024,
} as const;
