// Limits of the request log.

const dayMs = 24 * 60 * 60 * 1000;

export const limits = {
  dayMs,
  /** How long a row waits for others. */
  writeWithinMs: 250,
  /** Rows of one statement. */
  rowsAtOnce: 1_000,
  /** What waits while the database is away; what comes then is counted and not written. */
  waitingRowsMax: 20_000,
  errorCharactersMax: 500,
  pathCharactersMax: 300,
  attemptsMax: 64,
  keptDaysDefault: 30,
  keptDaysMax: 3_650,
  /** Days that are made before they begin. */
  daysAhead: 2,
  keepDaysEveryMs: 15 * 60 * 1000,
  /** Rows of a day may still be on their way just after midnight. */
  indexedAfterMs: 15 * 60 * 1000,
  /** How long after midnight a day may still be without its indexes. */
  openForMs: 2 * 60 * 60 * 1000,
  /** Rows that a page looks at in the order of time, where no index knows what it is asked for. */
  examinedRowsMax: 3_000,
  /** The same of rows that an index has chosen, and which lie apart. */
  examinedApartMax: 500,
  exportedAtOnce: 1_000,
  filterCharactersMax: 200,
  slowMs: 10_000,
  expensiveNano: 100_000_000,
} as const;
