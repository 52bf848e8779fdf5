// Rules MCP6 to MCP8 and MCP10 to MCP14, over HTTP: servers that do not work, calls that do not end, and addresses.
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { errorOf } from "./memory-house.ts";
import {
  call,
  errorsOf,
  openMcpHouse,
  resultsOf,
  withServers,
  type McpHouse,
} from "./mcp-house.ts";
import { openMcpServer, words, type TestServer, type Tools } from "./mcp-server.ts";
import { interrupt, ofType, said, typesOf, wordsOf, type SessionEvent } from "./sessions-house.ts";
import { until } from "./support.ts";

let it: McpHouse;
before(async () => {
  it = await openMcpHouse({ mcp: { connect_seconds: 4, call_seconds: 4 } });
});
after(() => it[Symbol.asyncDispose]());

const echo: Tools = { echo: { call: ({ text }) => words(`heard ${String(text)}`) } };
const callsOf = ({ asked }: TestServer) =>
  asked.filter(({ method }) => method === "tools/call").length;
const answers =
  (status: number, headers: Record<string, string> = {}, body = "secret words") =>
  (_request: unknown, response: ServerResponse) => {
    response.writeHead(status, headers);
    response.end(body);
    return true;
  };

/** The turn went on without the tools, with one error of this kind. */
function expectFault(events: readonly SessionEvent[], type: string, reason: RegExp): void {
  const [error, ...more] = errorsOf(events);
  assert.ok(error !== undefined, typesOf(events).join());
  assert.deepEqual(more, []);
  const { message, ...rest } = error;
  const retry_status = { type: "retrying" };
  assert.deepEqual(rest, { type, mcp_server_name: "docs", retry_status });
  assert.match(String(message), /^The MCP server "docs" /);
  assert.match(String(message), reason);
  assert.equal(wordsOf(events).length, 1);
  assert.deepEqual(events.at(-1)?.["stop_reason"], { type: "end_turn" });
}

test("[MCP6] a server that is away is told once, and again when it has answered in between", async () => {
  const server = await openMcpServer(echo);
  await server[Symbol.asyncDispose]();
  const id = await it.with({ url: server.url });
  const failed = "mcp_connection_failed_error";
  expectFault(await it.turn(id, said("Go.")), failed, /cannot be reached \(ECONNREFUSED\)/);
  assert.deepEqual(errorsOf(await it.turn(id, said("Again."))), []);
});

test("[MCP6] [MCP8] what is slow, broken or no MCP is given up, in words of this server, and tried again", async () => {
  await using server = await openMcpServer(echo);
  const id = await it.with({ url: server.url });
  const failed = "mcp_connection_failed_error";
  const faults: [TestServer["before"], RegExp][] = [
    [() => true, /did not answer (whole )?within 4 seconds\.$/],
    [answers(500), /answered with the status 500\.$/],
    [answers(200, { "content-type": "text/html" }), /in a way that is not MCP\.$/],
    [
      answers(200, { "content-type": "application/json" }, `"${"x".repeat(4 * 1024 * 1024)}"`),
      /answered with more than 4194304 bytes\.$/,
    ],
  ];
  for (const [before, reason] of faults) {
    server.before = before;
    const before_ = server.asked.length;
    // Of a server that does not answer only the beginning of the turn has to wait.
    const events = await it.turn(id, said("[[tool none]] [[tool none]] Go."));
    expectFault(events, failed, reason);
    assert.doesNotMatch(JSON.stringify(events), /secret words/);
    assert.ok(server.asked.length - before_ <= 2);
    server.before = () => false;
    const good = await it.turn(id, call("mcp__docs__echo", { text: "back" }));
    assert.deepEqual([resultsOf(good), errorsOf(good)], [["heard back"], []]);
    // As for a process that has no connection to it any more.
    await it.update(id, { agent: withServers({ url: `${server.url}?${reason.source.length}` }) });
  }
});

for (const status of [401, 403])
  test(`[MCP7] a server that answers ${status} wants credentials`, async () => {
    await using server = await openMcpServer(echo);
    server.before = answers(status);
    const id = await it.with({ url: server.url });
    const refused = "mcp_authentication_failed_error";
    const why = `status ${status}: it wants credentials, and was asked without any\\. No vault of the session`;
    expectFault(await it.turn(id, said("Go.")), refused, new RegExp(why));
    assert.deepEqual(errorsOf(await it.turn(id, said("Again."))), []);
    // Another kind of failure is told, and in a call too.
    server.before = () => false;
    const good = await it.turn(id, call("mcp__docs__echo", { text: "a" }));
    assert.deepEqual(resultsOf(good), ["heard a"]);
    server.before = answers(status);
    const events = await it.turn(id, call("mcp__docs__echo", { text: "b" }));
    assert.match(resultsOf(events)[0] ?? "", /^error: .*The call was not run\.$/);
    assert.deepEqual(
      errorsOf(events).map(({ type }) => type),
      [refused],
    );
  });

test("[MCP10] a call that lasts too long, or answers too much, may have had its effect, and is made once", async () => {
  await using server = await openMcpServer({
    slow: { call: () => new Promise(() => {}) },
    huge: { call: () => words("x".repeat(5 * 1024 * 1024)) },
    broken: {},
  });
  const id = await it.with({ url: server.url });
  const unknown = /Whether the call had its effect is not known\.$/;
  const slow = await it.turn(id, call("mcp__docs__slow"));
  assert.match(resultsOf(slow)[0] ?? "", /^error: .*did not answer (whole )?within 4 seconds\. /);
  assert.match(resultsOf(slow)[0] ?? "", unknown);
  const huge = await it.turn(id, call("mcp__docs__huge"));
  assert.match(resultsOf(huge)[0] ?? "", /^error: .*more than 4194304 bytes\. /);
  assert.match(resultsOf(huge)[0] ?? "", unknown);
  assert.equal(callsOf(server), 2);
  // It hangs up in the middle of a call.
  server.before = (request, _response, body) => {
    if (!body.includes("tools/call")) return false;
    request.socket.destroy();
    return true;
  };
  const broken = await it.turn(id, call("mcp__docs__broken"));
  assert.match(resultsOf(broken)[0] ?? "", unknown);
  assert.equal(callsOf(server), 3);
});

for (const revision of ["modern", "legacy"] as const)
  test(`[MCP11] an interrupt ends a call within a second, with a server of the ${revision} revision`, async () => {
    let [begun, ended] = [false, false];
    const hang = (_input: object, signal: AbortSignal) =>
      new Promise<never>(() => {
        begun = true;
        signal.addEventListener("abort", () => (ended = true));
      });
    await using server = await openMcpServer({ hang: { call: hang }, ...echo }, revision);
    const id = await it.with({ url: server.url });
    await it.send(id, call("mcp__docs__hang"));
    await until(async () => begun, "the call to begin");
    const startedMs = performance.now();
    await it.send(id, interrupt);
    const events = await it.idle(id);
    assert.ok(performance.now() - startedMs < 1_000);
    assert.match(resultsOf(events)[0] ?? "", /^error: Interrupted while it ran/);
    await until(async () => ended, "the server to be told");
    const after = await it.turn(id, call("mcp__docs__echo", { text: "on" }));
    assert.deepEqual([resultsOf(after), callsOf(server)], [["heard on"], 2]);
  });

test("[MCP11] a call that had begun when its process died is not made again", async () => {
  const finish = Promise.withResolvers<void>();
  const hang = async () => {
    await finish.promise;
    return words("late");
  };
  await using server = await openMcpServer({ hang: { call: hang } });
  await using _second = await it.house.openSecondServer();
  const id = await it.with({ url: server.url });
  await it.send(id, call("mcp__docs__hang"));
  await until(async () => callsOf(server) === 1, "the call to begin");
  await it.house.world.db.tx((tx) =>
    tx.query(
      sql`update sessions set lease_until = statement_timestamp() - interval '1 second' where id = ${id}`,
    ),
  );
  const events = await it.idle(id);
  finish.resolve();
  assert.match(resultsOf(events)[0] ?? "", /^error: The outcome is unknown/);
  assert.equal(resultsOf(await it.idle(id)).length, 1);
  assert.equal(callsOf(server), 1);
});

test("[MCP12] a redirect to another address is not followed, and none that is private is asked", async () => {
  await using elsewhere = await openMcpServer(echo);
  await using server = await openMcpServer(echo);
  const failed = "mcp_connection_failed_error";
  server.before = answers(307, { location: elsewhere.url });
  const id = await it.with({ url: server.url });
  expectFault(await it.turn(id, said("Go.")), failed, /redirect \(307\) to another server/);
  assert.deepEqual(elsewhere.asked, []);
  for (const url of ["http://10.1.2.3/mcp", "https://192.168.0.1/mcp", "http://[::1]/mcp"]) {
    const other = await it.with({ url });
    expectFault(await it.turn(other, said("Go.")), failed, /not an address of the public internet/);
  }
  // Within the server a redirect is followed.
  server.before = (request, response) => {
    if (request.url !== "/mcp") return false;
    return answers(307, { location: "/other" })(request, response);
  };
  const moved = await it.turn(id, call("mcp__docs__echo", { text: "moved" }));
  assert.deepEqual(resultsOf(moved), ["heard moved"]);
});

test("[MCP13] what a limited environment does not allow is refused when a session is made, or told", async () => {
  await using server = await openMcpServer(echo);
  const { port, hostname } = new URL(server.url);
  const environment = async (networking: object) =>
    (
      await it.askGood<{ id: string }>("POST", "/v1/environments", {
        body: {
          name: "lab",
          config: { type: "cloud", networking: { type: "limited", ...networking } },
        },
      })
    ).id;
  const { id: agent } = await it.agent(withServers({ url: server.url }));
  const closed = await environment({ allowed_hosts: ["docs.example"] });
  const refused = await it.tryBegin({ agent, environment_id: closed });
  const { message } = errorOf(refused, 400, "mcp_egress_blocked");
  assert.match(message, /^environment_id: .*127\.0\.0\.1.*"docs".*allow_mcp_servers/);
  const member = { type: "coordinator", agents: [agent] };
  const { id: leader } = await it.agent({ multiagent: member });
  const led = await it.tryBegin({ agent: leader, environment_id: closed });
  assert.match(errorOf(led, 400, "mcp_egress_blocked").message, /its member "Helper" has/);
  for (const open of [{ allowed_hosts: [hostname] }, { allow_mcp_servers: true }]) {
    const environment_id = await environment(open);
    const { id } = await it.begin({ agent, environment_id });
    const good = await it.turn(id, call("mcp__docs__echo", { text: "in" }));
    assert.deepEqual(resultsOf(good), ["heard in"]);
    const networking = { type: "limited", allowed_hosts: [], allow_mcp_servers: false };
    await it.askGood("POST", `/v1/environments/${environment_id}`, {
      body: { config: { type: "cloud", networking } },
    });
    const before = callsOf(server);
    const { id: other } = await it.begin({ agent, environment_id: await environment(open) });
    await it.turn(other, said("Go."));
    // A call over a connection that is there is judged as well.
    const events = await it.turn(id, call("mcp__docs__echo", { text: "out" }));
    assert.match(
      resultsOf(events)[0] ?? "",
      /^error: .*environment does not allow.* The call was not run\.$/,
    );
    assert.equal(callsOf(server), before);
    const counted = new RegExp(`is at ${hostname}:${port}, which the environment does not allow`);
    assert.match(String(errorsOf(events)[0]?.["message"]), counted);
  }
});

test("[MCP14] connections end with the process, and with them sessions of the older revisions", async () => {
  await using server = await openMcpServer(echo, "legacy");
  {
    await using other = await openMcpHouse();
    const id = await other.with({ url: server.url });
    const events = await other.turn(id, call("mcp__docs__echo", { text: "a" }));
    assert.deepEqual(ofType(events, "session.error"), []);
    assert.equal(server.sessions.size, 1);
  }
  assert.equal(server.sessions.size, 0);
});
