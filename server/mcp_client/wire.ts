// Requests to an MCP server as its client makes them, each judged as it goes out; and why a server did not do its part.
import type { World } from "../../kernel/context.ts";
import type { OutsideFailure } from "../../kernel/http/outside/failure.ts";
import { streamOutside } from "../../kernel/http/outside/stream.ts";
import { limits } from "./limits.ts";

export interface ServerAddress {
  url: string;
  /** The header `authorization`. */
  authorization: string | undefined;
  /** Why the address may not be asked, for each one that is about to be. */
  refusalOf: (url: URL) => string | undefined;
}

/** Why a server did not do what it was asked: a sentence without a subject. */
export class McpFault extends Error {
  readonly kind: "connection" | "authentication" | "session_gone" | "answer";
  /** What the server says of it: for the result of a call alone, and never part of the message (rule MCP8). */
  readonly said: string | undefined;
  /** Of the answer, where that is all there is to say. */
  readonly status: number | undefined;
  /** A call may have had its effect. */
  mayHaveRun: boolean;

  constructor(
    kind: McpFault["kind"],
    message: string,
    { cause, said, status }: { cause?: unknown; said?: string; status?: number } = {},
  ) {
    super(message, { cause });
    this.name = "McpFault";
    this.kind = kind;
    this.said = said;
    this.status = status;
    this.mayHaveRun = kind === "connection" || kind === "answer";
  }
}

/** Requests as the client makes them, each judged as it goes out; it remembers why one of them failed. */
export function makeWire(
  world: World,
  address: ServerAddress,
  { timeoutMs: firstTimeoutMs, listens }: { timeoutMs: number; listens: boolean },
) {
  const wire = {
    timeoutMs: firstTimeoutMs,
    fault: undefined as McpFault | undefined,
    /** Something of what is asked may have reached the server. */
    hasSent: false,
    /** The last answer to a request is a stream, whose end is yet to come. */
    isStream: false,
    /** A server of 2024 answers over one stream, which is opened once and lasts as long as the connection. */
    isOneStream: false,
    /** Whatever a server says unasked is listened to so often: its stream may end, and is opened again. */
    listensLeft: listens ? limits.listensMax : 0,
    begin: (timeoutMs: number) => {
      wire.timeoutMs = timeoutMs;
      wire.fault = undefined;
      wire.hasSent = false;
      wire.isStream = false;
    },
    fetch: async (given: string | URL, init: RequestInit = {}): Promise<Response> => {
      const url = new URL(given);
      const { method = "GET", body, signal } = init;
      const headers = new Headers(init.headers);
      // Else it is an answer that broke off, which is asked for again.
      const isListening = method === "GET" && !headers.has("last-event-id");
      if (isListening && !wire.isOneStream)
        return listen(world, address, wire, { url, headers, signal });
      const refusal = address.refusalOf(url);
      if (refusal !== undefined) throw (wire.fault ??= new McpFault("connection", refusal));
      if (address.authorization !== undefined) headers.set("authorization", address.authorization);
      const ask = {
        method,
        headers,
        body: typeof body === "string" ? body : undefined,
        signal: signal ?? undefined,
      };
      let hasAnswered = false;
      const response = await streamOutside(world, url, ask, {
        bytesMax: isListening ? limits.oneStreamBytesMax : limits.answerBytesMax,
        timeoutMs: isListening ? limits.oneStreamMs : wire.timeoutMs,
        onFailure: (failure) => (wire.fault ??= faultOfFailure(failure, hasAnswered)),
        onConnect: () => (wire.hasSent = true),
      });
      hasAnswered = true;
      const type = response.headers.get("content-type") ?? "";
      // What is told beside a call, as an answer to its server, has a 202 of its own.
      if (response.status !== 202) wire.isStream = type.includes("text/event-stream");
      const isRefused = response.status === 401 || response.status === 403;
      // The rest of an answer: what was asked has been taken, and is not to be asked again with another token.
      const isResuming = method === "GET" && !isListening;
      if (isRefused) {
        const kind = isResuming ? "connection" : "authentication";
        wire.fault ??= new McpFault(kind, wordsOfRefusal(response.status));
      } else if (isResuming && response.ok) wire.fault = undefined;
      return response;
    },
  };
  return wire;
}

export type Wire = ReturnType<typeof makeWire>;

const notListening = () => new Response(null, { status: 405 });

/**
 * Rule MCP51. What becomes of this stream says nothing of what is asked beside it. It is given without the ids of its
 * events: with them, its client would ask for it as it asks for the rest of an answer.
 */
async function listen(
  world: World,
  { refusalOf, authorization }: ServerAddress,
  wire: { listensLeft: number },
  { url, headers, signal }: { url: URL; headers: Headers; signal: AbortSignal | null | undefined },
): Promise<Response> {
  if (wire.listensLeft === 0 || refusalOf(url) !== undefined) return notListening();
  wire.listensLeft -= 1;
  if (authorization !== undefined) headers.set("authorization", authorization);
  try {
    const response = await streamOutside(
      world,
      url,
      { method: "GET", headers, signal: signal ?? undefined },
      { bytesMax: limits.oneStreamBytesMax, timeoutMs: limits.oneStreamMs },
    );
    const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
    if (response.ok && isStream && response.body !== null)
      return new Response(response.body.pipeThrough(withoutIds()), response);
    await response.body?.cancel();
  } catch {
    // That a server cannot be reached is told by what is asked of it.
  }
  return notListening();
}

/** Of a stream of events, whichever way its pieces are cut. */
function withoutIds(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = "";
  return new TransformStream({
    transform: (piece, controller) => {
      const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      const kept = lines.filter((line) => !line.startsWith("id:"));
      if (kept.length > 0) controller.enqueue(encoder.encode(`${kept.join("\n")}\n`));
    },
  });
}

const wordsOfRefusal = (status: number) =>
  `refused the request with the status ${status}: it wants credentials that it was not given, or does not take those that it was.`;

export const brokeOff = (cause: unknown) =>
  new McpFault("connection", "broke off its answer.", { cause });

const faultOfFailure = (failure: OutsideFailure, hasAnswered: boolean): McpFault =>
  hasAnswered && failure.reason === "unreachable"
    ? brokeOff(failure)
    : new McpFault("connection", failure.message, { cause: failure });
