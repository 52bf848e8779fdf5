// `/mcp`: from an HTTP request to the MCP server that answers it, and back.
import type { ReadableStreamDefaultReader } from "node:stream/web";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import Type from "typebox";
import { Failure, invalid, isFailure } from "../../../kernel/base/failure.ts";
import type { Context, World } from "../../../kernel/context.ts";
import {
  makeDispatch,
  type Authentication,
  type DispatchOptions,
} from "../../../kernel/http/dispatch.ts";
import { expectNamesOnce, type OriginalBody } from "../../../kernel/http/input/body.ts";
import { streamsOf } from "../../../kernel/http/output/open-streams.ts";
import { json, Reply, type Headers, type ReplyBody } from "../../../kernel/http/output/reply.ts";
import { originalJson, route, type Route } from "../../../kernel/http/route.ts";
import type { HttpRequest, HttpResponse } from "../../../kernel/http/wire/http-exchange.ts";
import { mcpChallenge } from "../../authorizations/module.ts";
import type { Caller } from "../changes/watch.ts";
import { limits } from "../limits.ts";
import { isListen, methodOf, noMessage } from "../message.ts";
import { expectOwnHost } from "./origins.ts";

const path = "/mcp";
const permission = "messages:use";

export const isMcp = (url: string | undefined): boolean =>
  url === path || url?.startsWith(`${path}?`) === true || url?.startsWith(`${path}/`) === true;

/** What answers; `context` is that of a caller. */
export interface Endpoint {
  /** A message of JSON-RPC, also of a caller without a credential; a message where it is all of the answer. */
  answer(
    request: Request,
    message: unknown,
    context: Context | undefined,
    caller: Caller,
  ): Promise<Response | JSONRPCMessage>;
  listen(context: Context, sessionId: string, caller: Caller): Promise<Response>;
  end(context: Context, sessionId: string): Promise<Response>;
}

export interface McpOptions extends Pick<
  DispatchOptions,
  "authentication" | "budget" | "proxies" | "onBegan" | "onAnswered"
> {
  /** Asked for with the first request: the packages of MCP take a tenth of a second. */
  load(): Promise<Endpoint>;
  /** Other MCP servers below its address. */
  more?: readonly Route[];
}

/** A mount beside the API's, with errors of its own. */
export function makeMcpDispatch(world: World, { load, more = [], ...options }: McpOptions) {
  let loaded: Promise<Endpoint> | undefined;
  const endpoint = () => (loaded ??= load());
  const callerNow = (context: Context): Caller => laterCaller(options.authentication, context);
  return makeDispatch({
    ...options,
    authentication: atOwnHost(world, options.authentication),
    world,
    replyFormat: { contentType: "application/json", error: errorOf },
    routes: [
      route({
        ...sharedBy(world),
        operation: "mcp.post",
        method: "POST",
        summary: "The MCP server of a workspace.",
        body: originalJson(Type.Unknown()),
        bodyBytesMax: limits.bodyBytesMax,
        handle: async (context, { body }) => {
          const message = messageIn(body);
          const known = callerOf(context);
          if (known === undefined && methodOf(message) !== "server/discover")
            throw unknownCaller(world);
          const { answer } = await endpoint();
          const request = requestOf(world, context);
          const answered = await answer(request, message, known, callerNow(context));
          return replyOf(answered, { isEndless: isListen(message) });
        },
      }),
      sessionRoute(world, "GET", async (context, id) =>
        (await endpoint()).listen(context, id, callerNow(context)),
      ),
      sessionRoute(world, "DELETE", async (...session) => (await endpoint()).end(...session)),
      ...more,
    ],
  });
}

interface McpRoute {
  operation: string;
  /** Below `/mcp`. */
  path: string;
  summary: string;
  answer(
    request: Request,
    message: unknown,
    context: Context,
    params: Readonly<Record<string, string>>,
  ): Promise<Response>;
}

/** Another MCP server, for callers with a credential of a workspace. */
export const mcpRoute = (world: World, { answer, ...facts }: McpRoute): Route =>
  route({
    ...sharedBy(world),
    ...facts,
    method: "POST",
    body: originalJson(Type.Unknown()),
    bodyBytesMax: limits.bodyBytesMax,
    handle: async (context, { params, body }) => {
      const message = messageIn(body);
      const caller = callerOf(context);
      if (caller === undefined) throw unknownCaller(world);
      const answered = await answer(requestOf(world, context), message, caller, params);
      return replyOf(answered, { isEndless: isListen(message) });
    },
  });

const sharedBy = (world: World) =>
  ({
    path,
    // Rule MCE2: what a call may do is judged as its tool does it; here, who may come at all.
    permission,
    credentials: ["api_key", "oauth_token"],
    mayBeAnonymous: true,
    refusal: (failure: Failure) => ({
      value: errorOf(failure),
      // What is thrown where no credential came has a challenge of its own, without an error in it.
      headers:
        failure.status === 401
          ? { "www-authenticate": mcpChallenge(world, { error: "invalid_token" }) }
          : {},
    }),
    reply: "bytes",
  }) as const;

/** Rule MCE4: clients of the newer revision have no use for these methods. */
const sessionRoute = (
  world: World,
  method: "GET" | "DELETE",
  answer: (context: Context, sessionId: string) => Promise<Response>,
): Route =>
  route({
    ...sharedBy(world),
    operation: `mcp.${method.toLowerCase()}`,
    method,
    summary: "The session of a client of an older revision.",
    handle: async (context) => {
      const id = context.headers["mcp-session-id"];
      if (typeof id !== "string")
        throw invalid(`${path} takes ${method} with the Mcp-Session-Id of a session alone.`, {
          status: 405,
          headers: { allow: "POST" },
        });
      const caller = callerOf(context);
      if (caller === undefined) throw unknownCaller(world);
      return replyOf(await answer(caller, id), { isEndless: true });
    },
  });

/** A page of another site does not even learn whether a credential is good. */
const atOwnHost = (world: World, authentication: Authentication): Authentication => ({
  ...authentication,
  authenticate: (request) => {
    expectOwnHost(world, request.headers);
    return authentication.authenticate(request);
  },
});

/** An open caller has none: the dispatcher lets them through for what needs no credential. */
const callerOf = (context: Context): Context | undefined =>
  (context.who as Context["who"] | null) === null ? undefined : context;

const unknownCaller = (world: World) =>
  new Failure(
    "authentication_error",
    "This request carries no credential. Send authorization: Bearer and an API key of a workspace, or x-api-key.",
    { headers: { "www-authenticate": mcpChallenge(world) } },
  );

/** The caller of a request as they are when it is asked, as long as its stream is open. */
const laterCaller =
  ({ authenticate, selectWorkspace }: Authentication, context: Context): Caller =>
  async () => {
    const request = { headers: context.headers, method: "POST" } as HttpRequest;
    try {
      const who = await authenticate(request);
      return who && ((await selectWorkspace?.(who, request, permission)) ?? who);
    } catch (error) {
      if (!isFailure(error)) throw error;
      // The database may be away: whether it is good is found out when it is back.
      return error.status < 500 ? undefined : context.who;
    }
  };

/** The error of JSON-RPC in place of the API's envelope; programs that know HTTP alone read the status. */
const errorOf = ({ status, message, type, options }: Failure) => ({
  jsonrpc: "2.0",
  id: null,
  error: { code: codeOf(status, options.code), message, data: { type } },
});

function codeOf(status: number, code: string | undefined): number {
  if (code === noMessage) return invalidRequest;
  return status === 400 || status === 415 ? parseError : refused;
}
const parseError = -32700;
const invalidRequest = -32600;
const refused = -32000;

function messageIn(body: OriginalBody | undefined): unknown {
  if (body?.value === undefined) throw invalid("The body is empty; send a message of JSON-RPC.");
  expectNamesOnce(body);
  return body.value;
}

/** What the packages read of a request whose body was read before: to make a whole one would cost as much as a call. */
function requestOf({ publicUrl }: World, { headers, signal }: Context): Request {
  const get = (name: string): string | null => {
    const value = headers[name.toLowerCase()];
    return typeof value === "object" ? value.join(", ") : (value ?? null);
  };
  const has = (name: string) => get(name) !== null;
  const given: Pick<globalThis.Headers, "get" | "has"> = { get, has };
  const read: Pick<Request, "method" | "url" | "headers" | "signal" | "body"> = {
    method: "POST",
    get url() {
      return new URL(path, publicUrl).href;
    },
    headers: given as globalThis.Headers,
    signal,
    body: null,
  };
  return read as Request;
}

async function replyOf(
  response: Response | JSONRPCMessage,
  how: { isEndless: boolean },
): Promise<Reply> {
  if (!(response instanceof Response)) return json(response);
  const headers = Object.fromEntries(response.headers);
  delete headers["content-length"];
  const isStream = headers["content-type"]?.startsWith("text/event-stream") === true;
  if (response.body === null) return new Reply(response.status, headers, { kind: "none" });
  if (isStream) return new Reply(response.status, headers, pouring(response, how));
  const bytes = Buffer.from(await response.arrayBuffer());
  return new Reply(response.status, headers, { kind: "bytes", bytes });
}

/** Events as they come, no faster than the client takes them. */
function pouring(
  { status, body }: Response,
  { isEndless: endless }: { isEndless: boolean },
): ReplyBody {
  const reader = body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const write = async (response: HttpResponse, headers: Headers) => {
    let proceed = () => {};
    const leave = () => {
      proceed();
      void reader.cancel().catch(() => {});
    };
    // A server that stops ends what would never end by itself.
    const forget = streamsOf(response.socket)?.add({ endless, end: leave });
    response.on("drain", () => proceed());
    response.once("close", () => {
      forget?.();
      leave();
    });
    if (response.closed) leave();
    response.writeHead(status, headers);
    response.flushHeaders();
    for (;;) {
      const { value, done } = await reader.read();
      if (done || response.closed) break;
      if (response.write(Buffer.from(value)) || response.closed) continue;
      await new Promise<void>((resolve) => (proceed = resolve));
    }
    response.end();
  };
  return { kind: "write", write };
}
