// Sessions of a bridge with servers over HTTP, and how many there are.
import { test } from "node:test";
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { calling, command, openBridge, serve, stillClock } from "./clients.ts";
import { oldServer } from "./old-server.ts";
import { statefulServer } from "./stateful.ts";

test("[MCB15] a server with sessions gets one for each caller, the authorization, and a DELETE at the end", async () => {
  using server = await statefulServer();
  {
    await using bridge = openBridge(server.upstream);
    const of = async (who: string) => calling(await bridge.connect({ who }), "session");
    assert.equal(await of("Bearer a"), await of("Bearer a"));
    assert.notEqual(await of("Bearer a"), await of("Bearer b"));
    assert.deepEqual([...server.seen.authorizations], ["Bearer a", "Bearer b"]);
    assert.equal(server.sessions.size, 2);
  }
  assert.equal(server.sessions.size, 0);
  assert.equal(server.seen.methods.filter((method) => method === "DELETE").length, 2);
});

test("[MCB15] without being told to, no authorization is passed on", async () => {
  using server = await statefulServer();
  await using bridge = openBridge({ ...server.upstream, passAuthorization: false });
  await calling(await bridge.connect({ who: "Bearer a" }), "session");
  assert.deepEqual([...server.seen.authorizations], [undefined]);
});

test("[MCB15] a 401 of the server is one of the bridge", async () => {
  using server = await statefulServer();
  server.faults.status = 401;
  await using bridge = openBridge(server.upstream);
  await assert.rejects(bridge.connect(), /401/);
});

test("[MCB16] a session that the server has forgotten is begun anew, and what was asked is asked there", async () => {
  using server = await statefulServer();
  await using bridge = openBridge(server.upstream);
  const client = await bridge.connect();
  const before = await calling(client, "session");
  server.sessions.clear();
  assert.notEqual(await calling(client, "session"), before);
  assert.equal(server.sessions.size, 1);
  assert.equal(bridge.upstreams.count, 1);
});

test("[MCB8] an answer over HTTP that breaks off is told at once, and the call is made once", async () => {
  using server = await statefulServer();
  await using bridge = openBridge(server.upstream);
  const client = await bridge.connect();
  server.faults.drop = true;
  await assert.rejects(calling(client, "session"), /effect is not known, and it is not repeated/);
  server.faults.drop = false;
  assert.equal(server.seen.methods.filter((method) => method === "tools/call").length, 1);
  assert.ok(await calling(client, "session"));
});

test("[MCB4] a server over HTTP asks in the midst of a call", async () => {
  using server = await statefulServer();
  await using bridge = openBridge(server.upstream);
  const client = await bridge.connect({
    capabilities: { elicitation: { form: {} } },
    answers: { "elicitation/create": () => ({ action: "accept", content: { name: "Ada" } }) },
  });
  assert.equal(await calling(client, "ask"), "Hello Ada");
});

test("[MCB17] a server of 2024-11-05, over HTTP and events, is reached too", async () => {
  const sessions = new Map<string, SSEServerTransport>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const url = new URL(request.url ?? "", "http://server.test");
    const known = sessions.get(String(url.searchParams.get("sessionId")));
    if (known !== undefined) return known.handlePostMessage(request, response);
    if (request.method !== "GET") return response.writeHead(405).end();
    const transport = new SSEServerTransport("/mcp", response);
    sessions.set(transport.sessionId, transport);
    return oldServer().connect(transport);
  };
  using server = await serve((request, response) => void answer(request, response));
  await using bridge = openBridge({ kind: "http", url: server.url, passAuthorization: false });
  const client = await bridge.connect();
  const first = await calling(client, "session");
  assert.equal(await calling(client, "session"), first);
  const called = client.callTool({ name: "wait" }, { onprogress: () => void endAll() });
  const endAll = () => Promise.all([...sessions.values()].map((each) => each.close()));
  await assert.rejects(called, /effect is not known/);
  assert.notEqual(await calling(client, "session"), first);
});

test("[MCB18] an idle session makes room, and never are there more than the maximum", async () => {
  using server = await statefulServer();
  await using bridge = openBridge(server.upstream, { sessionsMax: 2 });
  const clients = await Promise.all(
    ["a", "b", "c", "d", "e"].map((who) => bridge.connect({ who: `Bearer ${who}` })),
  );
  await Promise.all(
    clients.flatMap((client) =>
      [1, 2, 3].map(async () => assert.ok(await calling(client, "session"))),
    ),
  );
  assert.equal(server.seen.most, 2);
});

test("[MCB18] a session in use does not make room: the next caller waits, and is told in the end", async () => {
  const clock = stillClock();
  await using bridge = openBridge(command, { clock, sessionsMax: 1 });
  const holder = await bridge.connect({ who: "Bearer a" });
  const begun = Promise.withResolvers<void>();
  const leaving = new AbortController();
  const held = holder.callTool(
    { name: "wait" },
    { signal: leaving.signal, onprogress: () => begun.resolve() },
  );
  await begun.promise;
  const refused = bridge.answer(discovery("Bearer b"));
  await waitingIn(bridge);
  clock.advance(30_000);
  const { status, headers } = await refused;
  assert.deepEqual([status, headers.get("retry-after")], [503, "1"]);
  const waiting = bridge.answer(discovery("Bearer c"));
  await waitingIn(bridge);
  leaving.abort();
  await assert.rejects(held);
  assert.equal((await waiting).status, 200);
});

test("[MCB18] a session without a call ends", async () => {
  const clock = stillClock();
  await using bridge = openBridge(command, { clock });
  const pid = Number(await calling(await bridge.connect(), "pid"));
  clock.advance(300_000);
  while (bridge.upstreams.count > 0) await new Promise(setImmediate);
  assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
});

async function waitingIn({ upstreams }: ReturnType<typeof openBridge>): Promise<void> {
  while (upstreams.waiting === 0) await new Promise(setImmediate);
}

const discovery = (who: string) =>
  new Request("http://bridge.test/mcp", {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    headers: {
      authorization: who,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
  });
