// Limits of kept bodies.

const dayMs = 24 * 60 * 60 * 1000;
const mebibyte = 1024 * 1024;

export const limits = {
  dayMs,
  bytesDefault: 64 * 1024,
  bytesMin: 1024,
  bytesMax: mebibyte,
  keptDaysDefault: 7,
  keptDaysMax: 30,
  rulesMax: 20,
  wordCharactersMin: 3,
  wordCharactersMax: 200,
  fieldCharactersMax: 200,
  /** A longer request or answer is not read again, which would hold up others: only its length is kept. */
  readBytesMax: 8 * mebibyte,
  /** What waits to be written in this process; beyond it a body is dropped, and its row says so. */
  waitingBytesMax: 32 * mebibyte,
  /** Rows that wait, those without a body among them. */
  waitingRowsMax: 10_000,
  /** How long a row waits for others. */
  writeWithinMs: 250,
  rowsAtOnce: 50,
  bytesAtOnce: 4 * mebibyte,
  /** How often a row is made again because its workspace changed its rules meanwhile. */
  triesMax: 5,
  /** How long a process may not have heard of a change; what it writes heeds each one at once. */
  lookEveryMs: 10_000,
  daysAhead: 2,
  sweepEveryMs: 15 * 60 * 1000,
  deletedAtOnce: 500,
  /** Of one deletion by hand; the job deletes what is left. */
  deletingRoundsMax: 40,
} as const;
