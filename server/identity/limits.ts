// Limits of people, sign-ins and set-up links.

export const limits = {
  passwordCharactersMin: 12,
  passwordCharactersMax: 256,
  setupLinkMs: 60 * 60 * 1000,
  signInIdleMs: 12 * 60 * 60 * 1000,
  signInTotalMs: 30 * 24 * 60 * 60 * 1000,
  /** How often a sign-in's time of last use is written. */
  lastSeenStepMs: 60 * 1000,
  wrongPasswordsMax: 10,
  wrongPasswordsPerAddressMax: 50,
  wrongPasswordsWindowMs: 15 * 60 * 1000,
  personNameCharactersMax: 200,
  /** How long a proof of the person at the browser holds. */
  proofMs: 10 * 60 * 1000,
  /** Between the right password and the passkey that is asked for after it. */
  secondStepMs: 5 * 60 * 1000,
  /**
   * A sign-in that names no organization costs so many argon2 (60 ms each), for every caller: so many organizations
   * of an e-mail, the newest, are tried.
   */
  organizationsPerEmailMax: 3,
} as const;
