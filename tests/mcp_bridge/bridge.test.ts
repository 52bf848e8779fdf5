// A server of the older revision behind the bridge, asked by the official client that speaks only the new one.
import { test } from "node:test";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { McpServer as OldServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport as OldServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { makeBridge, makeUpstreams, type Upstream } from "../../server/mcp_bridge/module.ts";

const source = `
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
const server = new McpServer({ name: "old", version: "1.0.0" });
server.registerTool("pid", {}, () => ({ content: [{ type: "text", text: String(process.pid) }] }));
server.registerTool("die", {}, () => process.kill(process.pid, "SIGKILL"));
server.registerPrompt("hello", {}, () => ({ messages: [{ role: "user", content: { type: "text", text: "Hello" } }] }));
server.registerResource("note", "test://note", {}, () => ({ contents: [{ uri: "test://note", text: "A note" }] }));
await server.connect(new StdioServerTransport());
`;

const command: Upstream = {
  kind: "command",
  command: process.execPath,
  args: ["--input-type=module", "-e", source],
  env: { PATH: process.env["PATH"] ?? "" },
};

async function withBridge(
  work: (connect: (who?: string) => Promise<Client>) => Promise<void>,
  upstream = command,
) {
  const upstreams = makeUpstreams(upstream);
  const bridge = makeBridge(upstreams);
  const clients: Client[] = [];
  const connect = async (who?: string) => {
    const client = new Client(
      { name: "new", version: "1" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    const headers = who === undefined ? {} : { authorization: who };
    const transport = new StreamableHTTPClientTransport(new URL("http://bridge.test/mcp"), {
      fetch: (url, init) => bridge.fetch(new Request(url, init)),
      requestInit: { headers },
    });
    await client.connect(transport);
    clients.push(client);
    return client;
  };
  try {
    await work(connect);
  } finally {
    for (const client of clients) await client.close();
    await upstreams.close();
    await bridge.close();
  }
}

const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text;

test("tools, prompts and resources of a stdio server of 2025-11-25 come through", () =>
  withBridge(async (connect) => {
    const client = await connect();
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["pid", "die"],
    );
    assert.match(textOf(await client.callTool({ name: "pid" })) ?? "", /^\d+$/);
    assert.equal((await client.getPrompt({ name: "hello" })).messages.length, 1);
    const read = await client.readResource({ uri: "test://note" });
    assert.equal((read.contents[0] as { text: string }).text, "A note");
  }));

test("callers with other authorization headers do not share a process", () =>
  withBridge(async (connect) => {
    const pid = async (who: string) => textOf(await (await connect(who)).callTool({ name: "pid" }));
    assert.equal(await pid("Bearer a"), await pid("Bearer a"));
    assert.notEqual(await pid("Bearer a"), await pid("Bearer b"));
  }));

test("a process that dies in a call is begun anew, and the call is not repeated", () =>
  withBridge(async (connect) => {
    const client = await connect();
    const before = textOf(await client.callTool({ name: "pid" }));
    await assert.rejects(client.callTool({ name: "die" }), /effect is not known/);
    assert.notEqual(textOf(await client.callTool({ name: "pid" })), before);
  }));

test("the command prints its address, refuses other hosts, and its child ends with it", async () => {
  const child = spawn(
    process.execPath,
    [
      "bin.ts",
      "mcp",
      "bridge",
      "--listen",
      "127.0.0.1:0",
      "--",
      process.execPath,
      "--input-type=module",
      "-e",
      source,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const ended = once(child, "exit");
  const [printed] = (await once(child.stdout, "data")) as [Buffer];
  const url = /http:\S+/.exec(String(printed))?.[0] ?? "";
  const client = new Client(
    { name: "new", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const pid = Number(textOf(await client.callTool({ name: "pid" })));
  const foreign = await fetch(url, {
    method: "POST",
    body: "{}",
    headers: { origin: "http://evil.example" },
  });
  assert.equal(foreign.status, 403);
  const old = new OldClient({ name: "old", version: "1" });
  await old.connect(new OldTransport(new URL(url)) as never);
  assert.equal((await old.listTools()).tools.length, 2);
  await old.close();
  await client.close();
  child.kill("SIGTERM");
  await ended;
  assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
});

test("a server with sessions over HTTP gets one session, and the caller's authorization where it shall", async () => {
  const seen = new Set<string>();
  const transport = new OldServerTransport({ sessionIdGenerator: () => "session-1" });
  const old = new OldServer({ name: "old", version: "1" });
  old.registerTool("hi", {}, () => ({ content: [{ type: "text", text: "hi" }] }));
  await old.connect(transport as never);
  const behind = createServer((request, response) => {
    seen.add(`${request.headers.authorization}`);
    void transport.handleRequest(request, response);
  }).listen(0, "127.0.0.1");
  await once(behind, "listening");
  const url = `http://127.0.0.1:${(behind.address() as { port: number }).port}/mcp`;
  await withBridge(
    async (connect) => {
      assert.equal(textOf(await (await connect("Bearer a")).callTool({ name: "hi" })), "hi");
      assert.equal(textOf(await (await connect("Bearer a")).callTool({ name: "hi" })), "hi");
    },
    { kind: "http", url, passAuthorization: true },
  );
  assert.deepEqual([...seen], ["Bearer a"]);
  behind.close();
  behind.closeAllConnections();
});
