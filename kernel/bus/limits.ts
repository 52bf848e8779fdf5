// The limits of the bus.

export const busLimits = {
  /** One message in UTF-8. */
  messageBytesMax: 64 * 1024,
  /** The name of a channel in UTF-8: its length is one byte of a frame. */
  channelBytesMax: 200,
  /** That one peer may listen to. */
  channelsPerPeerMax: 50_000,
  /** What waits for one peer whose connection takes no more: of a channel, and of all, in bytes with their frames. */
  waitingPerChannelMax: 256,
  waitingBytesPerPeerMax: 4 * 1024 * 1024,
  /** What listeners publish while they are being called. */
  waitingLocallyMax: 1_000,
  /** A peer that does not read which channels we listen to is left, and tried again later. */
  unreadChannelBytesMax: 8 * 1024 * 1024,
  /** How often new processes are looked for, and those that were away are tried again. */
  lookMs: 5_000,
  /** Addresses of other machines that a process connects to. */
  addressesMax: 100,
  /** Between machines: each step of the handshake, how old the question may be, and how long a proof may be. */
  handshakeMsMax: 5_000,
  askingAgeMsMax: 60_000,
  proofBytesMax: 1_000,
  /** A connection between machines says so often that it is alive; one that is silent for that long is given up. */
  aliveMs: 10_000,
  silenceMsMax: 25_000,
} as const;
