// The open event streams of a server, so that a drain can end them instead of waiting for ever.
import type { Socket } from "node:net";

export interface OpenStreamEntry {
  endless: boolean;
  end(reason: string): void;
}

export interface OpenStreams {
  readonly count: number;
  /** Returns a function that removes the stream again. */
  add(stream: OpenStreamEntry): () => void;
  /** Ends the endless ones, which would never end by themselves; from now on new ones end at once. */
  closeEndless(reason: string): number;
  /** Ends every stream, with an error event where the client would take the end for the whole. */
  closeAll(reason: string): number;
}

const bySocket = new WeakMap<Socket, OpenStreams>();

/** Undefined for a socket of a server that does not register its streams. */
export const streamsOf = (socket: Socket | null): OpenStreams | undefined =>
  socket === null ? undefined : bySocket.get(socket);

export const registerStreams = (socket: Socket, streams: OpenStreams): void =>
  void bySocket.set(socket, streams);

export function openStreams(): OpenStreams {
  const entries = new Set<OpenStreamEntry>();
  let closing: string | undefined;
  const close = (reason: string, which: (stream: OpenStreamEntry) => boolean) => {
    const chosen = [...entries].filter(which);
    for (const stream of chosen) stream.end(reason);
    return chosen.length;
  };
  return {
    get count() {
      return entries.size;
    },
    add: (stream) => {
      entries.add(stream);
      if (closing !== undefined && stream.endless) setImmediate(() => stream.end(closing ?? ""));
      return () => void entries.delete(stream);
    },
    closeEndless: (reason) => {
      closing = reason;
      return close(reason, ({ endless }) => endless);
    },
    closeAll: (reason) => close(reason, () => true),
  };
}
