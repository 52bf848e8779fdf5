// A session with the server behind a bridge: over streamable HTTP, over the HTTP and events of 2024, or with a command.
import {
  Client,
  SdkHttpError,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type ClientCapabilities,
  type LoggingLevel,
  type Transport,
} from "@modelcontextprotocol/client";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Clock } from "../../../kernel/base/clock.ts";
import { isAtLeast } from "../../mcp_endpoint/module.ts";
import { commandTransport } from "./command.ts";
import type { CommandLine } from "./lines.ts";
import { sandboxedTransport, type SandboxMaker } from "./sandboxed.ts";
import { limits } from "../limits.ts";

export type Upstream =
  | {
      kind: "http";
      url: string;
      headers?: Readonly<Record<string, string>>;
      passAuthorization: boolean;
    }
  /** Without a maker of sandboxes it runs as the bridge does. */
  | ({ kind: "command"; sandbox?: SandboxMaker | undefined } & CommandLine);

/** Whose session it is: callers that differ in one of these do not share any. */
export interface Caller {
  /** Who it is, where that was found out before. */
  holder?: string;
  authorization: string | undefined;
  /** What the server behind may ask of the client. */
  capabilities: Pick<ClientCapabilities, "elicitation" | "sampling" | "roots">;
}

export const questionMethods = [
  "elicitation/create",
  "sampling/createMessage",
  "roots/list",
] as const;
export type QuestionMethod = (typeof questionMethods)[number];

/** What a server asks while it works on a call. */
export interface ServerQuestion {
  method: QuestionMethod;
  params: object;
  /** The server takes it back. */
  signal: AbortSignal;
}

/** The one call whose client is asked and told, while it runs. */
export interface CallListener {
  ask(question: ServerQuestion): Promise<object>;
  log(message: { level: LoggingLevel; data: unknown; logger?: string | undefined }): void;
}

export interface Session {
  client: Client;
  listener: CallListener | undefined;
  isEnded: boolean;
  /** A 404 within it says that the server has forgotten it. */
  hasId: boolean;
  /** The server logs from this level on. */
  logFrom(level: LoggingLevel): Promise<void>;
  /** Also tells the server, where that is possible. */
  end(): Promise<void>;
}

export interface Behind {
  upstream: Upstream;
  version: string;
  clock: Clock;
}

/** Throws what the packages throw. */
export async function beginSession(
  behind: Behind,
  caller: Caller,
  onEnd: () => void,
): Promise<Session> {
  const { upstream, clock } = behind;
  if (upstream.kind === "command") {
    const { sandbox } = upstream;
    const transport =
      sandbox === undefined
        ? commandTransport(upstream, clock)
        : sandboxedTransport(upstream, sandbox, clock);
    return connect(behind, caller, transport, onEnd);
  }
  const { authorization } = caller;
  const isPassed = upstream.passAuthorization && authorization !== undefined;
  const headers = { ...upstream.headers, ...(isPassed && { authorization }) };
  const url = new URL(upstream.url);
  const options = { requestInit: { headers } };
  try {
    const transport = new StreamableHTTPClientTransport(url, options);
    return await connect(behind, caller, transport, onEnd);
  } catch (error) {
    if (!(error instanceof SdkHttpError && isOfAnotherTransport(error.status))) throw error;
    return connect(behind, caller, new SSEClientTransport(url, options), onEnd);
  }
}

const isOfAnotherTransport = (status: number) => status === 400 || status === 404 || status === 405;

async function connect(
  { version, clock }: Behind,
  { capabilities }: Caller,
  transport: Transport,
  onEnd: () => void,
): Promise<Session> {
  const client = new Client(
    { name: "plinth-mcp-bridge", version },
    { capabilities, versionNegotiation: { mode: "legacy" } },
  );
  let logged: LoggingLevel | undefined;
  const session: Session = {
    client,
    listener: undefined,
    isEnded: false,
    hasId: false,
    async logFrom(level) {
      const isEnough = logged !== undefined && isAtLeast(level, logged);
      if (isEnough || client.getServerCapabilities()?.logging === undefined) return;
      logged = level;
      await client.request({ method: "logging/setLevel", params: { level } });
    },
    async end() {
      if (transport instanceof StreamableHTTPClientTransport && !session.isEnded)
        await within(clock, transport.terminateSession());
      await client.close();
    },
  };
  let isBegun = false;
  // The client has no listeners beside these two.
  // oxlint-disable unicorn/prefer-add-event-listener
  client.onclose = () => {
    session.isEnded = true;
    if (isBegun) onEnd();
  };
  // Another connection would be another session: the address for messages comes with it.
  client.onerror = (error) => {
    if (isBegun && error instanceof SseError) void client.close();
  };
  // oxlint-enable unicorn/prefer-add-event-listener
  listen(session, capabilities);
  endBrokenAnswers(transport);
  try {
    await client.connect(transport, { timeout: limits.startMs });
    if (session.isEnded) throw new Error("The session ended as it began.");
  } catch (error) {
    await client.close();
    throw error;
  }
  isBegun = true;
  session.hasId =
    transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined;
  return session;
}

function listen(session: Session, capabilities: Caller["capabilities"]): void {
  const { client } = session;
  const isDeclared = (method: QuestionMethod) =>
    ({
      "elicitation/create": capabilities.elicitation,
      "sampling/createMessage": capabilities.sampling,
      "roots/list": capabilities.roots,
    })[method] !== undefined;
  for (const method of questionMethods.filter(isDeclared))
    client.setRequestHandler(method, ((
      { params = {} }: { params?: object },
      { mcpReq: { signal } }: { mcpReq: { signal: AbortSignal } },
    ) => {
      if (session.listener !== undefined) return session.listener.ask({ method, params, signal });
      throw new ProtocolError(
        ProtocolErrorCode.InvalidRequest,
        "No call is under way whose client could be asked.",
      );
    }) as never);
  client.setNotificationHandler("notifications/message", ({ params }) =>
    session.listener?.log(params),
  );
}

/** What is under a call whose answer broke off, in place of an answer; no server can send this very object. */
export const brokenOff = {};

/** The client would wait until its time is up. */
function endBrokenAnswers(transport: Transport): void {
  if (!(transport instanceof StreamableHTTPClientTransport)) return;
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (!("method" in message && "id" in message)) return send(message, options);
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.();
      const error = {
        code: ProtocolErrorCode.InternalError,
        message: "broke off",
        data: brokenOff,
      };
      // Where the answer has come, the client takes no second.
      transport.onmessage?.({ jsonrpc: "2.0", id: message.id, error });
    };
    return send(message, { ...options, onRequestStreamEnd });
  };
}

/** A server that does not answer keeps no caller waiting. */
async function within(clock: Clock, work: Promise<void>): Promise<void> {
  const done = new AbortController();
  const settled = work.catch(() => {}).finally(() => done.abort());
  await Promise.race([settled, clock.sleep(limits.farewellMs, done.signal)]);
}
