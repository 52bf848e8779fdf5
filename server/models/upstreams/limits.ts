// Limits of speaking with upstreams: how long, how large, how often.

export const upstreamLimits = {
  /** A whole reply that is not streamed: 128,000 tokens are about 0.5 MB, server tool results come on top. */
  replyBytesMax: 32 * 1024 * 1024,
  /** Of an error reply, what is read, and what of its sentence is passed on. */
  errorBytesMax: 64 * 1024,
  sentenceCharsMax: 2_000,
  /** One frame of a stream: results of server tools come complete in one. */
  frameBytesMax: 8 * 1024 * 1024,
  /** Come from an upstream and not yet read here: above it the upstream is made to wait. */
  unreadBytesMax: 256 * 1024,
  /** After an end without the last event: how long for more of it. All of the answer is there, and its client waits. */
  endMs: 5_000,
  /** After the last event: how long, and how much, until the connection is given up instead of kept. */
  lingerMs: 1_000,
  lingerBytesMax: 64 * 1024,
  /** Requests under way at one upstream, from one process. */
  openMax: 4_096,
  /** Uvicorn keeps a silent connection for 5 s: this server closes it first, and no request meets a closed one. */
  keepAliveMs: 4_000,
  /** Pauses before the second and the third try where no connection could be made. */
  retryPausesMs: [50, 250],
  /** A kept connection that the upstream has just closed breaks at once; what breaks later had begun to work. */
  staleMs: 1_000,
  /** A closed adapter lets what is under way finish for so long. */
  drainMs: 30_000,
  /** What counts as lately where it is shown how an upstream fares, and how many answers its times are of. */
  healthMinutes: 30,
  healthAnswersMax: 64,
  /** How long a client is asked to wait after an upstream that could not be reached. */
  retryAfterSeconds: 2,
} as const;

/** How long to wait for an upstream. */
export interface Timeouts {
  connectMs: number;
  /** Until the head of the reply: where nothing is streamed, the whole answer is made before it. */
  firstByteMs: number;
  betweenBytesMs: number;
  totalMs: number;
}

/** Clients wait 10 minutes for an answer, and as long as it takes for a stream that lives. */
export const defaultTimeouts: Timeouts = {
  connectMs: 10_000,
  firstByteMs: 600_000,
  betweenBytesMs: 300_000,
  totalMs: 3_600_000,
};
