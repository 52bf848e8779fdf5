// Limits of the wire: how long, how deep, how much, before the server says no.

export const httpLimits = {
  /** A JSON body may trickle, but not for ever; `bodyIdleTimeoutMs` bounds each pause. */
  jsonBodyTimeoutMs: 120_000,
  /** An event stream without traffic sends a ping: proxies cut silent connections at 30 to 60 s. */
  heartbeatMs: 15_000,
  /** Of one event stream, not yet taken by the client: above the first the source waits, above the second it is cut. */
  streamBufferBytes: 64 * 1024,
  streamBufferBytesMax: 8 * 1024 * 1024,
  /** Part headers of a form, and the path that a file in it may carry. */
  partHeaderBytesMax: 8 * 1024,
  partHeadersMax: 20,
  filenameBytesMax: 1024,
  /**
   * A body that is read as it comes may take as long as it does, unless it stops (`bodyIdleTimeoutMs`) or brings less
   * than this in a minute of waiting for it: a connection that drips is kept for a minute.
   */
  bodyPaceMs: 60_000,
  bodyPaceBytesMin: 16 * 1024,
  /** Slow senders are looked for this often. */
  connectionCheckMs: 2_000,
  /** Longer than the 60 s of common load balancers, so that they close first and no request meets a closed one. */
  keepAliveTimeoutMs: 75_000,
  /** A connection without a byte either way: longer than the 10 min that clients wait for an answer. */
  silenceTimeoutMs: 900_000,
  /** Connections waiting to be accepted. */
  backlogMax: 1024,
  /** After an early answer: how long, and how much, is read of a body that is not wanted. */
  lingerMs: 3_000,
  lingerBytesMax: 32 * 1024 * 1024,
  /** After a lame-duck phase: how long a connection whose client was not told of the end waits for its next request. */
  nextRequestMs: 500,
  /** After the drain's limit: how long the final error event of a cut stream may take. */
  lastWordsMs: 500,
  /** How long a browser may keep what it was told of another origin. */
  sharedSeconds: 600,
} as const;
