// Limits of files.

export const limits = {
  fileBytesMax: 500 * 1024 * 1024,
  /** What a form has beside its file: boundaries, part headers, one field. */
  formBytesMax: 500 * 1024 * 1024 + 64 * 1024,
  formOverheadBytes: 64 * 1024,
  fieldBytesMax: 64,
  expirySecondsMin: 3_600,
  expirySecondsMax: 7_776_000,
  /** A list page, as the official client has it. */
  pageItemsMax: 1_000,
  idsMax: 100,
  /** The first bytes, which say what a file is: an office document names itself within the first entries of a zip. */
  headBytes: 16 * 1024,
  mimeTypeCharactersMax: 127,
  /** Of an organization, where the settings say nothing. */
  organizationBytesMax: 100 * 1024 ** 3,
  organizationFilesMax: 1_000_000,
  /** What is known of an expired file stays for so long after its bytes have gone. */
  expiredRetentionMs: 30 * 24 * 60 * 60 * 1000,
  /** A file that is being taken in belongs to no row yet: for so long, blobs without one are left alone. */
  strayMs: 60 * 60 * 1000,
  /** What one pass of the sweep takes. */
  sweptFilesMax: 500,
  sweptBlobsMax: 1_000,
  /** No upload can end while so many blobs are removed: 50 ms on a slow disk. */
  removedBlobsMax: 20,
  sweepEveryMs: 15 * 60 * 1000,
} as const;
