// Numbers of repositories.

export const limits = {
  /** To unpack it in the sandbox of its session. */
  unpackMs: 120_000,
  /** One call carries so much of it. */
  pieceBytes: 4 * 1024 * 1024,
  /** What is kept of what git says. */
  saidBytesMax: 64 * 1024,
  saidCharactersMax: 500,
  /** What failed is tried again with the first call after so long. */
  againMs: 30_000,
} as const;
