// The limits of reports.

const dayMs = 86_400_000;

export const limits = {
  /** How far back a report may begin. */
  backMsMax: 365 * dayMs,
  rangeMsMax: 31 * dayMs,
  /** By the minute. */
  minutesRangeMsMax: dayMs,
  /** In the console, which draws a year. */
  consoleRangeMsMax: 366 * dayMs,
  groupByMax: 5,
  filterValuesMax: 1_000,
  rowsDefault: 20,
  rowsMax: 1_000,
  /** What a cursor stands for is kept apart from what comes later for so long. */
  cursorLifeMs: 3_600_000,
  /** Rows of all buckets of a page together: it ends with the bucket before. */
  bucketRowsMax: 50_000,
} as const;
