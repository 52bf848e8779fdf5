// Limits of message requests.

export const limits = {
  bodyBytesMax: 32 * 1024 * 1024,
  messagesMax: 100_000,
  /** Different files in one request; what they hold is bounded as a body is. */
  filesMax: 1_000,
  /** Of files in requests under way, in one process, which holds three to four times as much while it sends them. */
  heldFileBytesMax: 256 * 1024 * 1024,
  heldBatchFileBytesMax: 128 * 1024 * 1024,
  /** How long a message waits for its part of that memory. */
  fileWaitMsMax: 30_000,
  /** Of models whose entry has no limit: what the answer may cost still has to fit into a number of the ledger. */
  maxTokensMax: 1_000_000_000,
  thinkingTokensMin: 1_024,
  stopSequencesMax: 64,
  stopSequenceCharactersMax: 1_000,
  userIdCharactersMax: 1_024,
  cacheBreakpointsMax: 4,
  /** No model reads or writes more in one answer: a larger number of an upstream is no count. */
  countMax: 100_000_000,
  /**
   * How far back a rule over the output reads at each delta: 60,000 tokens with one rule cost 12 s where it reads all
   * that was written, and 0.2 s with this limit.
   */
  matchedCharactersMax: 4_096,
  /** A value that does not fit is explained in 50 ms at most. */
  explainedValuesMax: 5_000,
  /** How much of a value that does not fit is shown. */
  foundCharactersMax: 40,
  /** Of a streamed text that has no word yet: some models write blanks without end, and later ones are relayed. */
  blankEventsMax: 1_000,
  /** A longer conversation is not kept as objects while its answer is awaited. */
  keptBytesMax: 16_384,
} as const;
