// Limits of passkeys.

export const limits = {
  passkeysPerPerson: 20,
  passkeyNameCharactersMax: 100,
  /** How long the browser may take, from the challenge to the answer. */
  passkeyChallengeMs: 5 * 60 * 1000,
} as const;
