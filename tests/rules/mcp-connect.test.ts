// Rules MSV13 to MSV18: an MCP server is connected by OAuth.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeManualClock, type ManualClock } from "../../kernel/base/clock.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { beginOauth } from "../../server/mcp_servers/connect/oauth.ts";
import { shownDocument } from "../../server/mcp_servers/connect/open-documents.ts";
import { schedules } from "../../server/mcp_servers/module.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { connectOf, openAuthorizationServer, stateIn } from "./mcp-connect-house.ts";
import { toLoopback } from "./mcp-house.ts";
import { mcpRowsOf } from "./mcp-rows-house.ts";
import { sweep } from "./tokens-house.ts";
import { eventsOf, makeKey, minutes, sentenceOf } from "./support.ts";
import { makePerson, workspacesOf } from "./workspaces-house.ts";
import { bearer, vaultsOf, type Credential } from "./vaults-house.ts";

let house: House;
let clock: ManualClock;
let platform: Tenant;
before(async () => {
  clock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
  house = await openHouse({ clock, sections: { network: toLoopback } });
  ({ platform } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());
const rows = mcpRowsOf(() => house);
const vaults = vaultsOf(() => house);
const { begin, finish, look, answer } = connectOf(() => house);

async function openServer() {
  const server = await openAuthorizationServer();
  const vault = await vaults.make({ display_name: "Support" });
  const row = await rows.make({ url: `${server.url}/mcp`, vault_id: vault.id });
  return { server, vault, row };
}

const credentialsIn = async (vaultId: string): Promise<Credential[]> => {
  const path = `/v1/vaults/${vaultId}/credentials?include_archived=true`;
  const headers = { "vendor-beta": "managed-agents-2026-04-01" };
  const { body } = await house.ask("GET", path, { key: platform.api_key, headers });
  return body.data as Credential[];
};

test("[MSV13] the sign-in asks with PKCE, a state, the server's address and the challenge's scope", async () => {
  const { server, row } = await openServer();
  await using _ = server;
  const begun = await begin(row.id);
  const address = new URL(begun.authorization_url ?? "");
  const ask = Object.fromEntries(address.searchParams);
  assert.equal(`${address.origin}${address.pathname}`, `${server.url}/authorize`);
  assert.deepEqual(
    { ...ask, code_challenge: 0, state: 0 },
    {
      response_type: "code",
      client_id: "client-1",
      code_challenge: 0,
      code_challenge_method: "S256",
      redirect_uri: `${house.world.publicUrl}/mcp-connected`,
      state: 0,
      scope: "read",
      resource: `${server.url}/mcp`,
    },
  );
  assert.match(ask["state"] ?? "", /^[\w-]{43}$/);
  const [registered] = server.at("/register");
  const { redirect_uris } = JSON.parse(registered?.body ?? "{}");
  assert.deepEqual(redirect_uris, [`${house.world.publicUrl}/mcp-connected`]);
  assert.equal((await finish(begun)).status, "pending");
});

test("[MSV13] where this server is reached over https, its document is the client", async () => {
  const { server, row } = await openServer();
  await using _ = server;
  server.metadata = { client_id_metadata_document_supported: true };
  server.challengeScope = undefined;
  server.resource = { scopes_supported: ["read", "write"] };
  const world = { ...house.world, publicUrl: "https://plinth.example" };
  const { authorizationUrl } = await beginOauth(world, { url: row.url }, "a state");
  const ask = new URL(authorizationUrl).searchParams;
  const document = shownDocument(world);
  assert.equal(ask.get("client_id"), "https://plinth.example/mcp-client.json");
  assert.equal(ask.get("client_id"), document.client_id);
  assert.deepEqual(document.redirect_uris, [ask.get("redirect_uri")]);
  assert.equal(ask.get("scope"), "read write", "the scope of the metadata, where the 401 has none");
  assert.equal(server.at("/register").length, 0);
  // Over plain http an authorization server would not fetch it.
  await begin(row.id);
  assert.equal(server.at("/register").length, 1);
});

test("[MSV14] what comes of it is a credential that can be renewed, in the vault, and no token is shown", async () => {
  const { server, vault, row } = await openServer();
  await using _ = server;
  server.client = { client_secret: "hush", token_endpoint_auth_method: "client_secret_post" };
  server.metadata = { token_endpoint_auth_methods_supported: ["client_secret_post"] };
  await rows.update(row.id, { vault_id: null });
  const begun = await begin(row.id, { vault_id: vault.id });
  assert.equal((await answer(server.allow(begun.authorization_url ?? ""), platform)).status, 200);
  const done = await finish(begun);
  assert.equal(done.status, "connected", done.error ?? "");
  assert.equal(
    (await finish(begun)).credential_id,
    done.credential_id,
    "a second time is the same",
  );
  assert.equal(server.at("/token").length, 1);
  const [credential] = await credentialsIn(vault.id);
  assert.equal(credential?.id, done.credential_id);
  assert.deepEqual(credential?.auth, {
    type: "mcp_oauth",
    mcp_server_url: `${server.url}/mcp`,
    expires_at: "2026-11-20T13:00:00.000Z",
    refresh: {
      client_id: "client-1",
      token_endpoint: `${server.url}/token`,
      token_endpoint_auth: { type: "client_secret_post" },
      resource: `${server.url}/mcp`,
      scope: null,
    },
  });
  assert.equal((await rows.read(row.id)).vault_id, vault.id);
  const events = await eventsOf(house, platform);
  const actions = events.map(({ action }) => action);
  assert.ok(
    actions.includes("mcp_server.connected") && actions.includes("vault_credential.created"),
  );
  const told = JSON.stringify([done, credential, events, house.log]);
  assert.doesNotMatch(told, /acc-of-oauth|ref-of-oauth|hush/);
  // The token is sent where the server is asked.
  await rows.tools(row.id);
  assert.equal(server.at("/mcp").at(-1)?.authorization, "Bearer acc-of-oauth");
});

test("[MSV14] a second sign-in takes the place of the first, and never of a token put there by hand", async () => {
  const { server, vault, row } = await openServer();
  await using _ = server;
  const connect = async () => {
    const begun = await begin(row.id);
    await answer(server.allow(begun.authorization_url ?? ""), platform);
    return finish(begun);
  };
  const first = await connect();
  const second = await connect();
  const archived = new Map(
    (await credentialsIn(vault.id)).map(({ id, archived_at }) => [id, archived_at !== null]),
  );
  assert.deepEqual(
    [archived.get(first.credential_id ?? ""), archived.get(second.credential_id ?? "")],
    [true, false],
  );
  const other = await vaults.make();
  await vaults.add(other.id, bearer({ mcp_server_url: row.url }));
  const body = { vault_id: other.id };
  const refused = await rows.call("POST", `/${row.id}/connect`, { body });
  assert.match(sentenceOf(refused, 409), /put there by hand/);
});

test("[MSV15] an answer counts once, in the browser of the person who began it, within ten minutes", async () => {
  const { server, row, vault } = await openServer();
  await using _ = server;
  const { cookie } = platform;
  const { workspaces } = (await house.ask("GET", "/console/api/me", { cookie })).body;
  const asking = { cookie, headers: { "anthropic-workspace-id": workspaces[0].id as string } };
  const begun = await begin(row.id, {}, asking);
  const query = server.allow(begun.authorization_url ?? "");
  // A colleague's browser is led there, and one of another organization: their access goes nowhere.
  const colleague = await makePerson(house, platform);
  assert.match(sentenceOf(await look(stateIn(begun), colleague), 404), /No sign-in of yours/);
  assert.match(sentenceOf(await answer(query, colleague), 404), /No sign-in of yours/);
  const { other } = house.organizations;
  assert.match(sentenceOf(await look(stateIn(begun), other), 404), /No sign-in of yours/);
  assert.match(sentenceOf(await answer(query, other), 404), /No sign-in of yours/);
  assert.match(sentenceOf(await answer(query, { cookie: "" }), 401), /./);
  const guessed = { ...query, state: "a".repeat(43) };
  assert.equal((await answer(guessed, platform)).status, 404);
  assert.equal((await finish(begun, asking)).status, "pending");
  // A key did not begin it, and sees it not.
  const path = `/${row.id}/connect/${begun.id}`;
  assert.equal((await rows.call("POST", path)).status, 404);
  assert.equal((await look(stateIn(begun), platform)).body.asks, false);
  assert.equal((await answer(query, platform)).status, 200);
  assert.equal((await answer({ ...query, code: "of an attacker" }, platform)).status, 404);
  assert.equal((await finish(begun, asking)).status, "connected");
  const late = await begin(row.id);
  clock.advance(minutes(10));
  assert.equal((await answer(server.allow(late.authorization_url ?? ""), platform)).status, 404);
  const over = await finish(late);
  assert.deepEqual([over.status, over.credential_id], ["failed", null]);
  assert.match(over.error ?? "", /Ten minutes have passed/);
  assert.equal((await credentialsIn(vault.id)).length, 1);
});

test("[MSV15] one that is over is deleted, and one that waits is not", async () => {
  const { server, row } = await openServer();
  await using _ = server;
  await begin(row.id);
  clock.advance(minutes(5));
  const waiting = await begin(row.id);
  clock.advance(minutes(6));
  await sweep(house, schedules);
  const left = await house.world.db.query<{ id: string }>(
    sql`select id from mcp_connections where server_id = ${row.id}`,
  );
  assert.deepEqual(left, [{ id: waiting.id }]);
});

test("[MSV15] where a key began it, a person of the organization is shown where the access would go", async () => {
  const { server, row } = await openServer();
  await using _ = server;
  const begun = await begin(row.id);
  const { body } = await look(stateIn(begun), platform);
  assert.deepEqual(
    { ...body, workspace: 0 },
    {
      type: "mcp_connection_prompt",
      server: row.name,
      url: row.url,
      workspace: 0,
      vault: "Support",
      asks: true,
    },
  );
  const { cookie } = platform;
  const { workspaces } = (await house.ask("GET", "/console/api/me", { cookie })).body;
  const headers = { "anthropic-workspace-id": workspaces[0].id as string };
  const path = `/${row.id}/connect/${begun.id}`;
  const theirs = await rows.call("POST", path, { cookie, headers });
  assert.equal(theirs.status, 404, "a person finishes none that a key began");
});

test("[MSV15] where a key of a workspace began it, a person who does not work there is not asked", async () => {
  await using server = await openAuthorizationServer();
  const places = workspacesOf(house);
  const workspace_id = await places.make(platform);
  const { secret: key } = await makeKey(house, platform, { kind: "api", workspace_id });
  const vault = await vaults.make({ display_name: "There" }, { key });
  const row = await rows.make({ url: `${server.url}/mcp`, vault_id: vault.id }, { key });
  const begun = await begin(row.id, {}, { key });
  const query = server.allow(begun.authorization_url ?? "");
  const [inside, outside] = [await makePerson(house, platform), await makePerson(house, platform)];
  await places.join(platform, workspace_id, inside, "workspace_developer");
  for (const refused of [await look(stateIn(begun), outside), await answer(query, outside)])
    assert.match(sentenceOf(refused, 404), /No sign-in of yours/);
  assert.equal((await look(stateIn(begun), inside)).body.vault, "There");
  assert.equal((await answer(query, inside)).status, 200);
  assert.equal((await finish(begun, { key })).status, "connected");
});

test("[MSV14] where its event cannot be written, nothing of it is kept", async () => {
  const { server, vault, row } = await openServer();
  await using _ = server;
  await rows.update(row.id, { vault_id: null });
  const begun = await begin(row.id, { vault_id: vault.id });
  await answer(server.allow(begun.authorization_url ?? ""), platform);
  const run = (text: string) => house.world.db.tx((tx) => tx.query({ text, values: [] }));
  await run(`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'no events today'; end $$`);
  await run("create trigger refuse before insert on audit_events execute function refuse()");
  const path = `/${row.id}/connect/${begun.id}`;
  const { status } = await rows.call("POST", path);
  await run("drop trigger refuse on audit_events; drop function refuse()");
  assert.equal(status, 500);
  house.expectErrors();
  assert.deepEqual(await credentialsIn(vault.id), []);
  assert.equal((await rows.read(row.id)).vault_id, null);
  assert.equal((await finish(begun)).status, "pending");
  clock.advance(minutes(10));
  assert.match((await finish(begun)).error ?? "", /Ten minutes/);
});

test("[MSV16] an answer of the wrong authorization server, a refusal and a bad code connect nothing", async () => {
  const { server, vault, row } = await openServer();
  await using _ = server;
  server.metadata = { authorization_response_iss_parameter_supported: true };
  const ending = async (change: (query: Record<string, string>) => Record<string, string>) => {
    const begun = await begin(row.id);
    await answer(change(server.allow(begun.authorization_url ?? "")), platform);
    const { status, error } = await finish(begun);
    assert.equal(status, "failed");
    return error ?? "";
  };
  assert.match(await ending((query) => query), /iss/i);
  assert.match(await ending((query) => ({ ...query, iss: "https://evil.example" })), /iss/i);
  assert.equal(server.at("/token").length, 0, "no code goes anywhere");
  const right = server.url;
  assert.match(
    await ending((query) => ({ ...query, iss: right, code: "x" })),
    /invalid_grant|grant/i,
  );
  const denied = await ending(({ state = "" }) => ({
    state,
    error: "access_denied",
    error_description: "not today",
  }));
  assert.match(denied, /gave no access: access_denied: not today/);
  assert.deepEqual(await credentialsIn(vault.id), []);
});

test("[MSV17] no address that is refused elsewhere is asked or opened, and a sentence says why", async () => {
  const { server, row } = await openServer();
  await using _ = server;
  const refusal = async () =>
    sentenceOf(await rows.call("POST", `/${row.id}/connect`, { body: {} }), 400);
  server.metadata = { authorization_endpoint: "http://192.168.7.7/authorize" };
  assert.match(await refusal(), /192\.168\.7\.7/);
  server.metadata = { authorization_endpoint: "javascript:alert(1)" };
  await refusal();
  server.metadata = { registration_endpoint: "http://10.1.2.3/register" };
  assert.match(await refusal(), /10\.1\.2\.3/);
  server.metadata = {};
  server.resource = { resource: "https://elsewhere.example/mcp" };
  assert.match(await refusal(), /elsewhere\.example/);
  server.resource = { authorization_servers: ["http://10.1.2.3"] };
  assert.match(await refusal(), /10\.1\.2\.3/);
  server.resource = {};
  const redirect = "/.well-known/oauth-authorization-server";
  server.instead.set(redirect, (response) =>
    response.writeHead(302, { location: "http://10.1.2.3/" }).end(),
  );
  assert.match(await refusal(), /redirect/);
  server.instead.clear();
  server.metadata = { issuer: "https://elsewhere.example" };
  await refusal();
});

test("[MSV18] a client that is named is used, and none is registered", async () => {
  const { server, row } = await openServer();
  await using _ = server;
  const body = { client_id: "by hand", client_secret: "hush" };
  const begun = await begin(row.id, body);
  assert.equal(new URL(begun.authorization_url ?? "").searchParams.get("client_id"), "by hand");
  await answer(server.allow(begun.authorization_url ?? ""), platform);
  assert.equal((await finish(begun)).status, "connected");
  assert.equal(server.at("/register").length, 0);
  const basic = `Basic ${Buffer.from("by hand:hush").toString("base64")}`;
  assert.equal(server.at("/token")[0]?.authorization?.startsWith("Basic "), true, basic);
  const half = await rows.call("POST", `/${row.id}/connect`, { body: { client_secret: "x" } });
  assert.match(sentenceOf(half, 400), /client_id/);
  const document = await house.ask("GET", "/mcp-client.json");
  assert.equal(document.status, 404, "over plain http nothing is fetched");
});
