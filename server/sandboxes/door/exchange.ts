// One request on its way to its target, and the reply on its way back, while they come.
import { type Agent, type IncomingMessage, request as send, type ServerResponse } from "node:http";
import type { Duplex, Readable } from "node:stream";
import { type Answer, answerHeaders } from "./answers.ts";
import { doorLimits } from "./limits.ts";
import type { Hiding } from "./secrets/hiding.ts";
import { hostHeader, type Target, type usualPorts } from "./target.ts";

export interface ForwardedRequest {
  readonly target: Target;
  readonly scheme: keyof typeof usualPorts;
  readonly method: string;
  readonly path: string;
  /** Names and values in turn, as they came; neither `host` nor what belongs to one connection is among them. */
  readonly headers: readonly string[];
  readonly body: Readable;
}

/** They say something of one connection, and each connection has its own. */
const hopByHop = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "upgrade",
];

export function answer(response: ServerResponse, given: Answer): void {
  response.writeHead(given.status, given.phrase, answerHeaders(given)).end(`${given.sentence}\n`);
}

export const fault = (status: number, phrase: string, sentence: string): Answer => ({
  status,
  phrase,
  sentence,
});

export const noCoding = fault(
  501,
  "Unknown coding",
  "The only transfer coding taken here is chunked.",
);

/** Found while a body went on: what the sandbox is told. */
export class Unsendable extends Error {
  override readonly name = "Unsendable";
  readonly answer: Answer;

  constructor(given: Answer) {
    super(given.sentence);
    this.answer = given;
  }
}

export const brokenOff = ({ host, port }: Target) =>
  fault(502, "Host broke off", `${host}:${port} ended the connection without an answer in HTTP.`);

/** What goes on of the headers of a request; undefined where its coding is unknown. */
export function headersToSend({ headers, rawHeaders }: IncomingMessage): string[] | undefined {
  const coding = headers["transfer-encoding"]?.trim().toLowerCase();
  if (coding !== undefined && coding !== "chunked") return undefined;
  return [
    ...withoutHops(rawHeaders, headers.connection, ["host", "expect"]),
    ...(coding === undefined ? [] : ["transfer-encoding", "chunked"]),
  ];
}

function withoutHops(
  raw: readonly string[],
  connection: string | undefined,
  more: readonly string[] = [],
): string[] {
  const named = (connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  return withoutNames(raw, [...hopByHop, ...named, ...more]);
}

/** Names in small letters. */
export function withoutNames(raw: readonly string[], names: readonly string[]): string[] {
  const gone = new Set(names);
  return pairs(raw).flatMap((pair) => (gone.has(pair[0].toLowerCase()) ? [] : pair));
}

export interface Exchange {
  incoming: IncomingMessage;
  response: ServerResponse;
  /** The connection to the target: for this one request, or for others after it by means of its agent. */
  socket: Duplex;
  agent?: Agent;
  /** Of what the sandbox must not see in the reply. */
  hiding: Hiding | undefined;
}

/** Resolves when the exchange is over, and its connection where that serves no other one. */
export function exchange(
  request: ForwardedRequest,
  { incoming, response, socket, agent, hiding }: Exchange,
): Promise<void> {
  const { target, scheme, method, path, headers, body } = request;
  return new Promise((resolve) => {
    (agent === undefined ? socket : response).once("close", () => resolve());
    const fail = (given = brokenOff(target)) => {
      socket.destroy();
      if (response.writableEnded) return;
      if (response.headersSent) response.destroy();
      else answer(response, given);
    };
    // Handlers run for servers of strangers: what Node.js will not write on ends this exchange alone.
    const orFail =
      <Args extends unknown[]>(act: (...args: Args) => void) =>
      (...args: Args) => {
        try {
          act(...args);
        } catch {
          fail();
        }
      };
    response.once("close", () => {
      if (!response.writableFinished) socket.destroy();
    });
    const outgoing = send({
      ...(agent === undefined ? { createConnection: () => socket } : { agent }),
      method,
      path,
      headers: ["host", hostHeader(target, scheme), ...headers, ...lengthOf(method, headers)],
      maxHeaderSize: doorLimits.headBytesMax,
    });
    outgoing.on("error", () => fail());
    outgoing.on("upgrade", () => fail());
    outgoing.on(
      "response",
      orFail((reply: IncomingMessage) => {
        reply.on("error", () => fail());
        const ends = agent !== undefined && !outgoing.shouldKeepAlive;
        const phrase = phraseOf(reply);
        response.writeHead(reply.statusCode ?? 502, hiding?.text(phrase) ?? phrase, [
          ...hideIn(headersOf(reply), hiding),
          ...(ends ? ["connection", "close"] : []),
        ]);
        // A client that waits for the first bytes of the body knows that they will come.
        response.flushHeaders();
        const shown = hideInBody(reply, hiding);
        shown.pipe(response, { end: false });
        shown.once(
          "end",
          orFail(() => {
            response.addTrailers(pairs(hideIn(reply.rawTrailers, hiding)));
            response.end();
          }),
        );
      }),
    );
    body.on("error", (error) => fail(error instanceof Unsendable ? error.answer : undefined));
    body.pipe(outgoing, { end: false });
    body.once(
      "end",
      orFail(() => {
        outgoing.addTrailers(pairs(incoming.rawTrailers));
        outgoing.end();
      }),
    );
  });
}

const bodiless: readonly string[] = ["GET", "HEAD", "DELETE", "OPTIONS", "TRACE"];

/** A request that says nothing of its body has none; of some methods that is to be said. */
function lengthOf(method: string, headers: readonly string[]): string[] {
  const isTold = headers.some(
    (name, at) => at % 2 === 0 && /^(content-length|transfer-encoding)$/i.test(name),
  );
  return isTold || bodiless.includes(method) ? [] : ["content-length", "0"];
}

/** In names and values in turn. */
const hideIn = (texts: readonly string[], hiding: Hiding | undefined): readonly string[] =>
  hiding === undefined
    ? texts
    : texts.map((text, at) => (at % 2 === 0 ? hiding.name(text) : hiding.text(text)));

/** Where the body is coded, a secret in it has another form, and is not found. */
const hideInBody = (reply: IncomingMessage, hiding: Hiding | undefined): Readable =>
  hiding === undefined || !isPlain(reply.headers["content-encoding"])
    ? reply
    : reply.pipe(hiding.body());

/** Of `content-encoding`. */
export const isPlain = (coding: string | undefined): boolean =>
  coding === undefined || /^(identity)?$/i.test(coding.trim());

export const headersOf = ({ rawHeaders, headers }: IncomingMessage) =>
  withoutHops(rawHeaders, headers.connection);

export const phraseOf = ({ statusMessage = "" }: IncomingMessage) =>
  /^[\t\x20-\x7e]*$/.test(statusMessage) ? statusMessage : "";

export const pairs = (raw: readonly string[]): [string, string][] =>
  raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ""] as [string, string]] : []));
