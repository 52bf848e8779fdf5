// Rules MSV13 and MSV14 with this product on both sides: one server signs in at the MCP server of another.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { personOf } from "./authorizations-house.ts";
import { connectOf } from "./mcp-connect-house.ts";
import { toLoopback } from "./mcp-house.ts";
import { mcpRowsOf } from "./mcp-rows-house.ts";
import { vaultsOf } from "./vaults-house.ts";

let house: House;
let there: House;
before(async () => {
  house = await openHouse({ sections: { network: toLoopback } });
  there = await openHouse();
});
after(async () => {
  await house[Symbol.asyncDispose]();
  await there[Symbol.asyncDispose]();
});
const rows = mcpRowsOf(() => house);
const { begin, finish, answer } = connectOf(() => house);

test("[MSV13] [MSV14] from a server that refuses to its tools, and on with a token that was renewed", async () => {
  const vault = await vaultsOf(() => house).make();
  const row = await rows.make({ url: `${there.url}/mcp`, vault_id: vault.id });
  assert.equal((await rows.tools(row.id)).status, "unauthorized");
  const begun = await begin(row.id);
  const opened = new URL(begun.authorization_url ?? "");
  assert.equal(`${opened.origin}${opened.pathname}`, `${there.url}/authorize`);
  const { platform } = there.organizations;
  const { prompt: _, ...ask } = Object.fromEntries(opened.searchParams);
  const { body: me } = await there.ask("GET", "/console/api/me", { cookie: platform.cookie });
  const workspace_id = me.workspaces[0].id as string;
  const { body } = await personOf(() => there, platform).authorize("/approve", {
    ...ask,
    workspace_id,
  });
  const back = new URL(body.redirect_to as string);
  assert.equal(`${back.origin}${back.pathname}`, `${house.world.publicUrl}/mcp-connected`);
  const query = Object.fromEntries(back.searchParams);
  assert.equal((await answer(query, house.organizations.platform)).status, 200);
  const done = await finish(begun);
  assert.equal(done.status, "connected", done.error ?? "");
  const asked = await rows.tools(row.id);
  assert.equal(asked.status, "connected", asked.error ?? "");
  assert.ok(asked.tools.some(({ name }) => name === "ask_model"));
  const headers = { "vendor-beta": "managed-agents-2026-04-01" };
  const path = `/v1/vaults/${vault.id}/credentials/${done.credential_id}/mcp_oauth_validate`;
  const key = house.organizations.platform.api_key;
  const { body: validation } = await house.ask("POST", path, { key, headers });
  assert.deepEqual([validation.status, validation.has_refresh_token], ["valid", true]);
});
