// An MCP server of the official package, at a port of the loopback, with tools that a test gives it.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createMcpHandler,
  fromJsonSchema,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
  type CallToolResult,
  type ElicitRequestFormParams,
  type InputRequiredResult,
} from "@modelcontextprotocol/server";

export interface TestTool {
  description?: string;
  isReading?: boolean;
  meta?: Record<string, unknown>;
  /** The page of the tool, at an address of its own. */
  page?: { html: string; mimeType?: string; csp?: object };
  schema?: Record<string, unknown>;
  call?: (
    input: Record<string, unknown>,
    signal: AbortSignal,
    /** What came along with it, where the call is made again. */
    again: Again,
  ) => Answer | Promise<Answer>;
}

interface Again {
  answers: Record<string, unknown>;
  state: string | undefined;
  canAsk: boolean;
  /** What the client says that it can be asked. */
  capabilities: readonly string[];
  log: (words: string) => Promise<void>;
  /** Where the client has given a token for it. */
  progress: (told: { progress: number; total?: number; message?: string }) => Promise<void>;
  /** Asks over the connection of the call, as servers of the older revisions do. */
  ask: (
    method: "sampling/createMessage" | "roots/list" | "elicitation/create",
    params?: object,
  ) => Promise<unknown>;
  /** Asks on the stream of the session, as the kit of the older revisions does by itself. */
  push: (params: object) => Promise<unknown>;
  /** Says that what a person had to do at an address is done. */
  complete: (elicitationId: string) => Promise<void>;
}

type Answer = CallToolResult | InputRequiredResult;

export type Tools = Record<string, TestTool>;

export interface TestServer extends AsyncDisposable {
  url: string;
  /** As they are at each request. */
  tools: Tools;
  /** The methods that were asked for, with the revision in which each was. */
  asked: { method: string; revision: string | null; authorization: string | undefined }[];
  /** Answers in place of the server, where it gives true. */
  before: (request: IncomingMessage, response: ServerResponse, body: string) => boolean;
  /** Tells those that listen that its tools have changed. */
  tellChange: () => void;
  /** Sessions of the older revision that are open. */
  sessions: Map<string, WebStandardStreamableHTTPServerTransport>;
}

export const words = (...all: readonly string[]): CallToolResult => ({
  content: all.map((text) => ({ type: "text", text })),
});

const anything = { type: "object", properties: { text: { type: "string" } } };

function serverOf(tools: Tools): McpServer {
  const server = new McpServer({ name: "test", version: "1" }, { capabilities: { logging: {} } });
  for (const [name, tool] of Object.entries(tools)) {
    const { description = `Does ${name}`, schema = anything, call, page, isReading } = tool;
    const uri = `ui://test/${name}`;
    const _meta = tool.meta ?? (page && { ui: { resourceUri: uri } });
    if (page !== undefined) {
      const mimeType = page.mimeType ?? "text/html;profile=mcp-app";
      const _meta = { ui: { csp: page.csp } };
      const contents = [{ uri, mimeType, text: page.html, _meta }];
      server.registerResource(name, uri, { mimeType }, () => ({ contents }));
    }
    server.registerTool(
      name,
      {
        description,
        inputSchema: fromJsonSchema<Record<string, unknown>>(schema),
        ...(_meta && { _meta }),
        ...(isReading && { annotations: { readOnlyHint: true } }),
      },
      async (input, { mcpReq }) =>
        (await call?.(input, mcpReq.signal, {
          answers: mcpReq.inputResponses ?? {},
          state: mcpReq.requestState(),
          canAsk: server.server.getClientCapabilities()?.elicitation !== undefined,
          capabilities: Object.keys(server.server.getClientCapabilities() ?? {}).toSorted(),
          log: (text) => mcpReq.log("info", text),
          progress: async (told) => {
            const { progressToken } = mcpReq._meta ?? {};
            if (progressToken === undefined) return;
            const params = { progressToken, ...told };
            await mcpReq.notify({ method: "notifications/progress", params });
          },
          ask: (method, params = {}) => mcpReq.send({ method, params: { ...params } }),
          push: (params) => server.server.elicitInput(params as ElicitRequestFormParams),
          complete: (elicitationId) =>
            mcpReq.notify({
              method: "notifications/elicitation/complete",
              params: { elicitationId },
            }),
        })) ?? words(`${name} was here`),
    );
  }
  return server;
}

/** `legacy` speaks the revisions with sessions alone, as servers of last year do. */
export async function openMcpServer(
  tools: Tools,
  revision: "modern" | "legacy" = "modern",
): Promise<TestServer> {
  const handler = createMcpHandler(() => serverOf(self.tools), { legacy: "reject" });
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const legacy = async (request: Request, isFirst: boolean): Promise<Response> => {
    const id = request.headers.get("mcp-session-id");
    const known = id === null ? undefined : sessions.get(id);
    if (known !== undefined) return known.handleRequest(request);
    if (!isFirst) return new Response("Session not found", { status: id === null ? 400 : 404 });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (made) => void sessions.set(made, transport),
      onsessionclosed: (gone) => void sessions.delete(gone),
    });
    await serverOf(self.tools).connect(transport);
    return transport.handleRequest(request);
  };
  const listener = createServer((request, response) => {
    void (async () => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      const body = Buffer.concat(pieces).toString();
      const method = methodIn(body);
      self.asked.push({
        method: method ?? request.method ?? "",
        revision: [request.headers["mcp-protocol-version"] ?? null].flat()[0] ?? null,
        authorization: request.headers.authorization,
      });
      if (self.before(request, response, body)) return;
      const ended = new AbortController();
      response.on("close", () => ended.abort());
      const asked = new Request(self.url, {
        method: request.method ?? "GET",
        headers: Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        signal: ended.signal,
        ...(body !== "" && { body }),
      });
      const answer = await (revision === "modern"
        ? handler.fetch(asked)
        : legacy(asked, method === "initialize"));
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.flushHeaders();
      if (answer.body !== null) for await (const piece of answer.body) response.write(piece);
      response.end();
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo;
  const self: TestServer = {
    url: `http://127.0.0.1:${port}/mcp`,
    tools,
    asked: [],
    before: () => false,
    sessions,
    tellChange: () => handler.notify.toolsChanged(),
    [Symbol.asyncDispose]: async () => {
      for (const transport of sessions.values()) await transport.close();
      await handler.close();
      listener.closeAllConnections();
      await new Promise<void>((resolve) => void listener.close(() => resolve()));
    },
  };
  return self;
}

/** Answers lists of tools by hand: `page` is asked with the cursor. */
export function answerLists(server: TestServer, page: (cursor: string | undefined) => object) {
  server.before = (_request, response, body) => {
    if (methodIn(body) !== "tools/list") return false;
    const { id, params } = JSON.parse(body) as { id: number; params?: { cursor?: string } };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: page(params?.cursor) }));
    return true;
  };
}

function methodIn(body: string): string | undefined {
  try {
    return (JSON.parse(body) as { method?: string }).method;
  } catch {
    return undefined;
  }
}
