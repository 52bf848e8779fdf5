// The numbers behind rate and spend limits, and those that hold where none are set.

export const perMinuteMax = 1_000_000_000_000;

/** A cent, in which people say amounts; the ledger has nano-dollars. */
export const nanoPerMinor = 10_000_000n;

/** Far above what one database serves: a limit is something that an administrator sets. */
export const defaultRates = {
  requests: 1_000_000,
  input_tokens: 10_000_000_000,
  output_tokens: 1_000_000_000,
} as const;

export const limits = {
  /** A slice of a rate that is not renewed is worth nothing after this, by the database's clock. */
  sliceMs: 5_000,
  /** This much earlier its holder stops to use it. */
  sliceMarginMs: 1_000,
  /** A slice is this part of what is left, so that slices shrink to single requests near the limit. */
  slicePart: 8,
  /** More is fetched when less than this part of the last slice is left. */
  refillPart: 4,
  /** Limits that were set are known everywhere after this. */
  policyFreshMs: 1_000,
  /** Older ones are not trusted: without the database nothing is admitted. */
  policyTrustMs: 10_000,
  /** How often a request that finds the money handed out asks the other processes to give back, and waits. */
  spendAsksMax: 3,
  spendAskPauseMs: 40,
  /** A limit that is reached is not asked for again before this. */
  reachedMs: 500,
  /** Scopes that are remembered; past it they are all forgotten, which costs one question each. */
  scopesMax: 50_000,
  /** Of one page of limits. */
  listItemsMax: 1_000,
  /** Members that a question may name. */
  userIdsMax: 100,
  reasonCharactersMax: 500,
  /** Of what a member asked for lately. */
  ownRequestsMax: 20,
} as const;

/** From this share on, in percent, a limit that refuses a request counts as reached: what is left was too little. */
export const refusingFromPercent = 90;
