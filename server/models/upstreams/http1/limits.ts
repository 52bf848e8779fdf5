// Limits of the client for plain HTTP/1.1.

export const http1Limits = {
  /** One read of a socket. A buffer of this size serves all of them: as a stream's own chunks they were garbage. */
  readBytes: 64 * 1024,
  /** Status line and headers of one head: Node.js takes 16 KB without the ends of lines. */
  headBytesMax: 32 * 1024,
  /** Behind the size of one chunk, and behind the last chunk: read and dropped. */
  extensionBytesMax: 1024,
  trailerBytesMax: 8 * 1024,
  /** 2 ** 48 bytes are more than any total time lets through. */
  chunkSizeDigitsMax: 12,
  /** Up to here head and body go out as one buffer; larger bodies are not copied. */
  joinedBytesMax: 16 * 1024,
  /** After so much silence the system asks whether the other machine still lives. */
  tcpKeepAliveMs: 60_000,
  /** A server says how long it keeps a silent connection: it is closed here so much earlier. */
  keepAliveMarginMs: 2_000,
  keepAliveMsMax: 600_000,
  /** An idle sleeper wakes this late at most, and finds nothing to do: nothing is kept alive for longer. */
  sleepMsMax: 1_000,
} as const;
