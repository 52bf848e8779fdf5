// Rules MSV1 to MSV12, over HTTP: the MCP servers of a workspace.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import { toLoopback } from "./mcp-house.ts";
import { mcpRowsOf } from "./mcp-rows-house.ts";
import { openMcpServer, words } from "./mcp-server.ts";
import { addWorkspace, errorOf } from "./memory-house.ts";
import { eventsOf, sentenceOf } from "./support.ts";
import { vaultsOf } from "./vaults-house.ts";

let house: House;
before(async () => {
  house = await openHouse({ sections: { network: toLoopback, mcp: { connect_seconds: 4 } } });
});
after(() => house[Symbol.asyncDispose]());
const rows = mcpRowsOf(() => house);
const vaults = vaultsOf(() => house);
const url = "https://mcp.example.com/mcp";
const otherWorkspace = async (id: string) => {
  const { organization_id, cookie } = house.organizations.platform;
  return { cookie, ...(await addWorkspace(house, organization_id, id)) };
};
const never = {
  status: "unknown",
  last_asked_at: null,
  last_connected_at: null,
  last_error: null,
};

test("[MSV1] a server is as it was asked for, and an update changes what it names", async () => {
  const made = await rows.make({ name: "docs", description: "of ours" });
  assert.match(made.id, /^mcpsrv_\w+$/);
  const { id, created_at, updated_at, ...rest } = made;
  assert.deepEqual(rest, {
    type: "mcp_server",
    name: "docs",
    url,
    description: "of ours",
    vault_id: null,
    health: never,
    tools_count: null,
    versions: [],
  });
  assert.equal(created_at, updated_at);
  assert.deepEqual(await rows.read(id), made);
  assert.deepEqual(await rows.update(id, { name: null, url: null }), made);
  const changed = await rows.update(id, { description: null });
  assert.deepEqual([changed.description, changed.name], [null, "docs"]);
  for (const name of ["", " ", "a\nb", "a".repeat(256)])
    assert.match(sentenceOf(await rows.call("POST", "", { body: { name, url } }), 400), /^name: /);
  const long = { name: "long", url, description: "d".repeat(1_025) };
  assert.match(sentenceOf(await rows.call("POST", "", { body: long }), 400), /^description: /);
  await rows.good("DELETE", `/${id}`);
  errorOf(await rows.call("GET", `/${id}`), 404);
});

test("[MSV2] [MSV6] a name is taken in its workspace alone, and a server is seen there alone", async () => {
  const { id } = await rows.make({ name: "taken" });
  const other = await rows.make();
  const refused = [
    await rows.call("POST", "", { body: { name: "taken", url } }),
    await rows.call("POST", `/${other.id}`, { body: { name: "taken" } }),
  ];
  for (const answer of refused) errorOf(answer, 409, "mcp_server_name_taken");
  const elsewhere = await otherWorkspace("wrkspc_mcp_1");
  await rows.make({ name: "taken" }, elsewhere);
  for (const [method, path] of [
    ["GET", ""],
    ["POST", ""],
    ["DELETE", ""],
    ["POST", "/tools"],
  ] as const) {
    const body = method === "POST" && path === "" ? { body: { name: "x" } } : {};
    errorOf(await rows.call(method, `/${id}${path}`, { ...elsewhere, ...body }), 404);
  }
  errorOf(await rows.call("POST", `/${id}/call`, { ...elsewhere, body: { name: "x" } }), 404);
  errorOf(await rows.call("GET", "", { headers: { "vendor-beta": "" } }), 400);
});

test("[MSV3] the address of a server is one that may be asked", async () => {
  const wrong = [
    "docs",
    "ftp://mcp.example.com",
    "http://192.168.1.1/mcp",
    "https://user:word@mcp.example.com",
    `${url}#part`,
  ];
  for (const each of wrong)
    assert.match(
      sentenceOf(await rows.call("POST", "", { body: { name: "a", url: each } }), 400),
      /^url: /,
      each,
    );
  // What its name leads to is judged when it is asked.
  const { id } = await rows.make({ url: "https://localhost./mcp" });
  const { status, error } = await rows.tools(id);
  assert.equal(status, "failed");
  assert.match(String(error), /^The MCP server "server \d+" /);
});

test("[MSV4] a vault is of the same workspace and open; one that is deleted leaves the server", async () => {
  const vault = await vaults.make();
  const { id } = await rows.make({ vault_id: vault.id });
  const elsewhere = await otherWorkspace("wrkspc_mcp_2");
  const body = { name: "theirs", url, vault_id: vault.id };
  errorOf(await rows.call("POST", "", { ...elsewhere, body }), 404, "vault_not_found");
  const closed = await vaults.make();
  await vaults.good("POST", `/${closed.id}/archive`);
  const answer = await rows.call("POST", `/${id}`, { body: { vault_id: closed.id } });
  errorOf(answer, 400, "vault_archived");
  assert.equal((await rows.read(id)).vault_id, vault.id);
  await vaults.good("DELETE", `/${vault.id}`);
  assert.equal((await rows.read(id)).vault_id, null);
});

test("[MSV5] a workspace has 200 servers", async () => {
  const elsewhere = await otherWorkspace("wrkspc_mcp_3");
  const { id } = await rows.make({}, elsewhere);
  await house.world.db.query(sql`
    insert into mcp_servers (id, organization_id, workspace_id, name, url, versions, created_at, updated_at)
    select id || n, organization_id, workspace_id, 'more ' || n, url, versions, created_at, updated_at
    from mcp_servers, generate_series(1, 199) as n where id = ${id}`);
  const answer = await rows.call("POST", "", { ...elsewhere, body: { name: "one more", url } });
  errorOf(answer, 400, "mcp_server_limit_exceeded");
});

for (const revision of ["modern", "legacy"] as const)
  test(`[MSV8] [MSV9] [MSV10] a ${revision} server shows its tools, and what changed of them`, async () => {
    await using server = await openMcpServer({ echo: {}, old: {}, same: {} }, revision);
    const { id } = await rows.make({ url: server.url });
    const first = await rows.tools(id);
    assert.deepEqual([first.status, first.error, first.changes], ["connected", null, null]);
    assert.deepEqual(
      first.tools.map(({ name }) => name),
      ["echo", "old", "same"],
    );
    assert.equal(first.tools[0]?.description, "Does echo");
    assert.equal(first.tools[0]?.input_schema["type"], "object");
    const spoken = revision === "modern" ? "2026-07-28" : "2025-11-25";
    assert.deepEqual(first.server, { name: "test", version: "1", revision: spoken });
    assert.ok(first.latency_ms >= 0);
    const seen = await rows.read(id);
    assert.deepEqual([seen.health.status, seen.tools_count], ["connected", 3]);
    assert.deepEqual(
      seen.versions.map(({ name, version, revision: of }) => [name, version, of]),
      [["test", "1", spoken]],
    );
    assert.deepEqual((await rows.tools(id)).changes, { added: [], changed: [], removed: [] });
    // A time at which it does not answer changes nothing of what is known.
    server.before = (_request, response) => {
      response.writeHead(500);
      response.end();
      return true;
    };
    const down = await rows.tools(id);
    assert.deepEqual([down.status, down.tools, down.changes], ["failed", [], null]);
    const { health, tools_count } = await rows.read(id);
    assert.deepEqual([health.status, tools_count], ["failed", 3]);
    assert.equal(health.last_error, down.error);
    assert.match(String(down.error), /answered with the status 500\.$/);
    server.before = () => false;
    server.tools = { echo: { description: "Does more" }, same: {}, fresh: {} };
    const changes = { added: ["fresh"], changed: ["echo"], removed: ["old"] };
    assert.deepEqual((await rows.tools(id)).changes, changes);
    assert.equal((await rows.read(id)).health.last_error, null);
    const moved = await rows.update(id, { url: `${server.url}?other` });
    assert.deepEqual([moved.health, moved.tools_count, moved.versions], [never, null, []]);
  });

test("[MSV11] [MSV7] a server is asked with the token of its vault for its address", async () => {
  await using server = await openMcpServer({ echo: { call: () => words("it is tok-123456") } });
  const wanted = "Bearer tok-123456";
  server.before = (request, response) => {
    if (request.headers.authorization === wanted) return false;
    response.writeHead(401);
    response.end();
    return true;
  };
  const vault = await vaults.make();
  const { id } = await rows.make({ url: server.url, vault_id: vault.id });
  assert.equal((await rows.tools(id)).status, "unauthorized");
  const elsewhere = { type: "static_bearer", token: "tok-other1", mcp_server_url: url };
  await vaults.add(vault.id, elsewhere);
  assert.equal((await rows.tools(id)).status, "unauthorized");
  assert.ok(server.asked.every(({ authorization }) => authorization === undefined));
  const auth = { ...elsewhere, token: "tok-123456", mcp_server_url: server.url };
  const credential = await vaults.add(vault.id, auth);
  assert.equal((await rows.tools(id)).status, "connected");
  const { content } = await rows.run(id, { name: "echo", arguments: { text: "secret words" } });
  assert.deepEqual(content, [{ type: "text", text: "it is [hidden]" }]);
  const events = await eventsOf(house, house.organizations.platform);
  const event = events.find(({ action }) => action === "mcp_server.called");
  assert.deepEqual(event?.target, { type: "mcp_server", id });
  assert.deepEqual((event as { details?: unknown } | undefined)?.details, {
    tool: "echo",
    vault_id: vault.id,
    credential_id: credential.id,
  });
  assert.doesNotMatch(JSON.stringify(event), /secret words|tok-123456/);
});

test("[MSV12] a call is made once, and says what may have come of it", async () => {
  await using server = await openMcpServer({
    echo: { call: ({ text }) => words(`heard ${String(text)}`) },
    wrong: { call: () => ({ ...words("no such page"), isError: true }) },
    huge: { call: () => words("x".repeat(5 * 1024 * 1024)) },
  });
  const { id } = await rows.make({ url: server.url });
  const good = await rows.run(id, { name: "echo", arguments: { text: "a" } });
  assert.deepEqual([good.status, good.is_error, good.error], ["connected", false, null]);
  assert.deepEqual(good.content, [{ type: "text", text: "heard a" }]);
  const wrong = await rows.run(id, { name: "wrong" });
  assert.deepEqual([wrong.status, wrong.is_error], ["connected", true]);
  assert.deepEqual(wrong.content, [{ type: "text", text: "no such page" }]);
  const huge = await rows.run(id, { name: "huge" });
  assert.deepEqual([huge.status, huge.may_have_run], ["failed", true]);
  assert.match(String(huge.error), /answered with more than 4194304 bytes\.$/);
  const calls = server.asked.filter(({ method }) => method === "tools/call");
  assert.equal(calls.length, 3);
  const away = await rows.make({ url: "http://127.0.0.1:9/mcp" });
  const none = await rows.run(away.id, { name: "echo" });
  assert.deepEqual([none.status, none.may_have_run, none.content], ["failed", false, []]);
});
