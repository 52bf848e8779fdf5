// The server in front: it offers what the server behind it offers, to clients of both revisions, and keeps no session.
import {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  isJSONRPCNotification,
  readRequestBody,
  Server,
  type ClientCapabilities,
  type Implementation,
  type McpRequestContext,
  type ServerCapabilities,
} from "@modelcontextprotocol/server";
import { systemClock, type Clock } from "../../kernel/base/clock.ts";
import { parseShallow } from "../../kernel/base/json.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { withLongNames } from "../mcp_endpoint/module.ts";
import { askable, Calls } from "./calls.ts";
import { refusalOf, refuse } from "./faults.ts";
import { limits } from "./limits.ts";
import { makePass, type FrontContext } from "./pass.ts";
import type { Caller } from "./behind/session.ts";
import type { Upstreams } from "./behind/upstreams.ts";

const passedOn = {
  tools: ["tools/list", "tools/call"],
  resources: ["resources/list", "resources/templates/list", "resources/read"],
  prompts: ["prompts/list", "prompts/get"],
  completions: ["completion/complete"],
} as const;

interface BridgeOptions {
  clock?: Clock;
  callMs?: number;
  heldMs?: number;
}

export function makeBridge(
  upstreams: Upstreams,
  { clock = systemClock, callMs = limits.callMs, heldMs = limits.heldMs }: BridgeOptions = {},
) {
  const calls = new Calls(upstreams, { clock, callMs, heldMs });
  const pass = makePass(calls, { key: systemRandom.bytes(32), callMs, heldMs });
  const handler = createMcpHandler((context) => serverOf(context, pass), { legacy: "stateless" });
  /** A message that was read, of a caller who is known. */
  async function answerMessage(
    request: Request,
    message: unknown,
    caller: Caller,
  ): Promise<Response> {
    // Cancellations come as the end of a connection; nothing else that a client tells is kept.
    if (isJSONRPCNotification(message)) return new Response(null, { status: 202 });
    try {
      const extra: Extra = { caller, offer: await offerOf(upstreams, caller) };
      const authInfo = { token: "", clientId: "", scopes: [], extra: { ...extra } };
      return await handler.fetch(request, { parsedBody: message, authInfo });
    } catch (error) {
      return refusalOf(error, (message as { id?: string | number }).id);
    }
  }
  return {
    answerMessage: (request: Request, message: unknown, caller: Caller) =>
      answerMessage(request, withNames(request, message), caller),
    async answer(request: Request): Promise<Response> {
      if (request.method !== "POST") return handler.fetch(request);
      const body = await readRequestBody(request, limits.bodyBytesMax);
      if (body.tooLarge) return refuse(413, `A message has at most ${limits.bodyBytesMax} bytes.`);
      const given = parsed(body.text);
      if (given === undefined) return refuse(400, "The body is not JSON.");
      const message = withNames(request, given);
      return answerMessage(request, message, {
        authorization: request.headers.get("authorization") ?? undefined,
        capabilities: askable(capabilitiesOf(message)),
      });
    },
    close: () => handler.close(),
  };
}

function parsed(text: string): object | undefined {
  try {
    const message: unknown = parseShallow(text);
    return typeof message === "object" && message !== null ? message : undefined;
  } catch {
    return undefined;
  }
}

const withNames = ({ headers }: Request, message: unknown) =>
  withLongNames(message, headers.get("mcp-protocol-version") ?? undefined);

const capabilitiesOf = (message: unknown) =>
  (message as { params?: { _meta?: Record<string, ClientCapabilities> } }).params?._meta?.[
    CLIENT_CAPABILITIES_META_KEY
  ];

interface Extra {
  caller: Caller;
  offer: Offer;
}

/** What the server behind says of itself. */
interface Offer {
  info: Implementation;
  capabilities: ServerCapabilities;
  instructions: string | undefined;
}

async function offerOf(upstreams: Upstreams, caller: Caller): Promise<Offer> {
  const { session, release } = await upstreams.lease(caller, false);
  release();
  const { client } = session;
  return {
    info: client.getServerVersion() ?? { name: "bridge", version: "0" },
    capabilities: client.getServerCapabilities() ?? {},
    instructions: client.getInstructions(),
  };
}

function serverOf({ authInfo }: McpRequestContext, pass: ReturnType<typeof makePass>): Server {
  const { caller, offer } = (authInfo as { extra: unknown }).extra as Extra;
  const { info, capabilities, instructions } = offer;
  const offered = (Object.keys(passedOn) as (keyof typeof passedOn)[]).filter(
    (name) => capabilities[name] !== undefined,
  );
  const server = new Server(info, {
    capabilities: {
      ...Object.fromEntries(offered.map((name) => [name, {}])),
      ...(capabilities.logging !== undefined && { logging: {} }),
    },
    ...(instructions !== undefined && { instructions }),
    cacheHints: { "server/discover": { ttlMs: limits.discoverTtlMs, cacheScope: "private" } },
  });
  for (const method of offered.flatMap((name): readonly string[] => passedOn[name]))
    server.setRequestHandler(
      method as never,
      (({ params = {} }: { params?: Record<string, unknown> }, context: FrontContext) =>
        pass(caller, { method, params }, context)) as never,
    );
  return server;
}
