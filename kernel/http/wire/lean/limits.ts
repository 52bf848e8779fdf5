// Limits of the lean way. What is past one of the first two goes to node:http, which has its own.

export const leanLimits = {
  headBytesMax: 16 * 1024,
  headersMax: 100,
  /** What arrives behind a request before its answer is out; then nothing more is read until it is. */
  keptBytes: 64 * 1024,
  /** Longer than what `keep-alive` promises, as node:http does it. */
  keepAliveGraceMs: 1_000,
} as const;
