// Limits of the audit log.

export const limits = {
  filterCharactersMax: 200,
  searchWordsMax: 20,
  /** Rows of one statement of an export. */
  exportedAtOnce: 1_000,
  wordCharactersMax: 60,
  wordsPerEventMax: 200,
  /** Rows of one statement that adds old rows to the chain: its head is locked meanwhile. */
  sealedAtOnce: 500,
  /** Rows of one statement that reads a chain. */
  verifiedAtOnce: 5_000,
  /** How often appended events are verified and the head signed. */
  anchorEveryMs: 60_000,
  anchoredAtOnce: 500,
  /** How often uses of credentials and denied attempts are written, unless the settings file says otherwise. */
  notedEveryMs: 60_000,
  /** Denied attempts of one organization that are counted apart in that time, per process; the rest are one event. */
  deniedPerOrganizationMax: 50,
  /** The same of all organizations. */
  deniedMax: 5_000,
  usesKeptMs: 7 * 24 * 60 * 60 * 1000,
  /** Of all chains together, each night: ten million events take some minutes. */
  verifyMsMax: 4 * 60 * 60 * 1000,
} as const;
