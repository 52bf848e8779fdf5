// What comes through a bridge, from servers of older revisions to the official client that knows the newest one alone.
import { test } from "node:test";
import assert from "node:assert/strict";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Upstream } from "../../server/mcp_bridge/module.ts";
import { calling, command, openBridge, stillClock, textOf } from "./clients.ts";

test("[MCB1] tools, prompts, resources and instructions of a stdio server of 2025-11-25 come through", async () => {
  await using bridge = openBridge();
  const client = await bridge.connect();
  assert.equal(client.getServerVersion()?.name, "old");
  assert.equal(client.getInstructions(), "Ask by name.");
  assert.deepEqual(Object.keys(client.getServerCapabilities() ?? {}).toSorted(), [
    "logging",
    "prompts",
    "resources",
    "tools",
  ]);
  assert.ok((await client.listTools()).tools.some(({ name }) => name === "pid"));
  assert.match((await calling(client, "pid")) ?? "", /^\d+$/);
  assert.equal((await client.getPrompt({ name: "hello" })).messages.length, 1);
  const read = await client.readResource({ uri: "test://note" });
  assert.equal((read.contents[0] as { text: string }).text, "A note");
});

test("[MCB1] so do those of a server of the official package over standard streams", async () => {
  const source = `
    import { McpServer } from "@modelcontextprotocol/server";
    import { serveStdio } from "@modelcontextprotocol/server/stdio";
    serveStdio(() => {
      const server = new McpServer({ name: "both", version: "1" });
      server.registerTool("hi", {}, () => ({ content: [{ type: "text", text: "hi" }] }));
      return server;
    });`;
  const args = ["--input-type=module", "-e", source];
  await using bridge = openBridge({ ...command, args } as Upstream);
  assert.equal(await calling(await bridge.connect(), "hi"), "hi");
});

test("[MCB2] errors of the server come as they are, and what is missing as the newest revision says", async () => {
  await using bridge = openBridge();
  const client = await bridge.connect();
  await assert.rejects(client.getPrompt({ name: "none" }), { code: -32602, message: /none/ });
  await assert.rejects(client.readResource({ uri: "test://gone" }), {
    code: -32602,
    message: /gone/,
    data: { uri: "test://gone" },
  });
});

test("[MCB3] callers with other authorization headers share no session", async () => {
  await using bridge = openBridge();
  const pid = async (who: string) => calling(await bridge.connect({ who }), "pid");
  assert.equal(await pid("Bearer a"), await pid("Bearer a"));
  assert.notEqual(await pid("Bearer a"), await pid("Bearer b"));
  assert.equal(bridge.upstreams.count, 2);
});

test("[MCB3] a hundred clients without one share a process", async () => {
  await using bridge = openBridge();
  const pids = await Promise.all(
    Array.from({ length: 100 }, async () => calling(await bridge.connect(), "pid")),
  );
  assert.equal(new Set(pids).size, 1);
  assert.equal(bridge.upstreams.count, 1);
});

test("[MCB8] a call during which the process dies is not repeated, and the next one has a new process", async () => {
  await using bridge = openBridge();
  const client = await bridge.connect();
  const before = await calling(client, "pid");
  await assert.rejects(calling(client, "die"), {
    code: -32603,
    message: /effect is not known, and it is not repeated/,
  });
  assert.notEqual(await calling(client, "pid"), before);
});

test("[MCB9] progress is told, and a client that leaves cancels the call behind", async () => {
  await using bridge = openBridge();
  const client = await bridge.connect();
  const leaving = new AbortController();
  const told = Promise.withResolvers<unknown>();
  const waiting = client.callTool(
    { name: "wait" },
    { signal: leaving.signal, onprogress: (progress) => told.resolve(progress) },
  );
  assert.deepEqual(await told.promise, { progress: 1, message: "waiting" });
  leaving.abort();
  await assert.rejects(waiting);
  assert.equal(await calling(client, "cancelled"), "1");
});

test("[MCB9] a call without an answer ends when its time is up", async () => {
  const clock = stillClock();
  await using bridge = openBridge(command, { clock, callMs: 2_000 });
  const client = await bridge.connect();
  const onprogress = () => clock.advance(2_000);
  const waiting = client.callTool({ name: "wait" }, { onprogress });
  await assert.rejects(waiting, /did not answer within 2 seconds.*not repeated/);
  assert.equal(await calling(client, "cancelled"), "1");
});

test("[MCB10] log lines come to a client that wants them, and traces go to the server", async () => {
  await using bridge = openBridge();
  const client = await bridge.connect();
  const lines: unknown[] = [];
  client.setNotificationHandler(
    "notifications/message",
    ({ params }) => void lines.push(params.data),
  );
  await calling(client, "log");
  assert.deepEqual(lines, []);
  await client.callTool({ name: "log", _meta: { "io.modelcontextprotocol/logLevel": "info" } });
  assert.deepEqual(lines, ["a line"]);
  assert.equal(await calling(client, "level"), "info");
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const traced = await client.callTool({ name: "trace", _meta: { traceparent } });
  assert.equal(textOf(traced), traceparent);
});

test("[MCB13] what is no message, or too large, is refused", async () => {
  await using bridge = openBridge();
  const post = (body: string) =>
    bridge.answer(
      new Request("http://bridge.test/mcp", {
        method: "POST",
        body,
        headers: { "content-type": "application/json" },
      }),
    );
  assert.equal((await post("{")).status, 400);
  assert.equal((await post(JSON.stringify("x".repeat(5_000_000)))).status, 413);
  assert.equal(bridge.upstreams.count, 0);
});

test("[MCB11] a command sees PATH and what it is given, and no more", async () => {
  await using bridge = openBridge();
  const names = await calling(await bridge.connect(), "environment");
  assert.equal(names, "PATH");
});

test("[MCB14] a command that cannot be begun is told, and begun once it is there", async () => {
  const directory = await mkdtemp(join(tmpdir(), "plinth-bridge-"));
  const program = join(directory, "server");
  await using bridge = openBridge({ ...command, command: program } as Upstream);
  const refused = await bridge.answer(message("tools/list"));
  assert.equal(refused.status, 502);
  const { id, error } = (await refused.json()) as { id: number; error: { message: string } };
  assert.equal(id, 7);
  assert.match(error.message, /cannot be reached/);
  assert.equal(bridge.upstreams.count, 0);
  await symlink(process.execPath, program);
  assert.match((await calling(await bridge.connect(), "pid")) ?? "", /^\d+$/);
  await rm(directory, { recursive: true });
});

const message = (method: string) =>
  new Request("http://bridge.test/mcp", {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method }),
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
  });
