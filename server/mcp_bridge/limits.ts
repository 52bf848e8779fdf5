// What a bridge bounds where no flag says otherwise.
export const limits = {
  sessionsMax: 16,
  idleMs: 300_000,
  callMs: 300_000,
  startMs: 30_000,
  discoverTtlMs: 60_000,
  bodyBytesMax: 4 * 1024 * 1024,
} as const;
