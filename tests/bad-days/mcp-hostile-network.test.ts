// Rules MCP8, MCP12 and MCP40: MCP servers whose names lead elsewhere by the next request, and servers that repeat the
// token with which they were asked wherever they can.
import assert from "node:assert/strict";
import dns from "node:dns";
import type { ServerResponse } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { after, before, test } from "node:test";
import {
  call,
  errorsOf,
  openMcpHouse,
  resultsOf,
  withServers,
  type McpHouse,
} from "../rules/mcp-house.ts";
import { openMcpServer, words, type TestServer, type Tools } from "../rules/mcp-server.ts";
import { said, wordsOf } from "../rules/sessions-house.ts";
import { vaultsOf } from "../rules/vaults-house.ts";

let it: McpHouse;
before(async () => {
  it = await openMcpHouse({ mcp: { connect_seconds: 3, call_seconds: 3 } });
});
after(() => it[Symbol.asyncDispose]());
const vaults = vaultsOf(() => it.house);

const echo: Tools = { echo: { call: ({ text }) => words(`heard ${String(text)}`) } };

/** From now on the name leads to what comes next in turn, and to the last of it in the end. */
function leadTo(
  name: string,
  ...turns: readonly (readonly string[])[]
): Disposable & { looks: number } {
  const { lookup } = dns;
  const self = {
    looks: 0,
    [Symbol.dispose]: () => {
      dns.lookup = lookup;
      syncBuiltinESMExports();
    },
  };
  const fake = (asked: string, options: object, done: (...found: unknown[]) => void) => {
    if (asked !== name) return lookup(asked, options, done as never);
    const found = turns[Math.min(self.looks++, turns.length - 1)] ?? [];
    return queueMicrotask(() =>
      done(
        null,
        found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      ),
    );
  };
  dns.lookup = fake as never;
  syncBuiltinESMExports();
  return self;
}

const loopback = ["127.0.0.1"];

test("[MCP12] [MCP40] a name that leads to a private address by the next request is not asked there", async () => {
  const { lookup } = dns;
  await using server = await openMcpServer(echo);
  for (const inside of [
    ["10.1.2.3"],
    ["169.254.169.254"],
    ["::1"],
    ["::ffff:10.1.2.3"],
    ["fd00::1"],
  ]) {
    using name = leadTo("rebind.example", loopback);
    const { port } = new URL(server.url);
    const id = await it.with({ url: `http://rebind.example:${port}/mcp` });
    assert.deepEqual(resultsOf(await it.turn(id, call("echo", { text: "a" }))), ["heard a"]);
    // As many names were looked up as requests were made: each goes where it was judged to go.
    assert.equal(name.looks, 3);
    name[Symbol.dispose]();
    using _elsewhere = leadTo("rebind.example", inside);
    const asked = server.asked.length;
    const events = await it.turn(id, call("echo", { text: "b" }));
    assert.match(
      resultsOf(events)[0] ?? "",
      /not an address of the public internet.* The call was not run\.$/,
    );
    assert.deepEqual(events.at(-1)?.["stop_reason"], { type: "end_turn" });
    assert.equal(wordsOf(events).length, 1);
    assert.equal(server.asked.length, asked);
  }
  assert.equal(dns.lookup, lookup);
});

test("[MCP12] [MCP40] what is looked up for one request is where it goes, whatever the next look finds", async () => {
  await using server = await openMcpServer(echo);
  const { port } = new URL(server.url);
  using _name = leadTo("rebind.example", loopback, ["10.1.2.3"]);
  const id = await it.with({ url: `http://rebind.example:${port}/mcp` });
  const events = await it.turn(id, said("Go."));
  assert.equal(errorsOf(events)[0]?.["type"], "mcp_connection_failed_error");
  assert.deepEqual(
    server.asked.map(({ method }) => method),
    ["server/discover"],
  );
  assert.equal(wordsOf(events).length, 1);
});

const token = "a-token-that-no-one-may-see";

/** Wherever a server can write. */
const echoes: Record<string, (response: ServerResponse, id: number) => void> = {
  "the body of a status": (response) => void response.writeHead(500).end(`Bearer ${token}`),
  "a challenge": (response) =>
    void response
      .writeHead(401, { "www-authenticate": `Bearer error="${token}", scope="${token}"` })
      .end(token),
  "a scope that is missing": (response) =>
    void response
      .writeHead(403, { "www-authenticate": `Bearer error="insufficient_scope", scope="${token}"` })
      .end(),
  "the words of a status": (response) => void response.writeHead(502, token).end(),
  "an address that it redirects to": (response) =>
    void response.writeHead(307, { location: `http://10.0.0.1/${token}` }).end(),
  "a type of content": (response) =>
    void response.writeHead(200, { "content-type": `text/${token}` }).end(token),
  "what is no JSON": (response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(`{${token}`),
  "the data of an error": (response, id) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(
      JSON.stringify({
        jsonrpc: "2.0",
        id,
        error: { code: -32_000, message: token, data: { [token]: token } },
      }),
    ),
};

for (const method of ["tools/list", "tools/call"])
  test(`[MCP8] [MCP16] [MCP40] a token that comes back with an answer to ${method} is in no event and no log line`, async () => {
    for (const [what, answer] of Object.entries(echoes)) {
      await using server = await openMcpServer(echo);
      const lets: TestServer["before"] = ({ headers }) => {
        assert.equal(headers.authorization, `Bearer ${token}`);
        return false;
      };
      const vault = await vaults.make();
      await vaults.add(vault.id, { type: "static_bearer", token, mcp_server_url: server.url });
      const { id } = await it.make(withServers({ url: server.url }), { vault_ids: [vault.id] });
      server.before = lets;
      if (method === "tools/call") await it.turn(id, said("Go."));
      server.before = (request, response, body) => {
        lets(request, response, body);
        if (!body.includes(`"method":"${method}"`)) return false;
        answer(response, (JSON.parse(body) as { id: number }).id);
        return true;
      };
      const events = await it.turn(id, call("mcp__docs__echo", { text: "a" }));
      assert.deepEqual(events.at(-1)?.["stop_reason"], { type: "end_turn" }, what);
      assert.equal(wordsOf(events).length, 1, what);
      assert.ok(!JSON.stringify(events).includes(token), what);
      assert.ok(!JSON.stringify(it.house.log).includes(token), what);
    }
  });
