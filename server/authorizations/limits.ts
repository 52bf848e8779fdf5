// Limits of authorizations.

export const limits = {
  deviceLifeMs: 10 * 60 * 1000,
  codeLifeMs: 60 * 1000,
  pollSeconds: 5,
  /** Added to the interval of a device that asks too soon. */
  slowerSeconds: 5,
  wrongCodesMax: 10,
  wrongCodesWindowMs: 15 * 60 * 1000,
  /** Shown on the account page; older ones end by themselves. */
  programSignInsShownMax: 200,
  /** Ended ones are kept for this long, so that a second use of a code is noticed. */
  keepMs: 60 * 60 * 1000,
} as const;
