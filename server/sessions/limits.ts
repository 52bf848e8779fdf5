// The numbers of sessions.

export const limits = {
  titleCharactersMax: 256,
  /** Nine million dollars: in nanos, still a number that is exact. */
  budgetCentsMax: 900_000_000,
  /** Events in one request, when a session is made and later. */
  eventsPerRequestMax: 50,
  /** Of a list of events: so many, and the one with which a read reaches so many bytes ends it. */
  eventsPageMax: 1_000,
  eventsPageBytesMax: 8 * 1024 * 1024,
  /** Resources of one session, and memory stores among them. */
  resourcesMax: 100,
  storesMax: 8,
  /** Of the folder that a memory store is mounted as. */
  folderCharactersMax: 100,
  instructionsCharactersMax: 4_096,
  mountPathCharactersMax: 1_024,
  urlCharactersMax: 2_048,
  tokenCharactersMax: 4_096,
  /** What one client event may hold as JSON in UTF-8. */
  eventBytesMax: 1_000_000,
  contentBlocksMax: 100,
  rubricCharactersMax: 262_144,
  outcomeCharactersMax: 16_384,
  iterationsDefault: 3,
  iterationsMax: 20,
  /** What a grader writes, and what it is shown of the work. */
  gradeTokensMax: 4_096,
  transcriptCharactersMax: 200_000,
  summaryTokensMax: 8_192,
  /** What a guard is shown of a call, and of the words that the agent works on; so many are asked at a time. */
  judgedInputCharactersMax: 50_000,
  judgedWordsCharactersMax: 4_000,
  judgedAtOnceMax: 8,
  /** Calls that wait for a person, of one session in a list of sessions that do. */
  waitingCallsMax: 10,

  /** Messages and outcomes that wait for their turn. */
  inputsWaitingMax: 1_000,
  /** Calls of tools in one answer. */
  callsPerAnswerMax: 1_000,
  /** In dollars an hour. What a session has run for is settled at its end, and about this often where it runs on. */
  hourPriceMax: 1_000,
  timeSettledMs: 300_000,
  /** In a turn that takes long, what the session has used is told this often. */
  usageEveryMs: 30_000,
  /** Threads of one session, its own among them. */
  threadsMax: 50,
  /** Calls of the model in one turn. */
  roundsMax: 100,
  /** Answers in a row that break off in a call, after each of which the model is told and asked again. */
  cutOffsMax: 2,
  /** Summaries of the conversation in one turn. */
  compactionsMax: 5,
  /** A conversation is summed up when it fills so much of its model's window. */
  compactAtShare: 0.8,
  /** What one call of a model may write, where the model writes more. */
  outputTokensMax: 32_000,
  /** A thread makes one call at a time, and few of them are written again at once. */
  countedCallsMax: 32,
  /** Failures of the model in a row, within so long, before a turn is given up. */
  failuresMax: 8,
  failuresMs: 120_000,
  retryMs: 500,
  retryMsMax: 30_000,
  /** Before what the database was away for is tried again. */
  awayMs: 500,
  /** Between two times that streams are told how far a call of an MCP server is. */
  progressPauseMs: 250,
  /** A task of an MCP server that takes longer is looked at now and then: no process holds its session meanwhile. */
  taskHeldMs: 10_000,
  taskPauseMsMin: 2_000,
  taskPauseMsMax: 30_000,
  /** Of the time that it has taken. */
  taskPauseShare: 0.1,
  /** Questions for which a process keeps calls open, and their sessions with them. */
  heldQuestionsMax: 32,
  /** Those that are cancelled when their thread ends, each tried so often. */
  leftTasksMax: 100,
  leftTaskAttemptsMax: 5,
  /** Sessions that one process works on at a time. */
  heldMax: 64,
  /** Sessions that are written in one transaction, and transactions of them at a time. */
  writesTogetherMax: 32,
  writesAtOnce: 2,
  loadsAtOnce: 2,
  leaseMs: 10_000,
  heartbeatMs: 3_000,
  pollMs: 1_000,
  /** How often a process says that the workspaces of its machine are here, and when its machine counts as gone. */
  hostSeenMs: 5_000,
  hostGoneMs: 30_000,
  /** So long a session is left to the process that has its sandbox, before another one of its machine takes it. */
  sandboxStaysMs: 2_000,
  /** Between two looks for workspaces of sessions that are gone, and so many at a time. */
  sandboxSweepMs: 30_000,
  goneAtOnce: 8,
  /** Between two looks for sandboxes that have been idle for long enough. */
  idleSweepMs: 1_000,
  /** Connections to MCP servers that a process keeps for threads, and for how long when nothing is asked over them. */
  serversKeptMax: 256,
  serverIdleMs: 300_000,
  serverSweepMs: 30_000,
  /** How long a turn waits for a token to be renewed. After one that failed or took longer none is tried then. */
  serverRenewalMs: 16_000,
  serverRenewalPauseMs: 60_000,
  /** A turn begins with lists of tools that are no older, unless their server says for how long they are good. */
  serverToolsAgeMs: 60_000,
  /** Of these tools a session remembers so many, of each and of all as JSON so much; of others their sums alone. */
  seenToolsMax: 2_000,
  seenToolCharactersMax: 20_000,
  seenCharactersMax: 256 * 1024,
  /** What a model may call them by their own names, and of how many tools of a thread it is decided. */
  bareNameCharactersMax: 64,
  bareNamesMax: 1_000,
  /** Of what a tool with a page answers for it, as JSON. */
  structuredCharactersMax: 100_000,
  /** How often a server may ask for something in one call. */
  questionsPerCallMax: 10,
  /** What people are shown of the files in a sandbox, which waits so long for a call that runs there. */
  directoryBytesMax: 1024 * 1024,
  directoryEntriesMax: 1_000,
  shownFileBytesMax: 32 * 1024 * 1024,
  shownFilesMs: 60_000,
  shownFilesWaitMs: 5_000,
  /** Between two tries to get a sandbox from the process that has it. */
  sandboxAskMs: 200,
  /** Pieces that one stream keeps until the events before them have come. */
  earlyPreviewsMax: 256,
  /** States of threads that a process keeps for their next turns: so many, and of so many tokens in all. */
  keptStatesMax: 512,
  keptStatesTokensMax: 4_000_000,
  stateTokensMin: 500,
  /** What is under way when the process stops has so long to end. */
  drainMs: 5_000,
} as const;
