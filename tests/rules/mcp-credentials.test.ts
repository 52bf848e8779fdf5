// Rule MCP15: the credentials with which sessions ask MCP servers.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { ofType, said } from "./sessions-house.ts";
import {
  call,
  errorsOf,
  openMcpHouse,
  resultsOf,
  withServers,
  type McpHouse,
} from "./mcp-house.ts";
import { openMcpServer, words, type TestServer } from "./mcp-server.ts";
import { openProvider, vaultsOf } from "./vaults-house.ts";

let it: McpHouse;
before(async () => {
  it = await openMcpHouse();
});
after(() => it[Symbol.asyncDispose]());
const vaults = vaultsOf(() => it.house);

const echo = {
  echo: { call: ({ text }: Record<string, unknown>) => words(`heard ${String(text)}`) },
};

/** Lets in who has one of these tokens. */
function expectTokens(server: TestServer, ...tokens: readonly string[]): void {
  server.before = ({ headers }, response) => {
    if (tokens.some((token) => headers.authorization === `Bearer ${token}`)) return false;
    response.writeHead(401).end();
    return true;
  };
}

const sessionWith = async (server: TestServer, ...vaultIds: readonly string[]) =>
  (await it.make(withServers({ url: server.url }), { vault_ids: vaultIds })).id;

test("[MCP15] a server is asked with the credential of a vault, and with none once it is archived", async () => {
  await using server = await openMcpServer(echo);
  expectTokens(server, "right-one");
  const vault = await vaults.make();
  const auth = { type: "static_bearer", token: "right-one", mcp_server_url: server.url };
  const credential = await vaults.add(vault.id, auth);
  const id = await sessionWith(server, vault.id);
  const events = await it.turn(id, call("mcp__docs__echo", { text: "a" }));
  assert.deepEqual([resultsOf(events), errorsOf(events)], [["heard a"], []]);
  assert.ok(!JSON.stringify(events).includes("right-one"));
  await vaults.change(credential, { auth: { type: "static_bearer", token: "new-one" } });
  expectTokens(server, "new-one");
  assert.deepEqual(resultsOf(await it.turn(id, call("mcp__docs__echo", { text: "b" }))), [
    "heard b",
  ]);
  await vaults.good("POST", `/${vault.id}/credentials/${credential.id}/archive`);
  const refused = errorsOf(await it.turn(id, said("Go on.")));
  assert.deepEqual(
    refused.map(({ type }) => type),
    ["mcp_authentication_failed_error"],
  );
  assert.equal(server.asked.at(-1)?.authorization, undefined);
});

test("[VLT16] a server that is asked with a credential leaves a line for session, host and hour", async () => {
  await using server = await openMcpServer(echo);
  const vault = await vaults.make();
  const auth = { type: "static_bearer", token: "right-one", mcp_server_url: server.url };
  const credential = await vaults.add(vault.id, auth);
  const id = await sessionWith(server, vault.id);
  for (const text of ["a", "b"]) await it.turn(id, call("mcp__docs__echo", { text }));
  const lines = await it.house.world.db.query<{ details: object }>(sql`
    select details from audit_events
    where action = 'vault_credential.used' and target_id = ${credential.id}`);
  const { hostname: host } = new URL(server.url);
  assert.deepEqual(
    lines.map(({ details }) => details),
    [{ host, session_id: id, vault_id: vault.id }],
  );
});

test("[MCP15] a token that the server refuses is renewed, and the request is made again", async () => {
  await using server = await openMcpServer(echo);
  await using provider = await openProvider();
  provider.good = "acc-2";
  expectTokens(server, "acc-2");
  const vault = await vaults.make();
  const auth = provider.oauth({ mcp_server_url: server.url, access_token: "acc-1" });
  await vaults.add(vault.id, auth);
  const id = await sessionWith(server, vault.id);
  const events = await it.turn(id, call("mcp__docs__echo", { text: "a" }));
  assert.deepEqual([resultsOf(events), errorsOf(events)], [["heard a"], []]);
  assert.equal(provider.at("/token").length, 1);
  // One that cannot be renewed is an error of the session.
  provider.token = (response) => response.writeHead(400).end();
  expectTokens(server, "another");
  const refused = errorsOf(await it.turn(id, call("mcp__docs__echo", { text: "b" })));
  assert.deepEqual(
    refused.map(({ type }) => type),
    ["mcp_authentication_failed_error"],
  );
});

test("[MCP15] a token endpoint that is silent holds no interrupt up, and one that refuses for good is asked once", async () => {
  await using server = await openMcpServer(echo);
  await using provider = await openProvider();
  const vault = await vaults.make();
  const soon = new Date(it.house.world.clock.now().getTime() + 30_000).toISOString();
  await vaults.add(vault.id, provider.oauth({ mcp_server_url: server.url, expires_at: soon }));
  const id = await sessionWith(server, vault.id);
  const held = provider.holdToken((response) => response.writeHead(400).end());
  await it.send(id, call("mcp__docs__echo", { text: "a" }));
  await held.heard;
  const beganMs = performance.now();
  await it.send(id, { type: "user.interrupt" });
  await it.idle(id);
  assert.ok(performance.now() - beganMs < 5_000, "the interrupt waited for the token endpoint");
  held.open();
  await it.turn(id, call("mcp__docs__echo", { text: "b" }));
  const asked = provider.at("/token").length;
  const events = await it.turn(id, call("mcp__docs__echo", { text: "c" }));
  assert.deepEqual(resultsOf(events), ["heard c"], "the token is used for as long as it holds");
  assert.equal(provider.at("/token").length, asked);
});

test("[MCP15] of two credentials for one address neither is used, and the error names both", async () => {
  await using server = await openMcpServer(echo);
  const [one, two] = [await vaults.make(), await vaults.make()];
  const auth = { type: "static_bearer", token: "t", mcp_server_url: server.url };
  const first = await vaults.add(one.id, auth);
  const id = await sessionWith(server, one.id, two.id);
  const second = await vaults.add(two.id, auth);
  const events = await it.turn(id, said("Go."));
  const [error] = errorsOf(events);
  assert.equal(error?.["type"], "mcp_authentication_failed_error");
  assert.ok(
    String(error?.["message"]).includes(first.id) && String(error?.["message"]).includes(second.id),
  );
  assert.deepEqual(server.asked, []);
  assert.equal(ofType(events, "agent.message").length, 1, "the turn goes on without its tools");
});

test("[MCP16] [MCP48] a token that its server repeats is shown to no model, and stands in no event", async () => {
  const token = 'sec/ret+"of=the-vault';
  const spelled = [
    token,
    JSON.stringify(token),
    token.replaceAll("/", "\\/").replaceAll('"', '\\"'),
    encodeURIComponent(token),
    Buffer.from(token).toString("base64"),
  ].join(" ");
  const schema = {
    type: "object",
    properties: { text: { type: "string", description: `As ${token}` } },
  };
  // The cut falls into the token.
  const far = "x".repeat(49_990);
  await using server = await openMcpServer({
    leak: {
      description: `Answers ${spelled}`,
      schema,
      call: async (_input, _signal, { progress }) => {
        await progress({ progress: 1, message: `Has ${token}` });
        return {
          content: [
            { type: "text", text: `Bearer ${spelled}` },
            { type: "resource", resource: { uri: `file:///${token}`, text: spelled } },
            { type: "resource_link", uri: "file:///a", name: token, description: spelled },
          ],
        };
      },
    },
    data: { call: () => ({ content: [], structuredContent: { [token]: token } }) },
    cut: { call: () => words(`${far}${token}${"y".repeat(99_990)}`) },
    wrong: { call: () => ({ ...words(spelled), isError: true }) },
  });
  expectTokens(server, token);
  const vault = await vaults.make();
  await vaults.add(vault.id, { type: "static_bearer", token, mcp_server_url: server.url });
  const { id } = await it.make(
    { model: "eyes", ...withServers({ url: server.url }) },
    { vault_ids: [vault.id] },
  );
  const seen = await it.look(id);
  const leak = seen.tools?.find(({ name }) => name === "leak");
  const hidden = '[hidden] "[hidden]" [hidden] [hidden] [hidden]';
  assert.equal(leak?.description, `Answers ${hidden}`);
  assert.match(JSON.stringify(leak?.input_schema), /As \[hidden\]/);
  const session = await sessionWith(server, vault.id);
  const calls = ["leak", "data", "cut", "wrong"].map((tool) => call(`mcp__docs__${tool}`));
  const results: string[] = [];
  await using stream = await it.stream(session, {
    query: "?event_deltas[]=agent.mcp_tool_use",
  });
  for (const each of calls) results.push(...resultsOf(await it.turn(session, each)));
  assert.equal(
    results[0],
    [
      `Bearer ${hidden}`,
      `[Resource file:///[hidden]]\n${hidden}`,
      `[Resource [hidden]: file:///a]\n${hidden}`,
    ].join("\n"),
  );
  assert.equal(ofType(stream.events, "event_progress")[0]?.["message"], "Has [hidden]");
  assert.equal(results[1], '{"[hidden]":"[hidden]"}');
  assert.equal(results[2]?.slice(49_990, 50_000), "[hidden]yy");
  assert.equal(results[3], `error: ${hidden}`);
  server.before = (_request, response, body) => {
    const { id: asked, method } = JSON.parse(body) as { id: number; method: string };
    if (method !== "tools/call") return false;
    response.writeHead(200, { "content-type": "application/json" });
    const error = { code: -32_000, message: `No: ${spelled}` };
    response.end(JSON.stringify({ jsonrpc: "2.0", id: asked, error }));
    return true;
  };
  const [failure] = resultsOf(await it.turn(session, call("mcp__docs__leak")));
  assert.equal(failure?.endsWith(`It says: No: ${hidden}`), true);
});

test("[MCP16] a tool that is named by the token is not offered, and a short token is left alone", async () => {
  const long = "a-token-of-25-characters-";
  for (const [token, names] of [
    [long, ["plain"]],
    ["short", ["plain", "the-short"]],
  ] as const) {
    await using server = await openMcpServer({ plain: {}, [`the-${token}`]: {} });
    const vault = await vaults.make();
    await vaults.add(vault.id, { type: "static_bearer", token, mcp_server_url: server.url });
    const fields = { model: "eyes", ...withServers({ url: server.url }) };
    const { id } = await it.make(fields, { vault_ids: [vault.id] });
    assert.deepEqual(
      (await it.look(id)).tools?.map(({ name }) => name),
      names,
    );
  }
});
const kinds = [
  { kind: "static_bearer", secret: "token", archives: "credential" },
  { kind: "mcp_oauth", secret: "access_token", archives: "credential" },
  { kind: "static_bearer", secret: "token", archives: "vault" },
] as const;

for (const { kind, secret, archives } of kinds)
  test(`[MCP14] [MCP15] a ${kind} is used until its ${archives} is archived in the midst of a turn, and for no farewell`, async () => {
    const [begun, archived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const hold = async () => {
      begun.resolve();
      await archived.promise;
      return words("held");
    };
    await using server = await openMcpServer({ ...echo, hold: { call: hold } }, "legacy");
    {
      await using other = await openMcpHouse();
      const theirs = vaultsOf(() => other.house);
      const vault = await theirs.make();
      const auth = { type: kind, [secret]: "right-one", mcp_server_url: server.url };
      const credential = await theirs.add(vault.id, auth);
      const agent = withServers({ url: server.url });
      const { id } = await other.make(agent, { vault_ids: [vault.id] });
      const calls = `mcp__docs__hold {} | mcp__docs__echo {"text":"b"}`;
      const turn = other.turn(id, said(`[[tools ${calls}]]`));
      await begun.promise;
      const before = server.asked.length;
      assert.ok(server.asked.every(({ authorization }) => authorization === "Bearer right-one"));
      const path = archives === "vault" ? "" : `/credentials/${credential.id}`;
      await theirs.good("POST", `/${vault.id}${path}/archive`);
      archived.resolve();
      assert.deepEqual(resultsOf(await turn), ["held", "heard b"]);
      const later = server.asked.slice(before);
      assert.ok(later.some(({ method }) => method === "tools/call"));
      assert.ok(later.every(({ authorization }) => authorization === undefined));
    }
    // The connection with the credential went without a word, that without one has said that it goes.
    const farewells = server.asked.filter(({ method }) => method === "DELETE");
    assert.deepEqual(
      farewells.map(({ authorization }) => authorization),
      [undefined],
    );
    assert.equal(server.sessions.size, 1);
  });
