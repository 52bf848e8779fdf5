// Limits of keys.

export const limits = {
  nameCharactersMax: 200,
  /** Keys that are active, in one organization and in one workspace. */
  keysPerOrganizationMax: 10_000,
  keysPerWorkspaceMax: 5_000,
  unusedDaysMax: 3_650,
  lastUsedFlushMs: 10_000,
  revocationPollMs: 500,
  /** A remembered verdict is trusted only this long after the last good poll; then the database is asked. */
  verdictTrustMs: 900,
  verdictsMax: 50_000,
} as const;
