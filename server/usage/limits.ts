// The numbers of the ledger, of its journal and of the sums.

export const limits = {
  /** Rows of one group: an unnest of more gains nothing. */
  groupRowsMax: 512,
  /** How long an open waits for a database that is away. */
  openWaitMsMax: 2_000,
  /** Settlements are posted together, this long after the first of them was acknowledged. */
  postAfterMs: 250,
  /** Hops that are posted in one transaction. */
  postHopsMax: 2_000,
  /** Rows of the journal that a reader looks at together. */
  postRowsMax: 200,
  /** A process that freezes while it posts loses its transaction after this. */
  postFrozenMs: 3_000,
  /** So many rows that are not to blame: posting itself is broken. */
  postFailuresMax: 8,
  /** Rows that were set aside and are tried again at a start. */
  retriedRowsMax: 100,
  /** The pause before a group is tried again. */
  retryPauseMs: 100,
  /** Dead nodes are looked for this often. */
  recoveryPollMs: 2_000,
  /** A node stops to trust its lease this much before the database does. */
  leaseMarginMs: 2_000,
  /** Sums for reports end this long before now, at a whole hour. */
  sumsBehindMs: 7_200_000,
  sumsEveryMs: 120_000,
  /** After this no statement runs that began before a promise: the pool cancels them earlier. */
  promiseHeardMs: 120_000,
  /** What came late joins the sums after this: longer than a report's cursor lives. */
  lateApartMs: 7_200_000,
  lateRowsMax: 10_000,
} as const;
