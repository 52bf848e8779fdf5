// Rules MSV7, MSV9 and MSV11 over time: renewed tokens, versions that are forgotten, events that come first.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import { toLoopback } from "./mcp-house.ts";
import { mcpRowsOf } from "./mcp-rows-house.ts";
import { openMcpServer, words, type TestServer } from "./mcp-server.ts";
import { eventsOf } from "./support.ts";
import { oauth, openProvider, renewal, vaultsOf, type Provider } from "./vaults-house.ts";

let house: House;
before(async () => {
  house = await openHouse({ sections: { network: toLoopback, mcp: { connect_seconds: 4 } } });
});
after(() => house[Symbol.asyncDispose]());
const rows = mcpRowsOf(() => house);
const vaults = vaultsOf(() => house);

/** It takes the token of the provider that is good now. */
function guard(server: TestServer, provider: Provider): void {
  server.before = ({ headers }, response) => {
    if (headers.authorization === `Bearer ${provider.good}`) return false;
    response.writeHead(401);
    response.end();
    return true;
  };
}

async function oauthServer(server: TestServer, provider: Provider): Promise<string> {
  const vault = await vaults.make();
  const refresh = renewal({
    refresh_token: provider.refreshToken,
    token_endpoint: `${provider.url}/token`,
  });
  await vaults.add(
    vault.id,
    oauth({ access_token: "acc-old", mcp_server_url: server.url, refresh }),
  );
  return (await rows.make({ url: server.url, vault_id: vault.id })).id;
}

test("[MSV11] a token that is refused is renewed once, and what was asked is asked again", async () => {
  await using provider = await openProvider();
  await using server = await openMcpServer({ echo: {} });
  guard(server, provider);
  const id = await oauthServer(server, provider);
  const found = await rows.tools(id);
  assert.deepEqual([found.status, found.tools.length], ["connected", 1]);
  assert.equal(provider.at("/token").length, 1);
  const sent = new Set(server.asked.map(({ authorization }) => authorization));
  assert.deepEqual([...sent], ["Bearer acc-old", "Bearer acc-2"]);
  // The next one is kept: nothing is renewed for what follows, and a call is made once.
  assert.equal((await rows.run(id, { name: "echo" })).is_error, false);
  assert.equal(provider.at("/token").length, 1);
  assert.equal(server.asked.filter(({ method }) => method === "tools/call").length, 1);
});

test("[MSV11] a token that cannot be renewed, or is refused when it is new, is told as such", async () => {
  await using provider = await openProvider();
  await using server = await openMcpServer({ echo: {} });
  guard(server, provider);
  const id = await oauthServer(server, provider);
  provider.token = (response) => response.writeHead(400).end("{}");
  const found = await rows.tools(id);
  assert.deepEqual([found.status, found.tools], ["unauthorized", []]);
  assert.equal((await rows.read(id)).health.last_error, found.error);
  provider.token = undefined;
  // It hands out tokens, of which the server takes none.
  server.before = (_request, response) => {
    response.writeHead(401);
    response.end();
    return true;
  };
  const renewed = provider.at("/token").length;
  const { status, may_have_run } = await rows.run(id, { name: "echo" });
  assert.deepEqual([status, may_have_run], ["unauthorized", false]);
  assert.ok(provider.at("/token").length <= renewed + 1);
});

test("[MSV9] of what a server was, 20 are kept: the one that was seen longest ago goes first", async () => {
  await using server = await openMcpServer({ echo: {} });
  const { id } = await rows.make({ url: server.url });
  await house.world.db.query(sql`
    update mcp_servers set versions = (
      select jsonb_agg(jsonb_build_object('name', 'test', 'version', '0.' || n, 'revision', '2026-07-28',
        'first_seen_at', '2026-01-01T00:00:00.000Z', 'last_seen_at', '2026-01-01T00:00:00.000Z') order by n desc)
      from generate_series(1, 20) as n) where id = ${id}`);
  const versions = async () => (await rows.read(id)).versions.map(({ version }) => version);
  assert.equal((await versions()).at(-1), "0.1");
  await rows.tools(id);
  const kept = ["1", ...Array.from({ length: 19 }, (_, at) => `0.${20 - at}`)];
  assert.deepEqual(await versions(), kept);
  // One that is known moves nothing out.
  await rows.tools(id);
  assert.deepEqual(await versions(), kept);
});

test("[MSV7] the event of a call is there before the server is asked", async () => {
  const calls = async () =>
    (await eventsOf(house, house.organizations.platform)).filter(
      ({ action, target }) => action === "mcp_server.called" && target?.id === id,
    ).length;
  await using server = await openMcpServer({
    count: { call: async () => words(String(await calls())) },
  });
  const { id } = await rows.make({ url: server.url });
  for (const nth of ["1", "2"]) {
    const { content } = await rows.run(id, { name: "count" });
    assert.deepEqual(content, [{ type: "text", text: nth }]);
  }
});
