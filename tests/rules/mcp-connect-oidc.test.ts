// Rules MSV13 and MSV18 with a certified authorization server, found by OpenID discovery, that registers no clients.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { startIdentityProvider, type IdentityProvider } from "../identity-provider/start.ts";
import { connectOf, openAuthorizationServer } from "./mcp-connect-house.ts";
import { toLoopback } from "./mcp-house.ts";
import { mcpRowsOf } from "./mcp-rows-house.ts";
import { makeBrowser } from "./single-sign-on-house.ts";
import { sentenceOf } from "./support.ts";
import { vaultsOf } from "./vaults-house.ts";

let house: House;
let provider: IdentityProvider;
before(async () => {
  [house, provider] = await Promise.all([
    openHouse({ sections: { network: toLoopback } }),
    startIdentityProvider(),
  ]);
});
after(async () => {
  await house?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
});
const rows = mcpRowsOf(() => house);
const vaults = vaultsOf(() => house);
const { begin, finish, answer } = connectOf(() => house);

test("[MSV13] [MSV18] it is connected with the client that was registered there by hand", async () => {
  await using server = await openAuthorizationServer();
  server.resource = { authorization_servers: [provider.issuer] };
  server.challengeScope = "read";
  const vault = await vaults.make();
  const row = await rows.make({ url: `${server.url}/mcp`, vault_id: vault.id });
  const refused = await rows.call("POST", `/${row.id}/connect`, { body: {} });
  assert.match(sentenceOf(refused, 400), /dynamic client registration/);
  const client = await provider.client(`${house.world.publicUrl}/mcp-connected`);
  await provider.account({ sub: "ann" });
  await provider.sits("ann");
  const begun = await begin(row.id, client);
  const { url } = await makeBrowser().follow(begun.authorization_url ?? "", (there) =>
    there.startsWith(house.world.publicUrl),
  );
  const query = Object.fromEntries(new URL(url).searchParams);
  assert.equal(query["iss"], provider.issuer);
  assert.equal((await answer(query, house.organizations.platform)).status, 200);
  const done = await finish(begun);
  assert.equal(done.status, "connected", done.error ?? "");
  const headers = { "vendor-beta": "managed-agents-2026-04-01" };
  const path = `/v1/vaults/${vault.id}/credentials/${done.credential_id}`;
  const key = house.organizations.platform.api_key;
  const { body: credential } = await house.ask("GET", path, { key, headers });
  assert.deepEqual(credential.auth.refresh, {
    client_id: client.client_id,
    token_endpoint: `${provider.issuer}/token`,
    token_endpoint_auth: { type: "client_secret_basic" },
    resource: row.url,
    scope: null,
  });
  await rows.tools(row.id);
  assert.match(server.at("/mcp").at(-1)?.authorization ?? "", /^Bearer \S{20,}$/);
});
