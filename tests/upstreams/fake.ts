// An upstream on a plain socket: every byte that it says, and when, is the test's own decision.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { systemClock } from "../../kernel/base/clock.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import type { AttemptRequest, Model, WireEvent } from "../../server/models/types.ts";
import { testTimeoutMs } from "../test-timeout.ts";

export interface ReceivedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}

export interface ReplyWriter {
  received: ReceivedRequest;
  socket: Socket;
  head(status: number, headers?: Record<string, string>): void;
  /** One HTTP chunk. */
  chunk(bytes: Buffer | string): void;
  /** Resolves when the bytes so far have been handed to the other side. */
  flushed(): Promise<void>;
  end(): void;
  /** A whole reply. */
  reply(status: number, body: string, headers?: Record<string, string>): void;
  /** Ends as a killed process does. */
  reset(): void;
}

export type AnswerHandler = (answering: ReplyWriter) => Promise<void> | void;

export interface FakeUpstream extends AsyncDisposable {
  url: string;
  requests: ReceivedRequest[];
  /** Connections that are open now, and all that ever were. */
  open(): number;
  accepted(): number;
  answer: AnswerHandler;
}

export async function fakeUpstream(answer: AnswerHandler = () => {}): Promise<FakeUpstream> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  const fake: FakeUpstream = {
    url: "",
    requests: [],
    answer,
    open: () => sockets.size,
    accepted: () => accepted,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
  const server = createServer({ noDelay: true }, (socket) => {
    accepted++;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => {});
    let unread: Buffer = Buffer.alloc(0);
    socket.on("data", (bytes: Buffer) => {
      unread = Buffer.concat([unread, bytes]);
      const asked = requestIn(unread);
      if (asked === undefined) return;
      unread = Buffer.alloc(0);
      fake.requests.push(asked);
      void fake.answer(answeringOn(socket, asked));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return fake;
}

function requestIn(bytes: Buffer): ReceivedRequest | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [first = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
  const [method = "", path = ""] = first.split(" ");
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  ) as Record<string, string>;
  const body = bytes.subarray(end + 4);
  return body.length < Number(headers["content-length"] ?? 0)
    ? undefined
    : { method, path, headers, body: Buffer.from(body) };
}

function answeringOn(socket: Socket, asked: ReceivedRequest): ReplyWriter {
  const headOf = (status: number, headers: Record<string, string>) =>
    `HTTP/1.1 ${status} Fine\r\n${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("")}\r\n`;
  return {
    received: asked,
    socket,
    head: (status, headers = {}) => {
      socket.write(
        headOf(status, {
          "content-type": "text/event-stream",
          "transfer-encoding": "chunked",
          ...headers,
        }),
      );
    },
    chunk: (bytes) => {
      const data = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
      if (data.length === 0) return;
      socket.write(
        Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from("\r\n")]),
      );
    },
    flushed: () => new Promise((resolve) => socket.write("", () => resolve())),
    end: () => void socket.write("0\r\n\r\n"),
    reply: (status, body, headers = {}) => {
      const length = String(Buffer.byteLength(body));
      const type = { "content-type": "application/json", "content-length": length };
      socket.write(headOf(status, { ...type, ...headers }) + body);
    },
    reset: () => void socket.resetAndDestroy(),
  };
}

/** A reply whose stream is made of these chunks. */
export const streamedReply =
  (...chunks: readonly (Buffer | string)[]): AnswerHandler =>
  ({ head, chunk, end }) => {
    head(200);
    for (const each of chunks) chunk(each);
    end();
  };

export const model: Model = {
  id: "house-large",
  aliases: [],
  displayName: "House Large",
  createdAt: "2026-01-01T00:00:00Z",
  lifecycle: "active",
  deprecatedAt: null,
  retiresAt: null,
  upstream: "barn",
  upstreamModel: "vendor/large-1",
  group: "house",
  maxInputTokens: 200_000,
  maxTokens: 64_000,
  efforts: ["low", "medium", "high"],
  recommendedEffort: "high",
  thinking: ["adaptive", "enabled", "disabled"],
  effortWithBudget: true,
  prefill: false,
  vision: true,
  documents: true,
  tools: true,
  structuredOutputs: true,
  prices: { input: 0, output: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0 },
  allowedFallbackModels: [],
  fallbackRouting: {},
  classifiers: [],
  guard: null,
  cacheTokensMin: 1024,
  pass: [],
  ignores: [],
  reportsCache: true,
};

export function request(given: Partial<AttemptRequest> = {}): AttemptRequest {
  const stream = given.stream ?? true;
  return {
    model,
    body: {
      model: "house-large",
      max_tokens: 100,
      messages: [{ role: "user", content: "Hello" }],
      stream,
    },
    stream,
    betas: new Set(),
    requestId: "req_test",
    signal: new AbortController().signal,
    ...given,
  };
}

export const world = { clock: systemClock, logger: silentLogger };

/** All events of an attempt that must be a stream; what it threw, if it did. */
export async function collectEvents(
  events: AsyncIterable<readonly WireEvent[]>,
): Promise<{ events: WireEvent[]; error?: unknown }> {
  const seen: WireEvent[] = [];
  try {
    for await (const batch of events) seen.push(...batch);
    return { events: seen };
  } catch (error) {
    return { events: seen, error };
  }
}

/** Waits until something is so, or fails with what was meant. */
export async function waitUntil(
  what: string,
  isSo: () => boolean,
  withinMs = testTimeoutMs,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!isSo()) {
    assert.ok(performance.now() < deadline, `still not so: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
