// An MCP server of 2024-11-05, by the official package of that time: one stream for answers, another address to ask at.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";

export interface OldServer extends AsyncDisposable {
  url: string;
  /** The methods of HTTP and the paths that were asked for, in their order. */
  asked: string[];
  /** Those of the headers `authorization`. */
  authorizations: (string | undefined)[];
  calls: number;
  /** Answers in place of the server, where it gives true. */
  before: (request: IncomingMessage, response: ServerResponse) => boolean;
  endStreams: () => void;
}

/** `status`: what it says to a POST where its stream is. */
export async function openOldServer(status = 405): Promise<OldServer> {
  const open = new Map<string, SSEServerTransport>();
  const streams = new Set<ServerResponse>();
  const begin = async (response: ServerResponse) => {
    const server = new McpServer({ name: "old", version: "1" });
    server.registerTool("echo", { description: "Says it." }, async () => {
      self.calls += 1;
      return { content: [{ type: "text" as const, text: "old words" }] };
    });
    server.registerTool("end", { description: "Ends." }, async () => {
      self.endStreams();
      return new Promise<never>(() => {});
    });
    server.registerTool("large", { description: "Says much." }, async () => ({
      content: [{ type: "text" as const, text: "x".repeat(3 * 1024 * 1024) }],
    }));
    server.registerTool("slow", { description: "Takes 2.5 s." }, async () => {
      await new Promise((resolve) => void setTimeout(resolve, 2_500));
      return { content: [{ type: "text" as const, text: "slow words" }] };
    });
    const transport = new SSEServerTransport("/messages", response);
    open.set(transport.sessionId, transport);
    streams.add(response);
    await server.connect(transport);
  };
  const listener = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://here");
    self.asked.push(`${request.method} ${pathname}`);
    self.authorizations.push(request.headers.authorization);
    if (self.before(request, response)) return;
    const transport = open.get(searchParams.get("sessionId") ?? "");
    if (request.method === "GET" && pathname === "/sse") void begin(response);
    else if (request.method === "POST" && transport !== undefined)
      void transport.handlePostMessage(request, response);
    else response.writeHead(status).end("secret words");
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo;
  const self: OldServer = {
    url: `http://127.0.0.1:${port}/sse`,
    asked: [],
    authorizations: [],
    calls: 0,
    before: () => false,
    endStreams: () => {
      // A client that comes back by itself comes at once.
      for (const stream of streams) stream.end("retry: 1\n\n");
      streams.clear();
    },
    [Symbol.asyncDispose]: async () => {
      listener.closeAllConnections();
      await new Promise<void>((resolve) => void listener.close(() => resolve()));
    },
  };
  return self;
}
