// Limits of authorizations.

export const limits = {
  deviceLifeMs: 10 * 60 * 1000,
  codeLifeMs: 60 * 1000,
  pollSeconds: 5,
  /** Added to the interval of a device that asks too soon. */
  slowerSeconds: 5,
  /** Programs that register themselves. */
  registrationsWindowMs: 60 * 60 * 1000,
  registrationsPerAddressMax: 60,
  clientsMax: 10_000,
  /** One that no person grants anything is forgotten after this time. */
  unusedClientKeptMs: 30 * 24 * 60 * 60 * 1000,
  /** Rows of one statement of the sweep. */
  sweepRowsMax: 5_000,
  registrationBytesMax: 64 * 1024,
  /** The document that the id of a client is the address of. */
  documentBytesMax: 16 * 1024,
  documentTimeoutMs: 5_000,
  documentKeptMs: 10 * 60 * 1000,
  redirectUrisMax: 20,
  redirectUriCharactersMax: 500,
  clientNameCharactersMax: 100,
  wrongCodesMax: 10,
  wrongCodesWindowMs: 15 * 60 * 1000,
  /** Shown on the account page; older ones end by themselves. */
  programSignInsShownMax: 200,
  /** Ended ones are kept for this long, so that a second use of a code is noticed. */
  keepMs: 60 * 60 * 1000,
} as const;
