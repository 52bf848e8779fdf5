// Numbers of MCP servers.

export const limits = {
  /** In seconds: to be reached, and to say which tools it has. */
  connectSecondsMax: 30,
  callSecondsDefault: 120,
  callSecondsMax: 3_600,
  /** Of one server that a model is offered. */
  toolsDefault: 100,
  toolsMax: 500,
  descriptionCharactersDefault: 2_000,
  descriptionCharactersMax: 20_000,
  /** Of the schema of one tool's input as JSON. */
  schemaBytesDefault: 16_384,
  schemaBytesMax: 262_144,
  schemaDepthMax: 50,
  /** As a server names it. */
  nameCharactersMax: 256,
  /** What a model may call a tool. */
  modelNameCharactersMax: 128,
  /** Of a list of tools, and what a process keeps of it: descriptions and schemas. */
  pagesMax: 100,
  listCharactersMax: 512 * 1024,
  /** Of one answer over the wire. */
  answerBytesMax: 4 * 1024 * 1024,
  /** Of the one stream over which a server of 2024 answers; and how long each lasts on which a server may speak. */
  oneStreamBytesMax: 16 * 1024 * 1024,
  oneStreamMs: 3_600_000,
  /** How often the stream on which a server of sessions asks unasked is opened, in one connection. */
  listensMax: 100,
  /** Of the texts of a result, as a model is shown them. */
  shownCharactersMax: 100_000,
  /** As base64, all of one result: an event has an end. */
  pictureCharactersMax: 700_000,
  blocksMax: 100,
  /** Of what a tool answers for its page, as JSON, and of the page itself. */
  structuredCharactersMax: 1_000_000,
  pageCharactersMax: 1_000_000,
  pageUriCharactersMax: 2_048,
  pageDomainsMax: 50,
  /** Of the name and the version that a server says of itself. */
  aboutCharactersMax: 200,
  /** Of what a server says beside an error. */
  errorCharactersMax: 1_000,
  /** Of what it says of how far it is. */
  progressCharactersMax: 200,
  /** Of a token that is taken out of what its server writes. */
  scrubbedCharactersMin: 8,
  /** Of what a server asks before it goes on with one call, each time. */
  questionsMax: 20,
  questionsCharactersMax: 65_536,
  questionKeyCharactersMax: 128,
  messageCharactersMax: 10_000,
  askedUrlCharactersMax: 2_048,
  formDepthMax: 10,
  /** Of servers of the older revisions, which keep the call open until a person has answered. */
  pushedPerCallMax: 10,
  personMsMax: 10 * 60_000,
  /** Of what it has the model of a session answer, in one call. */
  samplesPerCallMax: 5,
  sampleTokensMax: 4_096,
  sampleTurnsMax: 50,
  sampleStopsMax: 4,
  /** As JSON, pictures among them. */
  sampleCharactersMax: 1_000_000,
  /** How often a call is made again at once, since its server wants only that. */
  againTimesMax: 10,
  /** Of what it wants to be given back along with the answers. */
  requestStateCharactersMax: 65_536,
  /** Of tasks, whatever interval their server asks for. */
  taskPollMsMin: 250,
  taskPollMsDefault: 1_000,
  taskPollMsMax: 30_000,
  taskIdCharactersMax: 1_024,
  taskSecondsDefault: 86_400,
  taskSecondsMax: 30 * 86_400,
  /** A server that does not answer for as long is given up, and its task with it. */
  taskSilenceMs: 5 * 60_000,
  /** To cancel one, for which a session that is interrupted waits. */
  taskCancelMs: 900,
  /** What a process remembers of the revisions that servers speak: of so many, each answer so large, for so long. */
  verdictsMax: 1_000,
  discoverCharactersMax: 16_384,
  verdictMs: { min: 60_000, default: 600_000, max: 3_600_000 },
  /** A list that is good for longer is not relied on without hearing of changes. */
  unheardMsMax: 60_000,
  /** How long a server may say that its list of tools is good for. */
  listMs: { min: 1_000, max: 3_600_000 },
  /** To end a session of the older revisions, for which no one waits. */
  farewellMs: 2_000,
} as const;
