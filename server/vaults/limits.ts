// Limits of vaults and of their credentials.

export const limits = {
  displayNameCharactersMax: 255,
  /** Archived ones count, too. */
  vaultsPerWorkspace: 10_000,
  /** Of one vault, without those that are archived. */
  credentialsPerVault: 50,
  /** With those that are archived. */
  credentialRecordsPerVault: 1_000,
  vaultsPerSession: 50,
  urlCharactersMax: 2_048,
  /** One of a credential's secrets: a token, a client's secret, the value of a variable. */
  secretCharactersMax: 16_384,
  /** Of all variables of a session: replies are searched for each of them. */
  variableBytesPerSession: 256 * 1024,
  secretNameCharactersMax: 128,
  clientIdCharactersMax: 1_024,
  scopeCharactersMax: 2_048,
  allowedHostsMax: 16,

  /** A token with less time than this left is renewed before it is used. */
  refreshBeforeMs: 60_000,
  refreshTimeoutMs: 15_000,
  /** Longer than one attempt takes: a process that died in the midst of one is replaced after this. */
  refreshLeaseMs: 30_000,
  /** How often a process looks whether another one has renewed the token. */
  refreshLookMs: 100,
  tokenAnswerBytesMax: 256 * 1024,
  probeTimeoutMs: 15_000,
  /** Of the answer of another server, as a validation shows it. */
  shownBodyCharactersMax: 4_096,
} as const;
