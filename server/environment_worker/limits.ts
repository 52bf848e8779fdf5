// Numbers of the worker of a self-hosted environment.

const day = 24 * 3_600_000;

export const limits = {
  /** A server that answers sooner that there is nothing is asked no more often than this. */
  pollEveryMs: 1_000,
  /** What the server allows at most. */
  blockMs: 999,
  /** How long one request may take, streams apart: a server that does not answer is asked again. */
  requestMs: 30_000,
  /** The pause after a failure doubles from the first to the second. */
  pauseMs: 500,
  pauseMsMax: 10_000,
  /** Of polls, which nobody waits for. */
  pollPauseMsMax: 60_000,
  /** What a heartbeat asks for; three of them fit into it. */
  leaseSeconds: 30,
  /** Before more work is asked for where some has failed: doubles with each in a row. */
  failurePauseMs: 1_000,
  failurePauseMsMax: 30_000,
  /** A session that rests is kept for what is said next, unless another one may wait for its place. */
  restMs: 60_000,
  restMsWhereFull: 1_000,
  stopTriesMax: 5,
  sessionsDefault: 4,
  sessionsMax: 1_000,
  graceSecondsDefault: 30,
  graceSecondsMax: 3_600,
  keepDaysDefault: 7,
  keepDaysMax: 3_650,
  dayMs: day,
  /** Of one machine, however new they are. */
  workspacesMax: 1_000,
  sweepMs: 600_000,
  idleSweepMs: 5_000,
  /** Of one skill, packed and unpacked. */
  archiveBytesMax: 33_554_432,
  folderBytesMax: 31_457_280,
  skillFilesMax: 500,
  skillMs: 60_000,
  /** Of one memory, as the API has it. */
  memoryBytesMax: 102_400,
  /** The longest pages of a list of memories, without and with their texts. */
  memoriesOfPage: 100,
  textsOfPage: 20,
  /** So many texts are asked for one by one, at once; more come with pages of all of them. */
  textsOneByOne: 16,
  /** Of a file, at a time: a sandbox takes no more at once. */
  pieceBytes: 4_194_304,
  /** Of what a program of ours says when it fails. */
  faultBytesMax: 1_000,
} as const;
