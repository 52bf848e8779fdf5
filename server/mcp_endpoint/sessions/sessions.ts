// Sessions of clients of the older revisions: they lie in the database, so that any process answers any request.
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  SUPPORTED_PROTOCOL_VERSIONS,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type McpRequestContext,
  type McpServer,
  type Server,
} from "@modelcontextprotocol/server";
import { parseExactly } from "../../../kernel/base/exact-json.ts";
import { invalid, notFound } from "../../../kernel/base/failure.ts";
import { busPart } from "../../../kernel/bus/part.ts";
import type { Context, World } from "../../../kernel/context.ts";
import type { CallRoute } from "../../../kernel/http/inner-call.ts";
import type { Caller } from "../changes/watch.ts";
import type { Api } from "../caller.ts";
import { limits } from "../limits.ts";
import type { SessionLog } from "../log.ts";
import { noMessage } from "../message.ts";
import type { Answered } from "../http/one-answer.ts";
import { openExchange } from "./exchange.ts";
import { makeSubscriptions, openNotices, tellNotices, type Subscriptions } from "./notices.ts";
import * as queries from "./queries.ts";

/** Makes the server of one request. */
export type MakeServer = (request: McpRequestContext) => Server | McpServer;

export interface Sessions {
  /** The message is `initialize`. */
  begin(context: Context, request: Request, message: JSONRPCRequest): Promise<Response>;
  answer(context: Context, id: string, request: Request, message: unknown): Promise<Response>;
  listen(context: Context, id: string, caller: Caller): Promise<Response>;
  end(context: Context, id: string): Promise<Response>;
}

const purpose = "a question to a client of MCP";
const channelOf = (sessionId: string) => `mcp session ${sessionId}`;

/** Told to the processes that answer requests of the session. */
interface Told {
  /** An answer lies in the database. */
  answered?: true;
  /** The client is not interested in this request any more. */
  cancelled?: string | number;
}

export function makeSessions(world: World, makeServer: MakeServer, callRoute: CallRoute): Sessions {
  const apiOf =
    (context: Context): Api =>
    (operation, input) =>
      callRoute(context, operation, input);
  const serverFor = (context: Context, request: Request, session: Known) =>
    makeServer({
      era: "legacy",
      requestInfo: request,
      authInfo: infoOf(context, partsOf(context, session, apiOf(context))),
    });
  const { clock } = world;
  return {
    begin: async (context, request, message) => {
      const { db, ids, signal } = context;
      const { holderId, workspaceId } = holderOf(context);
      const id = ids.next("mcpsess_");
      const { subscribed: _, log_level: __, ...began } = message.params ?? {};
      if (JSON.stringify(began).length > limits.sessionBeganCharactersMax)
        throw invalid(`params: has more than ${limits.sessionBeganCharactersMax} characters.`);
      await queries.insertSession(db, { id, workspaceId, holderId, began, now: clock.now() });
      await queries.deleteBeyond(db, holderId, limits.sessionsPerHolderMax);
      const { response } = await openExchange({
        server: serverFor(context, request, { id, logLevel: null }),
        clock,
        message,
        began: undefined,
        signal,
        headers: { "mcp-session-id": id },
        asked: String,
        ended: () => {},
      });
      return response;
    },
    answer: async (context, id, request, message) => {
      const session = await find(context, id);
      expectHeaders(request);
      if (isJSONRPCResponse(message)) return takeAnswer(context, id, message);
      if (isJSONRPCNotification(message)) {
        const cancelled = message.params?.["requestId"];
        const isCancelled = message.method === "notifications/cancelled";
        if (isCancelled && (typeof cancelled === "string" || typeof cancelled === "number"))
          tell(world, id, { cancelled });
        return accepted();
      }
      if (!isJSONRPCRequest(message) || message.method === "initialize")
        throw invalid("The body is no message that a session takes; send one at a time.", {
          code: noMessage,
        });
      const server = serverFor(context, request, session);
      return answerRequest(context, session, message, server);
    },
    listen: async (context, id, caller) => {
      const session = await find(context, id);
      const [api, holder] = [apiOf(context), holderOf(context)];
      return openNotices({ context, session, holder, api, caller });
    },
    end: async (context, id) => {
      if (!(await queries.deleteSession(context.db, id, holderOf(context)))) throw gone(id);
      tellNotices(context, id);
      return new Response(null, { status: 200 });
    },
  };
}

type Known = Pick<queries.SessionRow, "id" | "logLevel">;

/** What the server of a request has of the session. */
const partsOf = (context: Context, { id, logLevel: level }: Known, api: Api): ServerParts => ({
  subscriptions: makeSubscriptions(context, id, api),
  log: { level, setLevel: (next) => queries.setLogLevel(context.db, id, next) },
});

/** What the server of a request has beside its context. */
interface ServerParts {
  answered?: Answered;
  subscriptions?: Subscriptions;
  log?: SessionLog;
}

/** The credential was judged before: what is handed on is the context of its holder alone. */
export const infoOf = (context: Context, parts: ServerParts = {}) => ({
  token: "",
  clientId: "",
  scopes: [],
  extra: { context, ...parts },
});

const accepted = () => new Response(null, { status: 202 });
const gone = (id: string) => notFound("MCP session", id);

/** Rule MCE31: whose it is. Tokens of a person change, and the person stays. */
export function holderOf({ who }: Context) {
  const { workspaceId, userId, serviceAccountId, credentialId } = who;
  return { workspaceId: workspaceId ?? "", holderId: userId ?? serviceAccountId ?? credentialId };
}

async function find(context: Context, id: string): Promise<queries.SessionRow> {
  const { db, clock } = context;
  const session = await queries.findSession(db, id, holderOf(context));
  const now = clock.now();
  const ageMs = now.getTime() - (session?.usedAt.getTime() ?? 0);
  if (session === undefined || ageMs > limits.sessionKeptMs) throw gone(id);
  if (ageMs > limits.sessionTouchedMs) await queries.touchSession(db, id, now);
  return session;
}

function expectHeaders({ headers }: Request): void {
  const version = headers.get("mcp-protocol-version");
  if (version !== null && !SUPPORTED_PROTOCOL_VERSIONS.includes(version))
    throw invalid(
      `MCP-Protocol-Version: must be one of ${SUPPORTED_PROTOCOL_VERSIONS.join(", ")}.`,
      { code: noMessage },
    );
}

const tell = (world: World, id: string, told: Told) =>
  busPart.of(world).publish(channelOf(id), JSON.stringify(told));

/** An answer of the client, for the process that waits for it. */
async function takeAnswer(
  context: Context,
  sessionId: string,
  message: JSONRPCResponse,
): Promise<Response> {
  const requestId = String(message.id);
  // Only what this server has asked in this session is answered.
  const asked = context.secrets.verify(requestId, purpose) as { sessionId: string } | undefined;
  if (asked?.sessionId !== sessionId) return accepted();
  const now = context.clock.now();
  await queries.insertAnswer(context.db, sessionId, { requestId, message, now });
  tell(context, sessionId, { answered: true });
  return accepted();
}

async function answerRequest(
  context: Context,
  { id, began }: queries.SessionRow,
  message: JSONRPCRequest,
  server: ReturnType<MakeServer>,
): Promise<Response> {
  const { clock, secrets, ids, logger, signal } = context;
  /** What the client was asked and has not answered, by the ids that it knows. */
  const open = new Map<string, string | number>();
  const over = new AbortController();
  const exchangeId = ids.next("ask_");
  let wake = Promise.withResolvers<void>();
  const unsubscribe = busPart.of(context).subscribe(channelOf(id), (data) => {
    const { answered, cancelled } = parseExactly(data) as Told;
    if (answered) wake.resolve();
    // Nothing is answered to a request that was given up.
    if (cancelled === message.id) void server.close();
  });
  const waitForAnswers = async () => {
    while (open.size > 0 && !over.signal.aborted) {
      // The bus makes no promise.
      await Promise.race([wake.promise, clock.sleep(limits.answerLookMs, over.signal)]);
      wake = Promise.withResolvers();
      // The database may be away for a while: the client's answer is found when it is back.
      const answers = await queries.takeAnswers(context.db, id, [...open.keys()]).catch((error) => {
        logger.warn({ error, session: id }, "looking for the answers of a client of MCP failed");
        return [];
      });
      for (const { requestId, answer } of answers) {
        const own = open.get(requestId);
        open.delete(requestId);
        if (own !== undefined) receive({ ...(answer as unknown as JSONRPCResponse), id: own });
      }
    }
  };
  const exchange = await openExchange({
    server,
    clock,
    message,
    began,
    signal,
    asked: (own) => {
      const requestId = secrets.sign({ sessionId: id, exchange: exchangeId, own }, purpose);
      open.set(requestId, own);
      if (open.size === 1) void waitForAnswers();
      return requestId;
    },
    ended: () => {
      over.abort();
      unsubscribe();
    },
  });
  const { receive } = exchange;
  return exchange.response;
}
