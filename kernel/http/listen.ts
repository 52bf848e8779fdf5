// The server itself: its time limits, its answers to broken requests, and its orderly end.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Refusal, type Failure } from "../base/failure.ts";
import type { Ids } from "../base/ids.ts";
import { limits } from "../base/limits.ts";
import { holdBody } from "./body.ts";
import { answerBroken, rawAnswer, refuseExpectation, refuseTunnel } from "./broken.ts";
import { httpLimits } from "./limits.ts";
import { bookStreams, openStreams, type OpenStreams } from "./streams.ts";

export interface ListenOptions {
  host: string;
  port: number;
  dispatch(request: IncomingMessage, response: ServerResponse): void;
  ids: Ids;
  /** Several processes on one port. */
  reusePort?: boolean;
  limits?: Partial<ServerLimits>;
  /** Requests that never were one: for counters. */
  broken?(failure: Failure, requestId: string): void;
}

export interface ServerLimits {
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  connectionCheckMs: number;
  keepAliveTimeoutMs: number;
  headerBytesMax: number;
}

export interface Listening {
  server: Server;
  /** Where it listens; the port is real where 0 was asked for. */
  address: { host: string; port: number };
  streams: OpenStreams;
  /** How many requests are being served just now, streams included. */
  openRequests(): number;
  /** Stops accepting, lets open requests end for `ms`, then cuts. A second call gives the same answer. */
  drain(ms: number): Promise<Drained>;
}

export interface Drained {
  finished: number;
  cut: number;
}

/** A Refusal with a sentence when the address cannot be had. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const streams = openStreams();
  const books: Books = { exchanges: new Set(), latest: new WeakMap(), draining: false };
  const server = makeServer(options, books);
  server.on("connection", (socket: Socket) => bookStreams(socket, streams));
  await bind(server, options);
  const { address, port } = server.address() as AddressInfo;
  let drained: Promise<Drained> | undefined;
  return {
    server,
    address: { host: address, port },
    streams,
    openRequests: () => books.exchanges.size,
    drain: (ms) => (drained ??= drain(server, streams, books, ms)),
  };
}

/** Which responses are open, and which was the last on each connection. */
interface Books {
  exchanges: Set<ServerResponse>;
  latest: WeakMap<Socket, ServerResponse>;
  draining: boolean;
}

function makeServer(options: ListenOptions, books: Books): Server {
  const rules = { ...limits, ...httpLimits, ...options.limits };
  const server = createServer({
    headersTimeout: rules.headersTimeoutMs,
    requestTimeout: Math.max(rules.requestTimeoutMs, rules.headersTimeoutMs),
    connectionsCheckingInterval: rules.connectionCheckMs,
    keepAliveTimeout: rules.keepAliveTimeoutMs,
    maxHeaderSize: rules.headerBytesMax,
    // Node's own answers to these would carry neither an envelope nor a request id.
    requireHostHeader: false,
  });
  server.timeout = httpLimits.silenceTimeoutMs;
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    books.exchanges.add(response);
    books.latest.set(request.socket, response);
    if (books.draining) response.setHeader("connection", "close");
    response.once("close", () => {
      books.exchanges.delete(response);
      // A connection that has just become idle would stay open until its keep-alive ends.
      if (books.draining) setImmediate(() => server.closeIdleConnections());
    });
    options.dispatch(request, response);
  };
  server.on("request", serve);
  server.on("checkContinue", (request, response) => {
    holdBody(request, () => response.writeContinue());
    serve(request, response);
  });
  server.on("checkExpectation", (request, response) => {
    holdBody(request, () => {}); // it waits for a word that it will not get
    refuseExpectation(request, response, options.ids);
  });
  server.on("connect", (_request, socket) => refuseTunnel(socket, options.ids));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    const answer = rawAnswer(error, rules, options.ids);
    if (answer !== undefined) options.broken?.(answer.failure, answer.requestId);
    answerBroken(socket, books.latest.get(socket), answer?.bytes);
  });
  return server;
}

function bind(server: Server, { host, port, reusePort = false }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(refusal(error, host, port));
    server.once("error", fail);
    server.listen({ host, port, reusePort, backlog: httpLimits.backlogMax }, () => {
      server.off("error", fail);
      resolve();
    });
  });
}

function refusal(error: NodeJS.ErrnoException, host: string, port: number): unknown {
  const sentence = {
    EADDRINUSE: `Port ${port} on ${host} is in use by another program; stop that, or choose another port.`,
    EACCES: `This user may not listen on port ${port}; choose a port from 1024 on.`,
    EADDRNOTAVAIL: `This machine has no address ${host}; listen on one that it has, or on 0.0.0.0.`,
    ENOTFOUND: `The host name ${host} is not known; give an address of this machine.`,
  }[error.code ?? ""];
  return sentence === undefined ? error : new Refusal(sentence, 1, error);
}

async function drain(
  server: Server,
  streams: OpenStreams,
  books: Books,
  ms: number,
): Promise<Drained> {
  const open = books.exchanges.size;
  books.draining = true;
  for (const response of books.exchanges)
    if (!response.headersSent) response.setHeader("connection", "close");
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  streams.closeEndless("This server is shutting down; connect again.");
  await within(closed, ms);
  const cut = books.exchanges.size;
  if (cut > 0) {
    streams.closeAll("This server is shutting down before the answer was complete; try again.");
    await within(closed, httpLimits.lastWordsMs);
  }
  server.closeAllConnections();
  await closed;
  return { finished: Math.max(0, open - cut), cut };
}

/** Waits for `event`, but not longer than `ms`. */
async function within(event: Promise<void>, ms: number): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, ms);
  await Promise.race([event, timeout.promise]);
  clearTimeout(timer);
}
