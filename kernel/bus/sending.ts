// Sends messages to one peer: what its connection does not take at once waits, bounded, and the oldest gives way.
import type { Duplex } from "node:stream";
import { busLimits } from "./limits.ts";

export interface Sending {
  send(channel: string, bytes: Buffer): void;
  /** What waits for a channel that the peer has left is no longer wanted. */
  forget(channel: string): void;
  /** How many wait. */
  waiting(): number;
}

/** `lost` counts messages that gave way to later ones. */
export function makeSending(connection: Duplex, lost: () => void): Sending {
  /** The channel whose turn it is comes first; within a channel the order of publishing holds. */
  const queues = new Map<string, Buffer[]>();
  let bytesWaiting = 0;
  let isFull = false;
  let isCorked = false;

  const write = (bytes: Buffer) => {
    // What is published in one go leaves in one packet.
    if (!isCorked) {
      isCorked = true;
      connection.cork();
      process.nextTick(() => {
        isCorked = false;
        connection.uncork();
      });
    }
    isFull = !connection.write(bytes);
  };
  const takeOldest = (channel: string, queue: Buffer[]): Buffer | undefined => {
    const bytes = queue.shift();
    bytesWaiting -= bytes?.length ?? 0;
    if (queue.length === 0) queues.delete(channel);
    return bytes;
  };
  const drop = (channel: string, queue: Buffer[]) => {
    takeOldest(channel, queue);
    lost();
  };
  connection.on("drain", () => {
    isFull = false;
    for (const [channel, queue] of queues) {
      if (isFull) return;
      queues.delete(channel);
      const bytes = takeOldest(channel, queue);
      // To the end, so that each channel has its turn: this loop comes to it again.
      if (queue.length > 0) queues.set(channel, queue);
      if (bytes !== undefined) write(bytes);
    }
  });

  return {
    send: (channel, bytes) => {
      if (!isFull) return write(bytes);
      const queue = queues.get(channel) ?? [];
      if (queue.length >= busLimits.waitingPerChannelMax) drop(channel, queue);
      queue.push(bytes);
      queues.set(channel, queue);
      bytesWaiting += bytes.length;
      for (const [first, oldest] of queues) {
        while (bytesWaiting > busLimits.waitingBytesPerPeerMax && oldest.length > 0)
          drop(first, oldest);
        if (bytesWaiting <= busLimits.waitingBytesPerPeerMax) return;
      }
    },
    forget: (channel) => {
      for (const bytes of queues.get(channel) ?? []) bytesWaiting -= bytes.length;
      queues.delete(channel);
    },
    waiting: () => [...queues.values()].reduce((sum, queue) => sum + queue.length, 0),
  };
}
