// Limits of tokens and of the endpoint that gives them.

const minuteMs = 60_000;

export const limits = {
  /** A person's token; those of service accounts live as long as their rule says. */
  accessTokenMs: 60 * minuteMs,
  /** An unused sign-in of a program ends after this time. */
  familyIdleMs: 30 * 24 * 60 * minuteMs,
  /** The body of a token request: an assertion of 16 KiB, twice as long when a form escapes it, and the rest. */
  requestBytesMax: 64 * 1024,
  parameterCharactersMax: 32 * 1024,
  userAgentCharactersMax: 300,
  /** Rule TOK10. */
  refusalsWindowMs: minuteMs,
  refusalsPerRuleAndAddressMax: 300,
  refusalsPerAddressMax: 1_000,
  /** Rule TOK11. */
  sweepEveryMs: 10 * minuteMs,
  endedKeptMs: 60 * minuteMs,
  refusalsKeptMs: 7 * 24 * 60 * minuteMs,
  /** Rows of one statement of the sweep. */
  sweepRowsMax: 5_000,
} as const;
