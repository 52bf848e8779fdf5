// What a bridge bounds where no flag says otherwise.
export const limits = {
  sessionsMax: 16,
  sessionsMaxMost: 1_000,
  /** Of a server, by its settings. */
  bridgesMax: 100,
  headersMax: 20,
  wordsMax: 100,
  variablesMax: 100,
  foldersMax: 32,
  hostsMax: 100,
  workspacesMax: 1_000,
  /** How long a caller waits for a session while all are in use. */
  waitMs: 30_000,
  idleMs: 300_000,
  startMs: 30_000,
  callMs: 300_000,
  heldMs: 300_000,
  /** How long a question waits for others that are asked with it. */
  gatherMs: 10,
  heldSecondsMax: 86_400,
  /** How long a server may take to care that its session ends, and a command to end by itself. */
  farewellMs: 2_000,
  /** How long a command in a sandbox may leave a message untaken. */
  takeMs: 60_000,
  discoverTtlMs: 60_000,
  bodyBytesMax: 4 * 1024 * 1024,
  answerBytesMax: 64 * 1024 * 1024,
} as const;
