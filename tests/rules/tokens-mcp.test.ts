// Rules TOK9 and TOK13: tokens that are bound to the MCP server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeManualClock, type ManualClock } from "../../kernel/base/clock.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { codeIn, codeRequest, personOf, programOf, refused } from "./authorizations-house.ts";
import { mcpProgramOf } from "./authorizations-mcp-house.ts";
import { sentenceOf } from "./support.ts";

let house: House;
let clock: ManualClock;
let platform: Tenant;
before(async () => {
  clock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
  house = await openHouse({ clock });
  ({ platform } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());

const program = programOf(() => house);
const owner = () => personOf(() => house, platform);
const { resource, signIn, mcp } = mcpProgramOf(() => house);

test("[TOK13] a bound token is good at /mcp, and nowhere else", async () => {
  const { access_token, refresh_token, client_id, workspaceId } = await signIn(platform);
  const { body } = await mcp(access_token, "tools/call", { name: "list_models", arguments: {} });
  assert.notEqual(body.result.isError, true, JSON.stringify(body));
  const headers = { authorization: `Bearer ${access_token}` };
  for (const path of ["/v1/models", "/v1/oauth/userinfo", "/v1/files", "/console/api/me"]) {
    const answer = await house.ask("GET", path, { headers });
    assert.match(sentenceOf(answer, 401), /is for the MCP server at \/mcp alone/, path);
  }
  const named = await house.ask("GET", "/v1/models", {
    headers: { ...headers, "anthropic-workspace-id": workspaceId },
  });
  assert.equal(named.status, 401);
  // Keys and tokens of the API are good at both.
  assert.equal((await mcp(platform.api_key)).status, 200);
  const { ask, redemption } = codeRequest({ scope: "workspace:developer" });
  const code = codeIn(await owner().authorize("/approve", ask));
  const own = await program.token(redemption(code));
  assert.equal((await mcp(own.body.access_token)).status, 200);
  assert.equal((await program.userinfo(own.body.access_token)).status, 200);
  const next = await program.token({ grant_type: "refresh_token", refresh_token, client_id });
  assert.equal((await mcp(next.body.access_token)).status, 200);
  assert.equal((await program.userinfo(next.body.access_token)).status, 401);
});

test("[TOK9] a refresh may name its resource and fewer scopes, and nothing else", async () => {
  const { refresh_token, client_id } = await signIn(platform);
  const ask = (more: object) =>
    program.token({ grant_type: "refresh_token", refresh_token, client_id, ...more });
  refused(await ask({ resource: "https://elsewhere.example/mcp" }), "invalid_target");
  refused(await ask({ scope: "mcp org:admin" }), "invalid_scope");
  refused(await ask({ client_id: "plinth-cli" }), "invalid_grant");
  const next = await ask({ resource: `${resource()}/`, scope: "mcp offline_access" });
  assert.deepEqual([next.status, next.body.scope], [200, "mcp"], JSON.stringify(next.body));
  // It was good once, and what came of it ends where it comes again.
  clock.advance(1);
  refused(await ask({}), "invalid_grant");
  assert.equal((await mcp(next.body.access_token)).status, 401);

  const { ask: cli, redemption } = codeRequest({ scope: "org:admin workspace:developer" });
  const first = await program.token(redemption(codeIn(await owner().authorize("/approve", cli))));
  const fewer = (body: { refresh_token: string }, more: object) =>
    program.token({ grant_type: "refresh_token", refresh_token: body.refresh_token, ...more });
  refused(await fewer(first.body, { resource: resource() }), "invalid_target");
  const less = await fewer(first.body, { scope: "workspace:developer" });
  assert.equal(less.body.scope, "workspace:developer");
  const all = await fewer(less.body, {});
  assert.equal(all.body.scope, "org:admin workspace:developer", "the sign-in has them still");
});

test("[TOK13] [AUT23] a bound token ends with its person's right to work there", async () => {
  const { other } = house.organizations;
  const { access_token } = await signIn(other);
  const set = (role: string) =>
    house.world.db.tx((tx) =>
      tx.query({
        text: `update users set role = '${role}' where organization_id = $1`,
        values: [other.organization_id],
      }),
    );
  const second = await house.openSecondServer();
  try {
    await set("managed");
    const response = await fetch(new URL("/mcp", second.url), {
      method: "POST",
      headers: { authorization: `Bearer ${access_token}`, "content-type": "application/json" },
      body: "{}",
    });
    assert.equal(response.status, 403, await response.text());
    assert.equal(response.headers.get("www-authenticate"), null);
  } finally {
    await set("primary_owner");
    await second[Symbol.asyncDispose]();
  }
});
