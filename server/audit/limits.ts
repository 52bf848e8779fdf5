// Limits of the audit log.

export const limits = {
  filterCharactersMax: 200,
  searchWordsMax: 20,
  /** Of one statement of an export. */
  exportedAtOnce: 1_000,
  wordCharactersMax: 60,
  wordsPerEventMax: 200,
  /** Of one statement that puts rows from before into the chain: its head is locked meanwhile. */
  sealedAtOnce: 500,
  /** Of one statement that reads a chain. */
  verifiedAtOnce: 5_000,
  /** What was appended is looked at, and its head signed, so often. */
  anchorEveryMs: 60_000,
  anchoredAtOnce: 500,
  /** Uses of credentials, and attempts that were denied, are written so often, where the settings say nothing else. */
  notedEveryMs: 60_000,
  /** Denied attempts of one organization that are told apart in that time, per process; the rest are one event. */
  deniedPerOrganizationMax: 50,
  /** Of all organizations. */
  deniedMax: 5_000,
  usesKeptMs: 7 * 24 * 60 * 60 * 1000,
  /** Of all chains together, each night: ten million events take some minutes. */
  verifyMsMax: 4 * 60 * 60 * 1000,
} as const;
