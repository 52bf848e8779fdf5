// Limits of memory stores.

export const limits = {
  storeNameCharactersMax: 255,
  storeDescriptionCharactersMax: 1_024,
  memoriesPerStore: 2_000,
  contentBytesMax: 102_400,
  pathBytesMax: 1_024,
  pathSegmentsMax: 20,
  /** A list page; with texts in it, the shorter one. */
  pageItemsMax: 100,
  fullPageItemsMax: 20,
  reasonCharactersMax: 500,
  searchCharactersMax: 200,
  /** A version stays at least so long. */
  retentionMs: 30 * 24 * 60 * 60 * 1000,
  /** Of a live memory, so many of the newest stay for ever. */
  versionsAlwaysKept: 10,
  /** Quotas of a workspace, where the settings name no others. */
  workspaceStoresMax: 100_000,
  workspaceBytesMax: 10 * 1024 * 1024 * 1024,
  /** What one transaction writes: so many, or one that is larger. */
  groupWritesMax: 64,
  groupBytesMax: 1024 * 1024,
  /** Memories whose words are found in one transaction: up to 5 MB of text. */
  wordsFoundAtOnce: 50,
  /** What one statement reads, and how many such a process has under way. */
  readsGatheredMax: 50,
  readsAtOnceMax: 4,
  /** To free what redaction has scrubbed, however large the tables are. */
  vacuumMsMax: 60 * 60 * 1000,
  vacuumAgainMs: 2_000,
  /** What one statement of the clean-up takes. */
  sweptRowsMax: 1_000,
} as const;
