// Limits of traces.

export const limits = {
  /** Spans that wait to be sent; what comes beyond is dropped and counted. */
  spansWaitingMax: 8_192,
  spansPerExportMax: 512,
  exportEveryMs: 5_000,
  /** Time for one export. */
  exportMs: 5_000,
} as const;
