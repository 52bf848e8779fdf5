// What waits to go out on one response: one chunk per tick, bounded, with room to wait for.
import type { HttpResponse } from "../wire/http-exchange.ts";
import { httpLimits } from "../limits.ts";

export interface ResponseBuffer {
  /** False when it is full or closed: wait for `room`. */
  put(bytes: Buffer | string): boolean;
  /** Resolves when there is room, or when it was closed. */
  whenWritable(): Promise<void>;
  /** Nothing of what was put has to wait for the client: a heartbeat would not pile up. */
  isFlowing(): boolean;
  /** Sends now what would have gone at the end of the tick. */
  flush(): void;
  /** Sends it, and the end of the body. */
  end(): void;
  /** Forgets what waits and wakes the writers that wait for room. */
  close(): void;
}

/** Only after the headers went out: then it is known how the body is framed. */
export function makeResponseBuffer(response: HttpResponse): ResponseBuffer {
  // Node writes a chunk as three pieces; framed here it is one, 1 to 7 of 33 to 46 µs less for a single event.
  const isChunked = response.headersSent && response.chunkedEncoding;
  if (isChunked) response.chunkedEncoding = false;
  let pending: (Buffer | string)[] = [];
  let pendingBytes = 0;
  let blocked = false;
  let open = true;
  let waiting: (() => void)[] = [];

  const isFull = () => open && (blocked || pendingBytes >= httpLimits.streamBufferBytes);
  const wake = () => {
    if (isFull()) return;
    const woken = waiting;
    waiting = [];
    for (const go of woken) go();
  };
  /** Everything of one tick as one chunk: 2.3 µs an event in bursts, where single writes cost 4.1. */
  const flush = () => {
    if (!open || pending.length === 0 || response.destroyed || response.writableEnded) return;
    const chunk = join(pending);
    pending = [];
    pendingBytes = 0;
    blocked = !response.write(isChunked ? framed(chunk) : chunk);
    wake();
  };
  const drained = () => {
    blocked = false;
    wake();
  };
  response.on("drain", drained);

  return {
    flush,
    end: () => {
      flush();
      if (isChunked) response.chunkedEncoding = true; // for the last, empty chunk
      response.end();
    },
    isFlowing: () => !blocked,
    put: (bytes) => {
      if (!open) return false;
      // A source that does not wait must not fill the memory: its client is cut instead.
      if (pendingBytes + response.writableLength > httpLimits.streamBufferBytesMax) {
        response.destroy();
        return false;
      }
      if (pending.length === 0) process.nextTick(flush);
      pending.push(bytes);
      pendingBytes += bytes.length;
      return !isFull();
    },
    whenWritable: () =>
      isFull() ? new Promise<void>((resolve) => void waiting.push(resolve)) : Promise.resolve(),
    close: () => {
      open = false;
      pending = [];
      response.off("drain", drained);
      wake();
    },
  };
}

function join(parts: (Buffer | string)[]): Buffer | string {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return first;
  if (parts.every((part) => typeof part === "string")) return parts.join("");
  return Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
}

/** A chunk of the body as HTTP/1.1 has it on the wire. An empty one would be the end. */
function framed(chunk: Buffer | string): Buffer | string {
  const size = Buffer.byteLength(chunk);
  if (size === 0) return chunk;
  const head = `${size.toString(16)}\r\n`;
  return typeof chunk === "string"
    ? `${head}${chunk}\r\n`
    : Buffer.concat([Buffer.from(head), chunk, lineEnd]);
}

const lineEnd = Buffer.from("\r\n");
