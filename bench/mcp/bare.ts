// The official handler of MCP alone, behind node:http: as many tools as Plinth has, and each answers with a constant.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { answerQuestions } from "../helper.ts";

interface Tool {
  name: string;
  inputSchema: { type: "object" };
}
export interface Question {
  tools: Tool[];
  text: string;
}

let tools: Tool[] = [];
let text = "";
const handler = createMcpHandler(() => {
  const server = new Server({ name: "bare", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools }));
  server.setRequestHandler("tools/call", () => ({
    content: [{ type: "text", text }],
    structuredContent: { data: [] },
  }));
  return server;
});
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (typeof value === "string" && name !== "content-length") headers.set(name, value);
  const parsedBody: unknown = JSON.parse(Buffer.concat(parts).toString());
  const asked = new Request("http://127.0.0.1/mcp", { method: "POST", headers });
  const answered = await handler.fetch(asked, { parsedBody });
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  response.end(Buffer.from(await answered.arrayBuffer()));
}

const server = createServer((request, response) => void answer(request, response));
server.listen(0, "127.0.0.1");

/** What it has and answers from now on; where it is. */
answerQuestions((question) => {
  ({ tools, text } = question as Question);
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, pid: process.pid };
});
