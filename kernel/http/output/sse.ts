// Event streams: headers at once, a name on every frame, heartbeats, back-pressure, and an error event at the end.
import assert from "node:assert/strict";
import type { HttpResponse } from "../wire/http-exchange.ts";
import { unavailable } from "../../base/failure.ts";
import { clientGone } from "../input/body.ts";
import { envelope, toFailure } from "./envelope.ts";
import { httpLimits } from "../limits.ts";
import { makeResponseBuffer } from "./response-buffer.ts";
import { written, type Headers, type Reply } from "./reply.ts";
import { streamsOf } from "./open-streams.ts";

/** `data` becomes JSON; `text` is sent as it stands: JSON that was written before, on any number of lines. */
export type SseEvent = {
  event: string;
  /** What a client names when it comes back. */
  id?: string;
} & ({ data: unknown } | { text: string });

export interface SseWriter {
  /** Fires when the stream has lost its reader: the client is gone, or the server is stopping. */
  readonly signal: AbortSignal;
  /** Resolves when there is room for more; rejects once `signal` has fired. */
  send(event: SseEvent): Promise<void>;
  /** Whole frames, unchanged. False when the buffer is full (wait for `room`) or the client is gone. Never throws. */
  relay(frames: Buffer | string): boolean;
  /** Resolves when there is room, or when there will never be. */
  whenWritable(): Promise<void>;
}

export interface SseOptions {
  heartbeatMs?: number;
  /** A stream that never ends by itself: it is ended as soon as the server drains, and the client comes back. */
  endless?: boolean;
  headers?: Headers;
}

/**
 * An event stream as a reply. The source is read no faster than the client reads; its `return()` is
 * called when the client goes away. A source that waits for something must heed a signal as well.
 */
export function events(
  source: AsyncIterable<SseEvent> | ((stream: SseWriter) => Promise<void>),
  options: SseOptions = {},
): Reply {
  return written(async (response, headers) => {
    response.writeHead(200, {
      ...headers,
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
      ...options.headers,
    });
    if (response.req.method === "HEAD") {
      response.end();
      return;
    }
    response.flushHeaders();
    const requestId = String(headers["request-id"] ?? "");
    const stream = openStream(response, requestId, options);
    try {
      await (typeof source === "function" ? source(stream) : pump(source, stream));
      stream.end();
    } catch (error) {
      // An error of the source after the client has left is only its way of ending.
      if (stream.signal.aborted) return;
      stream.end(lastWord(error, requestId));
      throw error; // for the log: the dispatcher knows bugs from failures
    }
  });
}

const lastWord = (error: unknown, requestId: string) =>
  frame({ event: "error", data: envelope(toFailure(error), requestId || null) });

/** One event on the wire. */
export function frame(event: SseEvent): string {
  assert(!/[\r\n]/.test(event.event), "an event's name must stand on one line");
  const text = "text" in event ? event.text : JSON.stringify(event.data);
  const data = /[\r\n]/.test(text) ? text.replaceAll(/\r\n|\r|\n/g, "\ndata: ") : text;
  const id = event.id === undefined ? "" : `id: ${event.id}\n`;
  return `event: ${event.event}\n${id}data: ${data}\n\n`;
}

const ping = frame({ event: "ping", data: { type: "ping" } });

async function pump(source: AsyncIterable<SseEvent>, stream: SseWriter): Promise<void> {
  const iterator = source[Symbol.asyncIterator]();
  // `return()` queues behind a pending `next()`; it is not awaited.
  const release = () => void iterator.return?.().catch(() => {});
  stream.signal.addEventListener("abort", release, { once: true });
  try {
    while (!stream.signal.aborted) {
      const { done, value } = await iterator.next();
      if (done === true || stream.signal.aborted) return;
      await stream.send(value);
    }
  } finally {
    stream.signal.removeEventListener("abort", release);
  }
}

interface OpenStream extends SseWriter {
  /** Ends the body, after a last frame when there is one. */
  end(last?: string): void;
}

function openStream(
  response: HttpResponse,
  requestId: string,
  { endless = false, heartbeatMs = httpLimits.heartbeatMs }: SseOptions,
): OpenStream {
  const controller = new AbortController();
  const { signal } = controller;
  const out = makeResponseBuffer(response);
  const heartbeat = setTimeout(() => {
    if (out.isFlowing()) out.put(ping);
    heartbeat.refresh();
  }, heartbeatMs);

  const close = () => {
    clearTimeout(heartbeat);
    response.off("close", close);
    forget?.();
    out.close();
    controller.abort(clientGone());
  };
  const end = (last?: string) => {
    if (signal.aborted) return;
    if (last !== undefined) out.put(last);
    out.end();
    close();
  };
  const forget = streamsOf(response.socket)?.add({
    endless,
    end: (reason) => (endless ? end() : end(lastWord(unavailable(reason), requestId))),
  });
  response.on("close", close);
  if (response.destroyed) close();

  const put = (frames: Buffer | string) => {
    heartbeat.refresh();
    return !signal.aborted && out.put(frames);
  };
  return {
    signal,
    end,
    whenWritable: () => out.whenWritable(),
    relay: put,
    send: async (event) => {
      if (signal.aborted) throw clientGone();
      if (!put(frame(event))) await out.whenWritable();
    },
  };
}
