// Rules MCP42 and MCP43, over HTTP: servers of 2024-11-05, whose answers all come over one stream.
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, before, test } from "node:test";
import {
  call,
  errorsOf,
  namesIn,
  openMcpHouse,
  resultsOf,
  withServers,
  type McpHouse,
} from "./mcp-house.ts";
import { openOldServer, type OldServer } from "./mcp-old-server.ts";
import { openMcpServer } from "./mcp-server.ts";
import { said } from "./sessions-house.ts";
import { vaultsOf } from "./vaults-house.ts";

let it: McpHouse;
before(async () => {
  it = await openMcpHouse({ mcp: { connect_seconds: 2, call_seconds: 20 } });
});
after(() => it[Symbol.asyncDispose]());
const vaults = vaultsOf(() => it.house);

const streamsOf = ({ asked }: OldServer) => asked.filter((each) => each === "GET /sse").length;

for (const status of [400, 404, 405])
  test(`[MCP42] a server that answers ${status} where its stream is has its tools listed and called`, async () => {
    await using server = await openOldServer(status);
    const seen = await it.look(await it.looking({ url: server.url }));
    assert.deepEqual(namesIn(seen), ["echo", "end", "large", "slow"]);
    const from = server.asked.length;
    const id = await it.with({ url: server.url });
    const events = await it.turn(id, call("echo"));
    assert.deepEqual([resultsOf(events), errorsOf(events)], [["old words"], []]);
    // What it is is known by now: nothing is tried at the address of its stream.
    assert.deepEqual(new Set(server.asked.slice(from)), new Set(["GET /sse", "POST /messages"]));
    assert.deepEqual(resultsOf(await it.turn(id, call("echo"))), ["old words"]);
    assert.equal(streamsOf(server), 2);
  });

test("[MCP42] a row of the workspace shows its tools and calls them", async () => {
  await using server = await openOldServer();
  const headers = { headers: { "vendor-beta": "managed-agents-2026-04-01" } };
  const row = await it.askGood<{ id: string }>("POST", "/v1/mcp_servers", {
    ...headers,
    body: { name: "Old", url: server.url },
  });
  const path = `/v1/mcp_servers/${row.id}`;
  const listed = await it.askGood<object>("POST", `${path}/tools`, headers);
  assert.match(JSON.stringify(listed), /"2024-11-05"|"2025-/);
  assert.match(JSON.stringify(listed), /"echo"/);
  const called = await it.askGood<object>("POST", `${path}/call`, {
    ...headers,
    body: { name: "echo", arguments: {} },
  });
  assert.match(JSON.stringify(called), /old words/);
});

test("[MCP42] a stream that ends is the end of the call, and the next one is made over another", async () => {
  await using server = await openOldServer();
  const id = await it.with({ url: server.url });
  const startedMs = performance.now();
  const events = await it.turn(id, call("end"));
  assert.match(resultsOf(events)[0] ?? "", /broke off its answer\. Whether .* is not known\.$/);
  assert.ok(performance.now() - startedMs < 10_000);
  assert.deepEqual(resultsOf(await it.turn(id, call("echo"))), ["old words"]);
  // One that ends in between is noticed when it is asked.
  server.endStreams();
  const next = await it.turn(id, call("echo"));
  assert.deepEqual([resultsOf(next), errorsOf(next)], [["old words"], []]);
  assert.equal(server.calls, 2);
  assert.equal(streamsOf(server), 3, "no stream is opened that nothing is asked over");
});

test("[MCP42] its stream lasts longer than a server has to begin it, and holds 16 MiB", async () => {
  await using server = await openOldServer();
  const id = await it.with({ url: server.url });
  assert.deepEqual(resultsOf(await it.turn(id, call("slow"))), ["slow words"]);
  const five = Array.from({ length: 5 }, () => "large {}").join(" | ");
  const heard = resultsOf(await it.turn(id, said(`[[tools ${five}]]`)));
  assert.deepEqual(new Set(heard.map((words) => words.slice(0, 3))), new Set(["xxx"]));
  assert.equal(streamsOf(server), 1);
  const [more = ""] = resultsOf(await it.turn(id, call("large")));
  assert.match(more, /^error: .* not known\.$/);
  assert.deepEqual(resultsOf(await it.turn(id, call("echo"))), ["old words"]);
  assert.equal(streamsOf(server), 2);
});

test("[MCP42] where a server answers with another status its stream is not looked for", async () => {
  for (const status of [401, 403, 410, 500]) {
    await using server = await openOldServer(status);
    const events = await it.turn(await it.with({ url: server.url }), said("Go."));
    assert.equal(errorsOf(events).length, 1, String(status));
    assert.equal(streamsOf(server), 0, String(status));
  }
});

const streaming = (words: string) => (response: ServerResponse) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(words);
};

test("[MCP43] where its stream leads to another server, never begins or is none, nothing is asked there", async () => {
  await using elsewhere = await openMcpServer({});
  const { host } = new URL(elsewhere.url);
  const streams: ((response: ServerResponse) => void)[] = [
    streaming(`event: endpoint\ndata: ${elsewhere.url}\n\n`),
    streaming(`event: endpoint\ndata: //${host}/mcp\n\n`),
    streaming("event: endpoint\ndata: http://169.254.169.254/\n\n"),
    streaming(": nothing\n\n"),
    (response) => void response.writeHead(307, { location: elsewhere.url }).end(),
    (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html>"),
    (response) => void response.writeHead(500).end(),
  ];
  for (const [at, answer] of streams.entries()) {
    await using server = await openOldServer();
    server.before = ({ method }, response) => {
      if (method === "GET") answer(response);
      return method === "GET";
    };
    const id = await it.with({ url: server.url });
    const events = await it.turn(id, said("Go."));
    assert.deepEqual(
      errorsOf(events).map(({ type, message }) => [type, message]),
      [["mcp_connection_failed_error", 'The MCP server "docs" answered with the status 405.']],
      String(at),
    );
    assert.deepEqual(events.at(-1)?.["stop_reason"], { type: "end_turn" });
    assert.deepEqual(elsewhere.asked, []);
  }
});

test("[MCP43] it is asked with the token of the vault, and one that it refuses is told as such", async () => {
  await using server = await openOldServer();
  const token = "the-token-of-2024";
  const vault = await vaults.make();
  await vaults.add(vault.id, { type: "static_bearer", token, mcp_server_url: server.url });
  const fields = withServers({ url: server.url });
  const { id } = await it.make(fields, { vault_ids: [vault.id] });
  assert.deepEqual(resultsOf(await it.turn(id, call("echo"))), ["old words"]);
  assert.deepEqual([...new Set(server.authorizations)], [`Bearer ${token}`]);
  server.before = ({ method }, response) => {
    if (method === "GET") response.writeHead(401).end();
    return method === "GET";
  };
  const other = await it.make(fields, { vault_ids: [vault.id] });
  const refused = [
    "mcp_authentication_failed_error",
    'The MCP server "docs" refused the request with the status 401: it does not take the credentials that it was given, or they do not suffice.',
  ];
  const told = async (session: string) =>
    errorsOf(await it.turn(session, said("Go."))).map(({ type, message }) => [type, message]);
  assert.deepEqual(await told(other.id), [refused]);
  // Also one of which it is not known yet what it is.
  await using fresh = await openOldServer();
  fresh.before = server.before;
  await vaults.add(vault.id, { type: "static_bearer", token, mcp_server_url: fresh.url });
  const third = await it.make(withServers({ url: fresh.url }), { vault_ids: [vault.id] });
  assert.deepEqual(await told(third.id), [refused]);
});

test("[MCP43] each request is judged as it goes out, over a stream that is open and over a new one", async () => {
  await using server = await openOldServer();
  const change = (path: string, networking: object) =>
    it.askGood<{ id: string }>("POST", `/v1/environments${path}`, {
      body: { name: "lab", config: { type: "cloud", networking } },
    });
  const { id: environment_id } = await change("", { type: "limited", allow_mcp_servers: true });
  const { id: agent } = await it.agent(withServers({ url: server.url }));
  const [one, other] = [
    await it.begin({ agent, environment_id }),
    await it.begin({ agent, environment_id }),
  ];
  assert.deepEqual(resultsOf(await it.turn(one.id, call("echo"))), ["old words"]);
  await change(`/${environment_id}`, { type: "limited", allow_mcp_servers: false });
  const from = server.asked.length;
  const [refused = ""] = resultsOf(await it.turn(one.id, call("echo")));
  assert.match(refused, /^error: .*environment does not allow.* The call was not run\.$/);
  const [{ message } = { message: "" }] = errorsOf(await it.turn(other.id, said("Go.")));
  assert.match(String(message), /environment does not allow/);
  assert.deepEqual(server.asked.slice(from), []);
});
