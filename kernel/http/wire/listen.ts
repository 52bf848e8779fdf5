// The server itself: its time limits, its answers to broken requests, and its orderly end.
import { createServer, type IncomingMessage, type Server } from "node:http";
import { Server as NetServer, type AddressInfo, type Socket } from "node:net";
import type { Failure } from "../../base/failure.ts";
import { listenError } from "../../base/free-port.ts";
import type { Ids } from "../../base/ids.ts";
import { nextLoopIteration } from "../../base/event-loop.ts";
import { limits } from "../../base/limits.ts";
import { deferBody } from "../input/body.ts";
import type { HttpRequest, HttpResponse } from "./http-exchange.ts";
import { openLeanFront, type LeanFront } from "./lean/lean-front.ts";
import type { LeanPaths } from "./lean/request-head.ts";
import { answerBroken, rawAnswer, refuseExpectation, refuseTunnel } from "./broken-requests.ts";
import { httpLimits } from "../limits.ts";
import { makeOpenRequests, type OpenRequests } from "./open-requests.ts";
import { waitForQuietSocket } from "./quiet-socket.ts";
import {
  registerStreams,
  openStreams,
  streamsOf,
  type OpenStreams,
} from "../output/open-streams.ts";

export interface ListenOptions {
  host: string;
  port: number;
  dispatch(request: HttpRequest, response: HttpResponse): void;
  /** Canonical requests for these do without node:http, which costs more than all the rest of a small one. */
  leanPaths?: LeanPaths;
  ids: Ids;
  /** Takes over the connection of a request for another protocol; undefined: it is a request like any other. */
  upgrade?(request: IncomingMessage): TakeOver | undefined;
  /** Several processes on one port. */
  reusePort?: boolean;
  /** A port of this process alone, also where it is one of several that share theirs. */
  exclusive?: boolean;
  limits?: Partial<ServerLimits>;
  /** Called for input that is no valid request: for counters. */
  broken?(failure: Failure, requestId: string): void;
}

type TakeOver = (connection: Socket, head: Buffer) => void;

export interface ServerLimits {
  headersTimeoutMs: number;
  connectionCheckMs: number;
  keepAliveTimeoutMs: number;
  headerBytesMax: number;
}

export interface ListeningServer {
  server: Server;
  /** Where it listens; the port is real where 0 was asked for. */
  address: { host: string; port: number };
  streams: OpenStreams;
  /** How many requests are being served just now, streams included. */
  openRequests(): number;
  /** Goes on accepting, and has every answer close its connection: clients look for another server in time. */
  enterLameDuck(): void;
  /** From now to the drain requests wait, so that their clients open no further connections. */
  holdRequests(): void;
  /**
   * Stops accepting, lets open requests end for `ms`, then says so and cuts. A second call gives the same answer.
   */
  drain(ms: number, onDrainOver?: () => void): Promise<Drained>;
}

export interface Drained {
  finished: number;
  cut: number;
}

/** An ExitError with a sentence when the address cannot be had. */
export async function listen(options: ListenOptions): Promise<ListeningServer> {
  const streams = openStreams();
  const state: ServerState = {
    openRequests: makeOpenRequests(),
    accepted: 0,
    nextRequestMs: 0,
    heldRequests: undefined,
    isDraining: false,
  };
  const { server, front } = makeServer(options, state);
  server.on("connection", (socket: Socket) => {
    state.accepted++;
    registerStreams(socket, streams);
  });
  await bind(server, options);
  const { address, port } = server.address() as AddressInfo;
  let drained: Promise<Drained> | undefined;
  return {
    server,
    address: { host: address, port },
    streams,
    openRequests: () => state.openRequests.open.size,
    enterLameDuck: () => {
      state.openRequests.enterLameDuck();
      state.nextRequestMs = httpLimits.nextRequestMs;
    },
    holdRequests: () => void (state.heldRequests ??= []),
    drain: (ms, onDrainOver) =>
      (drained ??= drain({ server, front }, streams, state, { ms, onDrainOver })),
  };
}

interface ServerState {
  openRequests: OpenRequests;
  /** Connections so far. */
  accepted: number;
  isDraining: boolean;
  /** Requests that came while the listening socket is being closed. */
  heldRequests: (() => void)[] | undefined;
  /** How long a connection whose client was not told of the end waits for its next request. */
  nextRequestMs: number;
}

interface Listener {
  server: Server;
  front: LeanFront | undefined;
}

function makeServer(options: ListenOptions, state: ServerState): Listener {
  const { openRequests } = state;
  const rules = { ...limits, ...httpLimits, ...options.limits };
  const takeOvers = new WeakMap<IncomingMessage, TakeOver>();
  const server = createServer({
    shouldUpgradeCallback: (request) => {
      const takeOver = options.upgrade?.(request);
      if (takeOver !== undefined) takeOvers.set(request, takeOver);
      return takeOver !== undefined;
    },
    headersTimeout: rules.headersTimeoutMs,
    // The readers of bodies end them when idle: a slow one that keeps coming is no attack.
    requestTimeout: 0,
    connectionsCheckingInterval: rules.connectionCheckMs,
    keepAliveTimeout: rules.keepAliveTimeoutMs,
    maxHeaderSize: rules.headerBytesMax,
    // Node's own answers to these would carry neither an envelope nor a request id.
    requireHostHeader: false,
  });
  server.timeout = httpLimits.silenceTimeoutMs;
  const serve = (request: HttpRequest, response: HttpResponse) => {
    if (state.heldRequests !== undefined) {
      state.heldRequests.push(() => serve(request, response));
      return;
    }
    // Its client may have left while it was held.
    if (response.closed) return;
    const { socket } = request;
    if (!openRequests.begin(request, response)) return;
    response.once("close", () => {
      // A connection that has just become idle would stay open until its keep-alive ends.
      if (state.isDraining)
        setTimeout(async () => {
          await nextLoopIteration();
          if (openRequests.latest(socket) === response) socket.destroySoon();
        }, state.nextRequestMs);
    });
    options.dispatch(request, response);
  };
  server.on("request", serve);
  server.on("upgrade", (request, socket: Socket, head) => {
    socket.setTimeout(0);
    // A drain ends it at once, as it does endless streams.
    const forget = streamsOf(socket)?.add({ endless: true, end: () => socket.destroy() });
    socket.once("close", () => forget?.());
    takeOvers.get(request)?.(socket, head);
  });
  server.on("checkContinue", (request, response) => {
    deferBody(request, () => response.writeContinue());
    serve(request, response);
  });
  server.on("checkExpectation", (request, response) => {
    deferBody(request, () => {}); // its client waits for a 100 that does not come
    refuseExpectation(request, response, options.ids);
  });
  server.on("connect", (_request, socket) => refuseTunnel(socket, options.ids));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    const answer = rawAnswer(error, rules, options.ids);
    if (answer !== undefined) options.broken?.(answer.failure, answer.requestId);
    answerBroken(socket, openRequests.latest(socket), answer?.bytes);
  });
  const { leanPaths: paths } = options;
  const { connectionCheckMs } = rules;
  const followed = openRequests.expectAnother;
  const front =
    paths !== undefined && paths.size > 0
      ? openLeanFront(server, { paths, serve, followed, connectionCheckMs })
      : undefined;
  return { server, front };
}

function bind(
  server: NetServer,
  {
    host,
    port,
    reusePort = false,
    exclusive = false,
  }: Pick<ListenOptions, "host" | "port" | "reusePort" | "exclusive">,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(listenError(error, host, port));
    server.once("error", fail);
    server.listen({ host, port, reusePort, exclusive, backlog: httpLimits.backlogMax }, () => {
      server.off("error", fail);
      resolve();
    });
  });
}

async function drain(
  listener: Listener,
  streams: OpenStreams,
  state: ServerState,
  { ms, onDrainOver }: { ms: number; onDrainOver: (() => void) | undefined },
): Promise<Drained> {
  const { openRequests } = state;
  const open = openRequests.open.size;
  openRequests.enterLameDuck();
  const { all: closed } =
    state.nextRequestMs > 0 ? await closeGently(listener, state) : close(listener);
  state.isDraining = true;
  streams.closeEndless("This server is shutting down; connect again.");
  await within(closed, ms);
  const cut = openRequests.open.size;
  if (cut > 0) {
    onDrainOver?.();
    streams.closeAll("This server is shutting down before the answer was complete; try again.");
    await within(closed, httpLimits.lastWordsMs);
  }
  listener.server.closeAllConnections();
  listener.front?.closeAll();
  await closed;
  return { finished: Math.max(0, open - cut), cut };
}

/** Stops accepting, and ends what is idle: for Node, connections that have sent nothing yet too. */
const close = ({ server, front }: Listener) => ({
  all: new Promise<void>((resolve) => {
    server.close(() => resolve());
    front?.closeIdle();
  }),
});

/**
 * Stops accepting so that no client notices: requests that come meanwhile wait, which leaves the loop quiet, and what
 * has been accepted has a moment to send its request. The wait is for the end of all connections, in an object of its
 * own: a promise would be waited for here.
 */
async function closeGently(
  { server, front }: Listener,
  state: ServerState,
): Promise<{ all: Promise<void> }> {
  const held = (state.heldRequests ??= []);
  await waitForQuietSocket(() => state.accepted);
  const all = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => resolve());
  });
  state.heldRequests = undefined;
  for (const serve of held) serve();
  // Also stops Node's own looking after time limits, which only the server's own close does.
  setTimeout(async () => {
    await nextLoopIteration(); // on a busy machine what has come in this time is not read yet
    server.close(() => {});
    front?.closeIdle();
  }, state.nextRequestMs);
  return { all };
}

/** Waits for `event`, but not longer than `ms`. */
async function within(event: Promise<void>, ms: number): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, ms);
  await Promise.race([event, timeout.promise]);
  clearTimeout(timer);
}
