// Answers that are taken as they leave their server, and those that go the packages' own way.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createMcpHandler,
  ProtocolError,
  type JSONRPCMessage,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { OneAnswerServer } from "./one-answer.ts";

type Handle = (context: ServerContext) => Promise<string> | string;

/** One call of a tool, and what came of it. */
function ask(handle: Handle) {
  const taken: JSONRPCMessage[] = [];
  const servers: OneAnswerServer[] = [];
  const handler = createMcpHandler(() => {
    const server = new OneAnswerServer(
      { name: "test", version: "1" },
      { capabilities: { tools: {} } },
    );
    server.answered = (message) => void taken.push(message);
    server.setRequestHandler("tools/call", async (_, context) => {
      const text = await handle(context);
      return { content: [{ type: "text" as const, text }] };
    });
    servers.push(server);
    return server;
  });
  const headers = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "echo",
  };
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { name: "echo", arguments: {}, _meta };
  const parsedBody = { jsonrpc: "2.0", id: 7, method: "tools/call", params };
  const request = new Request("http://127.0.0.1/mcp", { method: "POST", headers });
  return { taken, servers, response: handler.fetch(request, { parsedBody }) };
}

const progress = (context: ServerContext, done: number) =>
  context.mcpReq.notify({
    method: "notifications/progress",
    params: { progressToken: "t", progress: done },
  });

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
};

test("A result alone is taken, and its server counts as one that has answered", async () => {
  const { taken, servers, response } = ask(() => "Hello.");
  let isResponded = false;
  void response.then(() => (isResponded = true));
  await turns(5);
  const [message] = taken;
  assert(message !== undefined && "result" in message && "id" in message);
  assert.equal(message.id, 7);
  assert.deepEqual(message.result["content"], [{ type: "text", text: "Hello." }]);
  assert.equal(isResponded, false);
  // The packages put their own there until an exchange is over.
  assert.equal(servers[0]?.onclose, undefined);
});

test("What is said behind a taken result opens no stream", async () => {
  let late: Promise<void> | undefined;
  const { taken, response } = ask((context) => {
    late = turns(5).then(() => progress(context, 2));
    return "Hello.";
  });
  let isResponded = false;
  void response.then(() => (isResponded = true));
  await turns(3);
  assert(late);
  await late;
  await turns(5);
  assert.equal(taken.length, 1);
  assert.equal(isResponded, false);
});

test("A result behind something else comes in the stream", async () => {
  const { taken, response } = ask(async (context) => {
    await progress(context, 1);
    return "Hello.";
  });
  const { headers, body } = await response;
  assert.equal(headers.get("content-type"), "text/event-stream");
  const text = await new Response(body).text();
  assert.match(text, /"progress":1[\s\S]*"text":"Hello\."/);
  assert.deepEqual(taken, []);
});

test("An error goes the packages' way", async () => {
  const { taken, response } = ask(() => {
    throw new ProtocolError(-32602, "No.");
  });
  const answered = (await (await response).json()) as { error: { code: number; message: string } };
  assert.deepEqual(answered.error, { code: -32602, message: "No." });
  assert.deepEqual(taken, []);
});
