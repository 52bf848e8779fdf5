// Numbers of packages of environments.

export const packageLimits = {
  leaseMs: 10_000,
  heartbeatMs: 3_000,
  /** Between two looks of who waits for a layer. */
  askMs: 200,
  /** What the build says is written this often at most. */
  toldMs: 1_000,
  lineCharactersMax: 200,
  /** What a package manager said last, where it failed. */
  wordsCharactersMax: 2_000,
  /** How often a process says which layers its sandboxes show, and how long after it a layer counts as unused. */
  usedMs: 5_000,
  unusedMs: 60_000,
  /** Between two looks for layers that are to go, and so many at a time. */
  sweepMs: 30_000,
  sweptAtOnce: 16,
  /** After the packages are in: rights and caches. */
  finishMs: 120_000,
  dpkgStatusBytesMax: 8 * 1024 * 1024,
};
