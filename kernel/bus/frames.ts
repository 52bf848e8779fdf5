// What two processes of the bus say to each other over a stream of bytes: frames of a kind, a channel and a text.
import { busLimits } from "./limits.ts";

/**
 * `hello` names who has connected; `listen` and `leave` say which channels that process wants; all three go from it to
 * the other, and `message` comes back. `alive` says that a silent connection is one.
 */
export const kinds = ["hello", "listen", "leave", "message", "alive"] as const;
export type FrameKind = (typeof kinds)[number];

/** The length of the rest, the kind, the length of the channel. */
const lengthBytes = 4;
const headBytes = lengthBytes + 2;
const restBytesMax = 2 + busLimits.channelBytesMax + busLimits.messageBytesMax;

export function frame(kind: FrameKind, channel = "", data = ""): Buffer {
  const channelBytes = Buffer.byteLength(channel);
  const bytes = Buffer.allocUnsafe(headBytes + channelBytes + Buffer.byteLength(data));
  bytes.writeUInt32BE(bytes.length - lengthBytes, 0);
  bytes[lengthBytes] = kinds.indexOf(kind);
  bytes[lengthBytes + 1] = channelBytes;
  bytes.write(channel, headBytes);
  bytes.write(data, headBytes + channelBytes);
  return bytes;
}

/** Takes chunks as they come; false at what is no frame, after which nothing can be read any more. */
export function frameReader(
  hear: (kind: FrameKind, channel: string, data: string) => void,
): (chunk: Buffer) => boolean {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (rest.length - at >= headBytes) {
      const end = at + lengthBytes + rest.readUInt32BE(at);
      const kind = kinds[rest[at + lengthBytes] ?? kinds.length];
      const dataAt = at + headBytes + (rest[at + lengthBytes + 1] ?? 0);
      if (end - at - lengthBytes > restBytesMax || dataAt > end || kind === undefined) return false;
      if (end > rest.length) break;
      hear(kind, rest.toString("utf8", at + headBytes, dataAt), rest.toString("utf8", dataAt, end));
      at = end;
    }
    rest = rest.subarray(at);
    return true;
  };
}
