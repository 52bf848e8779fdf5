// Numbers of the MCP server that this server is.

export const limits = {
  bodyBytesMax: 4 * 1024 * 1024,
  /** How long a client may keep what `server/discover` and the lists say. */
  discoverTtlMs: 3_600_000,
  listTtlMs: 300_000,
  /** Of lists that tools answer with. */
  pageItemsDefault: 20,
  pageItemsMax: 100,
  modelsMax: 1_000,
  /** Of a model that is asked by a tool. */
  answerTokensDefault: 4_096,
  answerTokensMax: 64_000,
  /** How long a tool waits for the turn of a session, and how often it looks. */
  turnWaitMs: 600_000,
  turnPollMinMs: 100,
  turnPollMaxMs: 1_000,
  eventsPerPage: 100,
  /** How long what a client carries from one round of a call to the next is good for. */
  requestStateSecondsDefault: 3_600,
  requestStateSecondsMax: 7 * 86_400,
  /** How often a client is asked to look at a task. */
  taskPollMs: 1_000,
  /** Of the input of a tool, told to a person who is asked about it. */
  askedInputCharactersMax: 2_000,
  hostsMax: 50,
  originsMax: 50,
  /** Sessions of clients of older revisions: how long one that is not used stays, and how often its use is noted. */
  sessionKeptMs: 86_400_000,
  sessionTouchedMs: 600_000,
  sessionsPerHolderMax: 1_000,
  /** Of what a client says when it begins. */
  sessionBeganCharactersMax: 65_536,
  /** Where a process was not told that an answer has come. */
  answerLookMs: 2_000,
  streamAliveMs: 15_000,
  /** Of streams of notices in one process: all, those of one caller, and the addresses that they watch together. */
  noticeStreamsMax: 1_000,
  noticeStreamsPerHolder: 50,
  watchedUrisMax: 5_000,
  /** Of one stream, and of one session of an older revision. */
  watchedUrisPerStream: 100,
  watchedUriCharactersMax: 4_000,
  noticeEveryMs: 500,
  /** How often it is asked whether the caller of an open stream may still be told. */
  callerLookMs: 3_000,
  /** Of the list of resources: memories of one store at a time, after the newest files and sessions. */
  resourcesPerPage: 100,
  recentMax: 50,
  storesPerPage: 10,
  /** Of what is read at once; base64 makes a third more of it. */
  fileReadBytesMax: 2 * 1024 * 1024,
  transcriptEventsMax: 1_000,
  transcriptCharactersMax: 200_000,
  transcriptTextCharactersMax: 8_000,
  /** Of the timeline of a session: the newest events, and of each what was said, given and answered. */
  timelineEventsMax: 1_000,
  timelineCharactersMax: 200_000,
  timelineTextCharactersMax: 2_000,
  /** Of its text, for clients that show no page. */
  timelineLinesMax: 100,
  /** Each has its newest version looked up. */
  promptsPerPage: 20,
  /** A skill's zip, of which its instructions are read. */
  skillBytesMax: 32 * 1024 * 1024,
  skillEntriesMax: 2_000,
  promptBytesMax: 512 * 1024,
  /** Values that are proposed: as many as the protocol allows. */
  completionsMax: 100,
  /** Sessions that `usage` sums up. */
  usageSessionsMax: 1_000,
  usageDaysMax: 90,
} as const;
