// Rules MCP34, MCP35 and MCP49, over HTTP: what a process remembers of the revision of a server, and how long a list is
// good.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { call, errorsOf, namesIn, openMcpHouse, resultsOf, type McpHouse } from "./mcp-house.ts";
import { mcpRowsOf } from "./mcp-rows-house.ts";
import { answerLists, openMcpServer, words, type TestServer } from "./mcp-server.ts";
import { said } from "./sessions-house.ts";
import { until } from "./support.ts";

let it: McpHouse;
before(async () => {
  it = await openMcpHouse();
});
after(() => it[Symbol.asyncDispose]());

const echo = { echo: { call: () => words("heard") } };
const since = ({ asked }: TestServer, from = 0) => asked.slice(from).map(({ method }) => method);
const talk = async (server: TestServer) =>
  it.turn(await it.with({ url: server.url }), call("mcp__docs__echo"));

test("[MCP34] another thread does not ask again which revision a server speaks", async () => {
  await using modern = await openMcpServer(echo);
  await using legacy = await openMcpServer(echo, "legacy");
  for (const server of [modern, legacy]) {
    await talk(server);
    const from = server.asked.length;
    assert.equal(since(server)[0], "server/discover");
    assert.deepEqual(resultsOf(await talk(server)), ["heard"]);
    assert.ok(!since(server, from).includes("server/discover"));
  }
});

test("[MCP34] one that speaks another revision by now is asked anew, and no call is made twice", async () => {
  for (const [was, is] of [
    ["modern", "legacy"],
    ["legacy", "modern"],
  ] as const) {
    await using old = await openMcpServer(echo, was);
    await using next = await openMcpServer(echo, is);
    await talk(old);
    // What stands at the address is another server from now on.
    old.before = (request, response, body) => {
      void forward(next, request, response, body);
      return true;
    };
    const events = await talk(old);
    assert.deepEqual([resultsOf(events), errorsOf(events)], [["heard"], []], `${was} to ${is}`);
    assert.equal(since(next).filter((method) => method === "tools/call").length, 1);
    const from = next.asked.length;
    await talk(old);
    assert.ok(!since(next, from).includes("server/discover"), "it is known again");
  }
});

test("[MCP34] one that was away is asked anew which revision it speaks", async () => {
  await using server = await openMcpServer(echo, "legacy");
  await talk(server);
  server.before = (_request, response) => {
    response.writeHead(500).end();
    return true;
  };
  assert.equal(errorsOf(await talk(server)).length, 1);
  server.before = () => false;
  const from = server.asked.length;
  assert.deepEqual(resultsOf(await talk(server)), ["heard"]);
  assert.equal(since(server, from)[0], "server/discover");
});

test("[MCP34] a call is made over no connection whose server was not asked which revision it speaks", async () => {
  await using server = await openMcpServer(echo);
  await talk(server);
  const id = await it.with({ url: server.url });
  let isFirst = true;
  server.before = (_request, response, body) => {
    const breaks = isFirst && body.includes('"tools/call"');
    if (breaks) isFirst = false;
    if (breaks) response.destroy();
    return breaks;
  };
  const from = server.asked.length;
  const twice = said("[[tools echo {} | echo {}]]");
  assert.match(resultsOf(await it.turn(id, twice)).join(), /not known.*heard/);
  const asked = since(server, from).filter((method) => !method.startsWith("notifications/"));
  const [listed, called, ...again] = asked;
  assert.deepEqual([listed, called], ["tools/list", "tools/call"]);
  assert.deepEqual(again.slice(0, 2), ["server/discover", "tools/call"]);
});

test("[MCP34] a server of a workspace that a person looks at is always asked", async () => {
  const rows = mcpRowsOf(() => it.house);
  await using server = await openMcpServer(echo);
  await talk(server);
  const { id } = await rows.make({ url: server.url });
  for (let time = 0; time < 2; time++) {
    const from = server.asked.length;
    await rows.tools(id);
    assert.deepEqual(since(server, from), ["server/discover", "tools/list"]);
  }
});

type Before = Parameters<TestServer["before"]>;

async function forward(
  { url }: TestServer,
  request: Before[0],
  response: Before[1],
  body: string,
): Promise<void> {
  const kept = Object.entries(request.headers).filter(([name]) => !skipped.has(name));
  const answer = await fetch(url, {
    method: request.method ?? "POST",
    headers: kept.map(([name, value]) => [name, String(value)]),
    ...(body !== "" && { body }),
  });
  const headers = [...answer.headers].filter(([name]) => !skipped.has(name));
  response.writeHead(answer.status, Object.fromEntries(headers));
  response.end(await answer.text());
}

const skipped = new Set([
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "keep-alive",
]);

const listing = (server: TestServer, ttlMs: number) =>
  answerLists(server, () => ({
    resultType: "complete",
    ttlMs,
    cacheScope: "private",
    tools: Object.keys(server.tools).map((name) => ({ name, inputSchema: { type: "object" } })),
  }));

test("[MCP35] a list is good for as long as its server says, and for a minute where it says nothing", async () => {
  await using server = await openMcpServer(echo);
  for (const [ttlMs, isGood] of [
    [1_000, false],
    [0, true],
  ] as const) {
    listing(server, ttlMs);
    const id = await it.looking({ url: server.url });
    await it.look(id);
    const from = server.asked.length;
    await new Promise((resolve) => void setTimeout(resolve, 1_100));
    await it.look(id);
    assert.equal(since(server, from).includes("tools/list"), !isGood, String(ttlMs));
  }
});

test("[MCP35] a server that says that its tools have changed is asked for them in the next turn", async () => {
  await using server = await openMcpServer(echo);
  const id = await it.with({ url: server.url });
  await it.turn(id, call("mcp__docs__echo"));
  server.before = (_request, response, body) => {
    const { method, id: asked } = JSON.parse(body) as { method: string; id: number };
    if (method !== "tools/call") return false;
    response.writeHead(200, { "content-type": "text/event-stream" });
    const say = (message: object) =>
      response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
    say({ method: "notifications/tools/list_changed" });
    say({ id: asked, result: { resultType: "complete", ...words("changed") } });
    response.end();
    return true;
  };
  assert.deepEqual(resultsOf(await it.turn(id, call("mcp__docs__echo"))), ["changed"]);
  const from = server.asked.length;
  server.before = () => false;
  server.tools = { ...echo, more: {} };
  await it.turn(id, call("mcp__docs__more"));
  assert.deepEqual(since(server, from), ["tools/list", "tools/call"]);
  assert.deepEqual(namesIn(await it.look(await it.looking({ url: server.url }))).length, 2);
});

const hours = 3_600_000;
const isListening = (server: TestServer) => since(server).includes("subscriptions/listen");

test("[MCP49] a change that a server tells reaches a list that is good for long", async () => {
  await using server = await openMcpServer(echo);
  listing(server, hours);
  const id = await it.looking({ url: server.url });
  assert.equal(namesIn(await it.look(id)).length, 1);
  await until(async () => isListening(server), "it is listened to");
  server.tools = { ...echo, more: {} };
  const from = server.asked.length;
  await it.look(id);
  assert.deepEqual(since(server, from), []);
  await until(async () => {
    server.tellChange();
    return namesIn(await it.look(id)).length === 2;
  }, "the new tool is offered");
  assert.deepEqual(since(server, from), ["tools/list"]);
});

test("[MCP49] it is not listened to where a list is good for a minute", async () => {
  await using server = await openMcpServer(echo);
  listing(server, 60_000);
  assert.deepEqual(resultsOf(await talk(server)), ["heard"]);
  assert.ok(!isListening(server));
});

test("[MCP49] a server that refuses to be listened to is used as others are", async () => {
  await using server = await openMcpServer(echo);
  listing(server, hours);
  const lists = server.before;
  let refused = 0;
  server.before = (request, response, body) => {
    if (!body.includes("subscriptions/listen")) return lists(request, response, body);
    refused++;
    response.writeHead(500).end("no");
    return true;
  };
  const id = await it.with({ url: server.url });
  for (let time = 0; time < 2; time++) {
    const events = await it.turn(id, call("mcp__docs__echo"));
    assert.deepEqual([resultsOf(events), errorsOf(events)], [["heard"], []]);
  }
  assert.equal(refused, 1);
});
