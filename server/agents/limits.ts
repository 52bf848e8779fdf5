// Limits of agents.

export const limits = {
  nameCharactersMax: 256,
  descriptionCharactersMax: 2_048,
  systemCharactersMax: 100_000,
  /** Those that toolsets bring, those that they configure by name, and custom ones, together. */
  toolsMax: 256,
  toolNameCharactersMax: 128,
  toolDescriptionCharactersMax: 16_384,
  /** Of one list of a web tool. */
  domainsMax: 64,
  domainCharactersMax: 253,
  /** A domain with the path that it may have behind it. */
  domainPathCharactersMax: 1_024,
  locationCharactersMax: 255,
  fetchedTokensMax: 10_000_000,
  /** Tools whose results give addresses, or give none, in one list. */
  sourceToolsMax: 128,
  serversMax: 20,
  serverNameCharactersMax: 255,
  urlCharactersMax: 2_048,
  skillsMax: 64,
  /** Of one list of members. */
  membersMax: 20,
  modelCharactersMax: 256,
  geoCharactersMax: 64,
  idCharactersMax: 100,
  roleArnCharactersMax: 2_048,
  /** The largest number that its column holds. */
  versionMax: 2_147_483_647,
  bodyBytesMax: 2 * 1024 * 1024,
  /** Of a workspace, archived ones not counted. */
  agentsPerWorkspace: 10_000,
  /** Configurations of one page of a list, unless one alone is larger. */
  pageBytesMax: 4 * 1024 * 1024,
} as const;
