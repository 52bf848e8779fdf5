// Rules MCP8 and MCP10, over HTTP: answers that break off or are errors, and calls of which nothing was sent.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:net";
import { after, before, test } from "node:test";
import { call, errorsOf, openMcpHouse, resultsOf, type McpHouse } from "./mcp-house.ts";
import { openMcpServer, words, type TestServer, type Tools } from "./mcp-server.ts";
import { said } from "./sessions-house.ts";

const callSeconds = 60;
let it: McpHouse;
before(async () => {
  it = await openMcpHouse({ mcp: { connect_seconds: 20, call_seconds: callSeconds } });
});
after(() => it[Symbol.asyncDispose]());

const echo: Tools = { echo: { call: ({ text }) => words(`heard ${String(text)}`) } };
const callsOf = ({ asked }: TestServer) =>
  asked.filter(({ method }) => method === "tools/call").length;
const unknown = /^error: .* Whether the call had its effect is not known\.$/;
const failed = "mcp_connection_failed_error";
const typesOf = (events: Parameters<typeof errorsOf>[0]) =>
  errorsOf(events).map(({ type }) => type);

const event = (message: object, id?: string) =>
  `${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
const notification = { method: "notifications/message", params: { level: "info", data: "at it" } };

/** Begins an answer to this method, and then ends its body or drops its socket. */
function breakOff(
  { method, how, id }: { method: string; how: "ends" | "drops"; id?: string },
  resume: (request: IncomingMessage, response: ServerResponse, asked: number) => void = () => {},
): TestServer["before"] {
  let asked = 0;
  return (request, response, body) => {
    if (request.method === "GET") {
      resume(request, response, asked);
      return true;
    }
    if (!body.includes(`"method":"${method}"`)) return false;
    ({ id: asked } = JSON.parse(body) as { id: number });
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(event(notification, id), () =>
      how === "ends" ? response.end() : response.destroy(),
    );
    return true;
  };
}

for (const revision of ["modern", "legacy"] as const)
  for (const how of ["ends", "drops"] as const)
    test(`[MCP10] an answer that ${how} without a result ends the call, with a server of the ${revision} revision`, async () => {
      await using server = await openMcpServer(echo, revision);
      const id = await it.with({ url: server.url });
      await it.turn(id, said("Go."));
      server.before = breakOff({ method: "tools/call", how });
      const startedMs = performance.now();
      const events = await it.turn(id, call("mcp__docs__echo", { text: "a" }));
      assert.ok(performance.now() - startedMs < (callSeconds * 1_000) / 2);
      assert.match(resultsOf(events)[0] ?? "", unknown);
      assert.match(
        resultsOf(events)[0] ?? "",
        /^error: The MCP server "docs" broke off its answer\. /,
      );
      assert.deepEqual([typesOf(events), callsOf(server)], [[failed], 1]);
    });

for (const status of [401, 404, 405, 500])
  test(`[MCP10] an answer whose rest is refused with ${status} ends the call, which is made once`, async () => {
    await using server = await openMcpServer(echo, "legacy");
    const id = await it.with({ url: server.url });
    await it.turn(id, said("Go."));
    server.before = breakOff(
      { method: "tools/call", how: "ends", id: "7" },
      (request, response) => {
        assert.equal(request.headers["last-event-id"], "7");
        response.writeHead(status).end("secret words");
      },
    );
    const startedMs = performance.now();
    const events = await it.turn(id, call("mcp__docs__echo", { text: "a" }));
    assert.ok(performance.now() - startedMs < (callSeconds * 1_000) / 2);
    assert.match(resultsOf(events)[0] ?? "", unknown);
    assert.ok(server.asked.some(({ method }) => method === "GET"));
    assert.deepEqual([typesOf(events), callsOf(server)], [[failed], 1]);
  });

for (const how of ["ends", "drops"] as const)
  test(`[MCP10] an answer that ${how} is resumed where the server has its rest`, async () => {
    await using server = await openMcpServer(echo, "legacy");
    const id = await it.with({ url: server.url });
    await it.turn(id, said("Go."));
    const rests = [
      { result: words("the rest") },
      // What the socket did is no reason for what the server says afterwards.
      { error: { code: -32_000, message: "no luck" } },
    ];
    server.before = breakOff(
      { method: "tools/call", how, id: "7" },
      (_request, response, asked) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(event({ id: asked, ...rests.shift() }, "8"));
      },
    );
    const good = await it.turn(id, call("mcp__docs__echo", { text: "a" }));
    assert.deepEqual([resultsOf(good), errorsOf(good)], [["the rest"], []]);
    const wrong = await it.turn(id, call("mcp__docs__echo", { text: "a" }));
    assert.match(
      resultsOf(wrong)[0] ?? "",
      /^error: .*answered with an error \(-32000\)\..*no luck$/,
    );
    assert.deepEqual([errorsOf(wrong), callsOf(server)], [[], 2]);
  });

const noAnswers: Record<string, (response: ServerResponse, id: number) => unknown> = {
  "a 202": (response) => response.writeHead(202).end(),
  "JSON with another id": (response, id) =>
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", id: id + 1_000, result: words("of another") })),
};
for (const revision of ["modern", "legacy"] as const)
  for (const [what, answer] of Object.entries(noAnswers)) {
    const answerWith =
      (failing: string): TestServer["before"] =>
      (_request, response, body) => {
        if (!body.includes(`"method":"${failing}"`)) return false;
        answer(response, (JSON.parse(body) as { id: number }).id);
        return true;
      };

    test(`[MCP10] ${what} ends a call at once, with a server of the ${revision} revision`, async () => {
      await using server = await openMcpServer(echo, revision);
      const id = await it.with({ url: server.url });
      await it.turn(id, said("Go."));
      server.before = answerWith("tools/call");
      const startedMs = performance.now();
      const events = await it.turn(id, call("mcp__docs__echo", { text: "a" }));
      assert.ok(performance.now() - startedMs < (callSeconds * 1_000) / 2);
      assert.deepEqual(resultsOf(events), [
        'error: The MCP server "docs" answered without a result. Whether the call had its effect is not known.',
      ]);
      assert.deepEqual([typesOf(events), callsOf(server)], [[failed], 1]);
      // The next call is made over a new connection.
      server.before = () => false;
      const next = await it.turn(id, call("mcp__docs__echo", { text: "b" }));
      assert.deepEqual(resultsOf(next), ["heard b"]);
    });

    test(`[MCP6] ${what} to tools/list is told at once, with a server of the ${revision} revision`, async () => {
      await using server = await openMcpServer(echo, revision);
      server.before = answerWith("tools/list");
      const startedMs = performance.now();
      const events = await it.turn(await it.with({ url: server.url }), said("Go."));
      assert.ok(performance.now() - startedMs < 10_000);
      assert.deepEqual(
        errorsOf(events).map(({ message }) => message),
        ['The MCP server "docs" answered without a result.'],
      );
    });
  }

for (const method of ["initialize", "tools/list"]) {
  test(`[MCP6] an answer to ${method} that breaks off is told, and the turn goes on`, async () => {
    await using server = await openMcpServer(echo, "legacy");
    server.before = breakOff({ method, how: "ends" });
    const events = await it.turn(await it.with({ url: server.url }), said("Go."));
    assert.deepEqual(
      errorsOf(events).map(({ message }) => message),
      ['The MCP server "docs" broke off its answer.'],
    );
  });

  test(`[MCP8] of an error that a server answers to ${method} the number is told, and not the words`, async () => {
    await using server = await openMcpServer(echo, "legacy");
    server.before = answerError(method);
    const events = await it.turn(await it.with({ url: server.url }), said("Go."));
    assert.deepEqual(
      errorsOf(events).map(({ type, message }) => [type, message]),
      [[failed, 'The MCP server "docs" answered with an error (-32000).']],
    );
    assert.doesNotMatch(JSON.stringify(events), /secret words/);
  });
}

function answerError(failing: string): TestServer["before"] {
  return (_request, response, body) => {
    if (!body.includes(`"method":"${failing}"`)) return false;
    const { id } = JSON.parse(body) as { id: number };
    const error = { code: -32_000, message: "secret words" };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, error }));
    return true;
  };
}

test("[MCP10] a page of a list that comes as a 202 is no answer, also behind one that came as a stream", async () => {
  await using server = await openMcpServer(echo);
  server.before = (_request, response, body) => {
    if (!body.includes('"method":"tools/list"')) return false;
    const { id, params } = JSON.parse(body) as { id: number; params: { cursor?: string } };
    if (params.cursor === undefined) {
      const result = { tools: [], nextCursor: "next", ttlMs: 0, cacheScope: "private" };
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(event({ id, result: { ...result, resultType: "complete" } }));
    } else response.writeHead(202).end();
    return true;
  };
  const startedMs = performance.now();
  const events = await it.turn(await it.with({ url: server.url }), said("Go."));
  assert.ok(performance.now() - startedMs < 10_000);
  assert.match(JSON.stringify(errorsOf(events)), /answered without a result/);
});

test("[MCP3] a result that does not say its type is all there is to say", async () => {
  await using server = await openMcpServer(echo);
  const results: Record<string, object> = {
    "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
    "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] },
    "tools/call": words("plain"),
  };
  server.before = (_request, response, body) => {
    const { id, method } = JSON.parse(body) as { id: number; method: string };
    const result = results[method];
    if (result === undefined) return false;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    return true;
  };
  const events = await it.turn(await it.with({ url: server.url }), call("mcp__docs__echo"));
  assert.deepEqual([resultsOf(events), errorsOf(events)], [["plain"], []]);
});

for (const [resultType, why] of [
  ["surprise", "answered with a kind of result that is not known here."],
  ["input_required", "asked for something in return, and no person can be asked here."],
] as const)
  test(`[MCP8] a result of the type ${resultType} is told for what it is where no person is asked`, async () => {
    await using server = await openMcpServer(echo);
    server.before = (_request, response, body) => {
      const { id, method } = JSON.parse(body) as { id: number; method: string };
      if (method !== "tools/call") return false;
      const result = { ...words("x"), resultType, requestState: "a state" };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
      return true;
    };
    const row = await it.askGood<{ id: string }>("POST", "/v1/mcp_servers", {
      body: { name: resultType, url: server.url },
    });
    const called = await it.askGood<{ error: string | null; is_error: boolean }>(
      "POST",
      `/v1/mcp_servers/${row.id}/call`,
      { body: { name: "echo" } },
    );
    assert.ok(called.is_error);
    assert.ok(called.error?.endsWith(why), JSON.stringify(called));
  });

test("[MCP8] the words of an error are in the result of a call, and in no error of the session", async () => {
  await using server = await openMcpServer(echo, "legacy");
  const id = await it.with({ url: server.url });
  await it.turn(id, said("Go."));
  server.before = answerError("tools/call");
  const events = await it.turn(id, call("mcp__docs__echo", { text: "a" }));
  assert.match(
    resultsOf(events)[0] ?? "",
    /^error: The MCP server "docs" answered with an error \(-32000\)\. It says: secret words$/,
  );
  assert.deepEqual(errorsOf(events), []);
  // One to the session that a call begins anew is none of the call.
  server.sessions.clear();
  server.before = answerError("initialize");
  const anew = await it.turn(id, call("mcp__docs__echo", { text: "b" }));
  assert.match(
    resultsOf(anew)[0] ?? "",
    /answered with an error \(-32000\)\. The call was not run\.$/,
  );
  assert.deepEqual(typesOf(anew), [failed]);
  assert.doesNotMatch(JSON.stringify(anew), /secret words/);
});

test("[MCP10] a call of which nothing was sent was not run", async () => {
  const server = await openMcpServer(echo);
  const id = await it.with({ url: server.url });
  await it.turn(id, said("Go."));
  await server[Symbol.asyncDispose]();
  const events = await it.turn(id, call("mcp__docs__echo", { text: "a" }));
  assert.match(
    resultsOf(events)[0] ?? "",
    /^error: .*cannot be reached \(ECONNREFUSED\)\. The call was not run\.$/,
  );
  assert.deepEqual(typesOf(events), [failed]);
});

test("[MCP10] a call that was sent and got no byte of an answer may have been run", async () => {
  const server = await openMcpServer(echo);
  const { port } = new URL(server.url);
  const id = await it.with({ url: server.url });
  await it.turn(id, said("Go."));
  await server[Symbol.asyncDispose]();
  // In its place stands one that takes a request and hangs up.
  const listener = createServer((socket) => socket.once("data", () => socket.destroy()));
  listener.listen(Number(port), "127.0.0.1");
  await once(listener, "listening");
  const events = await it.turn(id, call("mcp__docs__echo", { text: "a" }));
  listener.close();
  assert.match(resultsOf(events)[0] ?? "", unknown);
});
