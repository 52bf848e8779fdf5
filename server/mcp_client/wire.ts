// Requests to an MCP server as its client makes them, each judged as it goes out; and why a server did not do its part.
import type { World } from "../../kernel/context.ts";
import type { OutsideFailure } from "../../kernel/http/outside/failure.ts";
import { streamOutside } from "../../kernel/http/outside/stream.ts";
import { limits } from "./limits.ts";
import { makeSessionStream } from "./questions/session-stream.ts";

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

/** Of a call that came to nothing, for the model that made it. */
export const effectWords = (mayHaveRun: boolean): string =>
  mayHaveRun ? "Whether the call had its effect is not known." : "The call was not run.";

/** Requests as the client makes them, each judged as it goes out; it remembers why one of them failed. */
export function makeWire(world: World, address: ServerAddress, firstMs: number, listens = false) {
  const hearSession = makeSessionStream(world, address, listens);
  const wire = {
    timeoutMs: firstMs,
    fault: undefined as McpFault | undefined,
    /** Something of what is asked may have reached the server. */
    hasSent: false,
    /** The last answer to a request is a stream, whose end is yet to come. */
    isStream: false,
    /** A server of 2024 answers over one stream, which is opened once and lasts as long as the connection. */
    isOneStream: false,
    begin: (timeoutMs: number) => {
      wire.timeoutMs = timeoutMs;
      wire.fault = undefined;
      wire.hasSent = false;
    },
    fetch: async (given: string | URL, init: RequestInit = {}): Promise<Response> => {
      const url = new URL(given);
      const { method = "GET", body, signal } = init;
      const headers = new Headers(init.headers);
      // Else it is an answer that broke off, which is asked for again.
      const isListening = method === "GET" && !headers.has("last-event-id");
      if (isListening && !wire.isOneStream)
        return hearSession({ url, headers, signal: signal ?? undefined });
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
        wire.fault ??= new McpFault(kind, wordsOfRefusal(response.status, address));
      } else if (isResuming && response.ok) wire.fault = undefined;
      return response;
    },
  };
  return wire;
}

export type Wire = ReturnType<typeof makeWire>;

const wordsOfRefusal = (status: number, { authorization }: ServerAddress) =>
  `refused the request with the status ${status}: it ${
    authorization === undefined
      ? "wants credentials, and was asked without any."
      : "does not take the credentials that it was given, or they do not suffice."
  }`;

export const brokeOff = (cause: unknown) =>
  new McpFault("connection", "broke off its answer.", { cause });

const faultOfFailure = (failure: OutsideFailure, hasAnswered: boolean): McpFault =>
  hasAnswered && failure.reason === "unreachable"
    ? brokeOff(failure)
    : new McpFault("connection", failure.message, { cause: failure });
