// A server of 2025-11-25 with sessions, over HTTP, as programs of the older kit make it.
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as later } from "node:timers/promises";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { serve } from "./clients.ts";
import { oldServer, type Seen } from "./old-server.ts";

export async function statefulServer() {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const seen = { methods: [] as string[], most: 0, authorizations: new Set<string | undefined>() };
  const calls: Seen = { cancelled: 0 };
  const faults = { drop: false, status: 0 };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const text = await bodyOf(request);
    const body = text === "" ? undefined : (JSON.parse(text) as { method?: string });
    seen.methods.push(body?.method ?? `${request.method}`);
    seen.authorizations.add(request.headers.authorization);
    if (faults.status > 0) return response.writeHead(faults.status).end();
    if (faults.drop && body?.method === "tools/call") {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(": begun\n\n");
      return setImmediate(() => response.destroy());
    }
    // Sessions take a while to end.
    if (request.method === "DELETE") await later(20);
    const id = request.headers["mcp-session-id"];
    let transport = sessions.get(String(id));
    if (id !== undefined && transport === undefined)
      return response.writeHead(404).end("no such session");
    if (transport === undefined) {
      const made = (transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (given) => {
          sessions.set(given, made);
          seen.most = Math.max(seen.most, sessions.size);
        },
        onsessionclosed: (given) => void sessions.delete(given),
      }));
      await oldServer(calls).connect(made);
    }
    return transport.handleRequest(request, response, body);
  };
  const server = await serve((request, response) => void answer(request, response));
  const upstream = { kind: "http", url: server.url, passAuthorization: true } as const;
  return { ...server, upstream, sessions, seen, faults };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
