// Limits of service accounts, issuers, rules and exchanges.

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

export const limits = {
  slugCharactersMax: 64,
  descriptionCharactersMax: 1_000,
  /** Unarchived ones in one organization. */
  accountsPerOrganizationMax: 1_000,
  issuersPerOrganizationMax: 100,
  rulesPerOrganizationMax: 1_000,
  workspacesPerRuleMax: 1_000,
  urlCharactersMax: 1_000,
  caCertificateCharactersMax: 32 * 1024,
  /** Rule FED2. */
  discoveryBytesMax: 64 * 1024,
  keySetBytesMax: 256 * 1024,
  keysMax: 100,
  fetchMs: 5 * secondMs,
  rsaBitsMin: 2_048,
  /** Rule FED4. */
  pollEveryMs: 15 * minuteMs,
  pollLookMs: minuteMs,
  pollsAtOnce: 20,
  failurePauseMs: minuteMs,
  failurePauseMsMax: 6 * 60 * minuteMs,
  failuresMax: 12,
  /** Rule FED5. */
  refetchPauseMs: 30 * secondMs,
  keysTrustMs: 24 * 60 * minuteMs,
  /** Rule FED9. */
  conditionCharactersMax: 2_000,
  conditionMs: 200,
  conditionNodesMax: 400,
  conditionProbes: 1_000,
  conditionProbesMs: 2 * secondMs,
  claimsMax: 50,
  claimCharactersMax: 1_000,
  /** An assertion, as the official client has it too. */
  assertionCharactersMax: 16 * 1024,
  kidCharactersMax: 500,
  jtiCharactersMax: 1_000,
  /** How many keys are tried for a token without a kid. */
  candidateKeysMax: 10,
  clockLeewaySeconds: 60,
  jwtLifetimeSecondsMax: 176_400,
  jwtLifetimeSeconds: 3_600,
  tokenLifetimeSecondsMin: 60,
  tokenLifetimeSecondsMax: 86_400,
  tokenLifetimeSeconds: 3_600,
  sweepRowsMax: 5_000,
  refusalsShown: 20,
} as const;
