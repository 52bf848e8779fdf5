// Limits of MCP servers in message requests.

export const mcpLimits = {
  /** In one request. */
  serversMax: 20,
  /** How often the model is asked in one request, with the results of its calls: after the last one the turn pauses. */
  roundsMax: 10,
  /** Of one answer of the model; those beyond are not made, and their results say so. */
  callsPerRoundMax: 50,
  /** A plain name is one that every kind of upstream takes. */
  plainNameCharactersMax: 64,
} as const;
