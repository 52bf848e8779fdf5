// The server in front: it offers what the server behind it offers, to clients of both revisions, and keeps no session.
import {
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type McpRequestContext,
} from "@modelcontextprotocol/server";
import { limits } from "./limits.ts";
import { TooManySessions, type Upstreams } from "./upstreams.ts";

const passedOn = {
  tools: ["tools/list", "tools/call"],
  resources: ["resources/list", "resources/templates/list", "resources/read"],
  prompts: ["prompts/list", "prompts/get"],
  completions: ["completion/complete"],
} as const;

export const makeBridge = (upstreams: Upstreams) =>
  createMcpHandler((request) => serverOf(upstreams, request), {
    legacy: "stateless",
    maxRequestBodySize: limits.bodyBytesMax,
  });

async function serverOf(upstreams: Upstreams, { requestInfo }: McpRequestContext): Promise<Server> {
  const authorization = requestInfo?.headers.get("authorization") ?? undefined;
  const behind = await upstreams.use(authorization, async ({ client }) => ({
    info: client.getServerVersion() ?? { name: "bridge", version: "0" },
    capabilities: client.getServerCapabilities() ?? {},
    instructions: client.getInstructions(),
  }));
  const offered = (Object.keys(passedOn) as (keyof typeof passedOn)[]).filter(
    (name) => behind.capabilities[name],
  );
  const server = new Server(behind.info, {
    capabilities: Object.fromEntries(offered.map((name) => [name, {}])),
    ...(behind.instructions !== undefined && { instructions: behind.instructions }),
    cacheHints: { "server/discover": { ttlMs: limits.discoverTtlMs, cacheScope: "private" } },
  });
  for (const method of offered.flatMap((name): readonly Passed[] => passedOn[name]))
    server.setRequestHandler(method, ((message: { params?: Params }, context: CallContext) =>
      pass(upstreams, authorization, { method, params: message.params ?? {} }, context)) as never);
  return server;
}

type Passed = (typeof passedOn)[keyof typeof passedOn][number];
type Params = Record<string, unknown>;
interface CallContext {
  mcpReq: {
    signal: AbortSignal;
    _meta?: { progressToken?: string | number };
    notify(message: never): Promise<void>;
  };
}

const isReading = (method: Passed) => method !== "tools/call";

function pass(
  upstreams: Upstreams,
  authorization: string | undefined,
  { method, params }: { method: Passed; params: Params },
  { mcpReq }: CallContext,
) {
  const { _meta: _, ...own } = params;
  const progressToken = mcpReq._meta?.progressToken;
  return upstreams.use(authorization, async (session) => {
    try {
      return await session.client.request({ method, params: own } as never, {
        signal: mcpReq.signal,
        timeout: limits.callMs,
        ...(progressToken !== undefined && {
          onprogress: (progress: object) =>
            void mcpReq.notify({
              method: "notifications/progress",
              params: { ...progress, progressToken },
            } as never),
        }),
      });
    } catch (error) {
      if (error instanceof TooManySessions)
        throw new ProtocolError(ProtocolErrorCode.InternalError, error.message);
      if (!session.isEnded) throw error;
      throw new ProtocolError(
        ProtocolErrorCode.InternalError,
        isReading(method)
          ? "The server behind this bridge ended before it answered. Ask again: it is begun anew."
          : "The server behind this bridge ended during this call. Whether the call had an effect is not known, and it is not repeated.",
      );
    }
  });
}
