// Limits of the MCP servers of a workspace.

export const limits = {
  serversPerWorkspace: 200,
  nameCharactersMax: 255,
  descriptionCharactersMax: 1_024,
  urlCharactersMax: 2_048,
  toolNameCharactersMax: 256,
  originsCharactersMax: 8_000,
  /** Of what a server was: those seen longest ago go first. */
  versionsKept: 20,
  /** A sign-in by OAuth, from its beginning to the token. */
  connectionLifeMs: 10 * 60_000,
  /** That were begun within that time. */
  connectionsPerWorkspace: 100,
  clientTextCharactersMax: 2_048,
  /** What a browser brings back, each part of it. */
  answerCharactersMax: 8_192,
  oauthAnswerBytesMax: 256 * 1024,
  oauthTimeoutMs: 15_000,
  /** Of an authorization server's own sentence. */
  strangersWordsMax: 300,
} as const;
