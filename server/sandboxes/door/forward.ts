// Requests in plain HTTP: taken as a proxy takes them, and sent on as the target expects them, while they come.
import { type IncomingMessage, request as send, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { type Answer, answerHeaders, tooMany } from "./answers.ts";
import { doorLimits } from "./limits.ts";
import { connectTo, type Reach, refuse } from "./reach.ts";
import { hostHeader, readAbsolute, type Target } from "./target.ts";

export interface ForwardedRequest {
  readonly target: Target;
  readonly method: string;
  readonly path: string;
  /** Names and values in turn, as they came; neither `host` nor what belongs to one connection is among them. */
  readonly headers: readonly string[];
  readonly body: Readable;
}

/** Who changes the length of the body sets `content-length`, or `transfer-encoding: chunked`. */
export type ChangeRequest = (
  request: ForwardedRequest,
) => ForwardedRequest | Promise<ForwardedRequest>;

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

export async function forward(
  reach: Reach,
  incoming: IncomingMessage,
  {
    response,
    changeRequest,
  }: { response: ServerResponse; changeRequest?: ChangeRequest | undefined },
): Promise<void> {
  const end = reach.begin();
  if (end === undefined) return answer(response, tooMany);
  response.sendDate = false;
  try {
    const request = read(reach, incoming);
    if ("status" in request) return answer(response, request);
    const socket = await connectTo(reach, request.target);
    if ("status" in socket) return answer(response, socket);
    const changed = changeRequest === undefined ? request : await changeRequest(request);
    if (response.destroyed) return void socket.destroy();
    // Of one that is closed already no event would come any more.
    if (socket.destroyed) return answer(response, brokenOff(request.target));
    await exchange({ ...changed, target: request.target }, { incoming, response, socket });
  } catch (error) {
    reach.options.world.logger.error({ error }, "a request of a sandbox failed");
    response.destroy();
  } finally {
    end();
  }
}

function answer(response: ServerResponse, given: Answer): void {
  response.writeHead(given.status, given.phrase, answerHeaders(given)).end(`${given.sentence}\n`);
}

function read(reach: Reach, incoming: IncomingMessage): ForwardedRequest | Answer {
  const { url = "", method = "GET", headers, rawHeaders } = incoming;
  if (!/^http:\/\//i.test(url)) return notForProxies;
  const there = readAbsolute(url);
  if (there === undefined) {
    const host = url.slice("http://".length).split("/", 1)[0] ?? "";
    return refuse(reach, { host, port: 0, reason: "spelling" });
  }
  const upgrade = headers.upgrade?.trim().toLowerCase();
  // A proposal of HTTP/2 may be passed over, and some clients make it each time.
  if (upgrade !== undefined && upgrade !== "h2c") return noUpgrade;
  const coding = headers["transfer-encoding"]?.trim().toLowerCase();
  if (coding !== undefined && coding !== "chunked") return noCoding;
  return {
    ...there,
    method,
    headers: [
      ...withoutHops(rawHeaders, headers.connection, ["host", "expect"]),
      ...(coding === undefined ? [] : ["transfer-encoding", "chunked"]),
    ],
    body: incoming,
  };
}

function withoutHops(
  raw: readonly string[],
  connection: string | undefined,
  more: readonly string[] = [],
): string[] {
  const named = (connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  const gone = new Set([...hopByHop, ...named, ...more]);
  const kept: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = "", value = ""] = [raw[at], raw[at + 1]];
    if (!gone.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}

const fault = (status: number, phrase: string, sentence: string): Answer => ({
  status,
  phrase,
  sentence,
});

const notForProxies = fault(
  400,
  "Not a request to a proxy",
  "Here is a proxy: ask for http://HOST/PATH, or open a tunnel with CONNECT HOST:PORT for everything else.",
);
const noUpgrade = fault(
  501,
  "No upgrade",
  "Over plain HTTP no other protocol is begun. Use a tunnel (CONNECT), as clients do for https and wss.",
);
const noCoding = fault(501, "Unknown coding", "The only transfer coding taken here is chunked.");
const brokenOff = ({ host, port }: Target) =>
  fault(502, "Host broke off", `${host}:${port} ended the connection without an answer in HTTP.`);

interface Exchange {
  incoming: IncomingMessage;
  response: ServerResponse;
  socket: Socket;
}

/** Resolves when the connection to the target is closed: it serves this one request. */
function exchange(
  request: ForwardedRequest,
  { incoming, response, socket }: Exchange,
): Promise<void> {
  const { target, method, path, headers, body } = request;
  return new Promise((resolve) => {
    socket.once("close", () => resolve());
    const fail = () => {
      if (response.headersSent) response.destroy();
      else answer(response, brokenOff(target));
      socket.destroy();
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
      createConnection: () => socket,
      method,
      path,
      headers: ["host", hostHeader(target), ...headers, ...lengthOf(method, headers)],
      maxHeaderSize: doorLimits.headBytesMax,
    });
    outgoing.on("error", fail);
    outgoing.on("upgrade", fail);
    outgoing.on(
      "response",
      orFail((reply: IncomingMessage) => {
        reply.on("error", fail);
        response.writeHead(reply.statusCode ?? 502, phraseOf(reply), headersOf(reply));
        reply.pipe(response, { end: false });
        reply.once(
          "end",
          orFail(() => {
            response.addTrailers(pairs(reply.rawTrailers));
            response.end();
          }),
        );
      }),
    );
    body.on("error", fail);
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

const headersOf = ({ rawHeaders, headers }: IncomingMessage) =>
  withoutHops(rawHeaders, headers.connection);

const phraseOf = ({ statusMessage = "" }: IncomingMessage) =>
  /^[\t\x20-\x7e]*$/.test(statusMessage) ? statusMessage : "";

const pairs = (raw: readonly string[]): [string, string][] =>
  raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ""] as [string, string]] : []));
