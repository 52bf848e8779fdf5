// Limits of single sign-on.

export const limits = {
  /** From leaving for the provider to coming back. */
  signOnFlowMs: 10 * 60 * 1000,
  /** One request to a provider, and the size of its answer. */
  providerTimeoutMs: 10_000,
  providerBytesMax: 512 * 1024,
  /** The provider's identifier of a person; the standard has 255. */
  subjectCharactersMax: 255,
  scopesMax: 20,
  roleRulesMax: 100,
  groupsReadMax: 2_000,
  strangersMax: 100,
} as const;
