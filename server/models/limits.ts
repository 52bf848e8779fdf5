// Limits of models and upstreams.

export const limits = {
  /** Set in the console: models, and upstreams. */
  storedMax: 1_000,
  entryBytesMax: 256 * 1024,
  changesPollMs: 2_000,
  pageItemsMax: 1_000,
} as const;
