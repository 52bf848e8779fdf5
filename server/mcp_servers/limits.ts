// Limits of the MCP servers of a workspace.

export const limits = {
  serversPerWorkspace: 200,
  nameCharactersMax: 255,
  descriptionCharactersMax: 1_024,
  urlCharactersMax: 2_048,
  toolNameCharactersMax: 256,
  /** Of what a server was: those seen longest ago go first. */
  versionsKept: 20,
} as const;
