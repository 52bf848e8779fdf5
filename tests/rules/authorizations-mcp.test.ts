// Rules AUT13 to AUT20: programs that know no more than the address of the MCP server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeManualClock, type ManualClock } from "../../kernel/base/clock.ts";
import { schedules } from "../../server/authorizations/module.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import {
  codeIn,
  codeRequest,
  nativeClient,
  personOf,
  programOf,
  refused,
  registeredIn,
} from "./authorizations-house.ts";
import { mcpProgramOf } from "./authorizations-mcp-house.ts";
import { eventsOf, minutes, sentenceOf } from "./support.ts";
import { sweep } from "./tokens-house.ts";

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
const { resource, mcpRequest, workspaceOf, signIn, mcp } = mcpProgramOf(() => house);

const register = (more: object) => program.post("/v1/oauth/register", { ...nativeClient, ...more });

test("[AUT13] from a 401 to the resource, and from there to all endpoints", async () => {
  const { status, challenge } = await mcp(undefined);
  assert.equal(status, 401);
  const told = /^Bearer realm="plinth", resource_metadata="([^"]+)", scope="mcp"$/.exec(challenge);
  assert.equal(told?.[1], `${house.url}/.well-known/oauth-protected-resource/mcp`, challenge);
  assert.match((await mcp("sk-plinth-oat-none")).challenge, /, error="invalid_token", resource_me/);
  for (const path of ["/mcp", ""]) {
    const { body } = await house.ask("GET", `/.well-known/oauth-protected-resource${path}`);
    assert.deepEqual(body, {
      resource: resource(),
      authorization_servers: [house.url],
      scopes_supported: ["mcp"],
      bearer_methods_supported: ["header"],
      resource_name: "Plinth",
    });
  }
  const { body } = await house.ask("GET", "/.well-known/oauth-authorization-server");
  assert.equal(body.issuer, house.url);
  assert.equal(body.registration_endpoint, `${house.url}/v1/oauth/register`);
  assert.equal(body.authorization_response_iss_parameter_supported, true);
  assert.equal(body.client_id_metadata_document_supported, true);
  assert.deepEqual(body.code_challenge_methods_supported, ["S256"]);
  assert.deepEqual(body.token_endpoint_auth_methods_supported, ["none"]);
  assert.ok(["mcp", "offline_access"].every((scope) => body.scopes_supported.includes(scope)));
});

test("[AUT14] a program registers itself, and is told what it is", async () => {
  const { status, body, headers } = await register({
    token_endpoint_auth_method: "client_secret_basic",
    grant_types: ["authorization_code"],
    software_id: "of no meaning here",
  });
  assert.equal(status, 201, JSON.stringify(body));
  assert.equal(headers.get("cache-control"), "no-store");
  const { client_id, client_id_issued_at, ...rest } = body;
  assert.match(client_id, /^oac_/);
  assert.equal(client_id_issued_at, clock.now().getTime() / 1000);
  assert.deepEqual(rest, {
    client_name: "Notes for me",
    application_type: "native",
    redirect_uris: nativeClient.redirect_uris,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    scope: "mcp",
  });
  const unfit: object[] = [
    { grant_types: ["client_credentials"] },
    { response_types: ["token"] },
    { token_endpoint_auth_method: "private_key_jwt" },
    { application_type: "desktop" },
    { client_name: 7 },
  ];
  for (const more of unfit) refused(await register(more), "invalid_client_metadata");
  for (const redirect_uris of [[], undefined, "http://127.0.0.1/", ["x".repeat(501)]])
    refused(await register({ redirect_uris }), "invalid_redirect_uri");
});

test("[AUT15] a name is one plain line, and the page says that it is not checked", async () => {
  const names = [
    ["  The\u202e plinth\n\u0007command\u200b  line ", "The plinth command line"],
    ["", "A program without a name"],
    ["n".repeat(300), "n".repeat(100)],
  ] as const;
  for (const [client_name, shown] of names) {
    const client_id = await registeredIn(house, { client_name });
    const { body } = await owner().authorize("", mcpRequest(client_id).ask);
    assert.deepEqual([body.client, body.is_verified], [shown, false]);
    assert.equal(body.returns_to, "a program on this computer (127.0.0.1:49152)");
  }
  const { body } = await owner().authorize("", codeRequest().ask);
  assert.equal(body.is_verified, true);
});

test("[AUT16] addresses to go back to fit the type of the program", async () => {
  const fine: [string | undefined, [string, ...string[]], string][] = [
    ["web", ["https://app.example/cb"], "web"],
    ["native", ["http://localhost:7777/x", "cursor://callback", "http://[::1]/"], "native"],
    ["native", ["http://127.0.0.1/", "https://vscode.dev/redirect"], "native"],
    [undefined, ["https://app.example/cb"], "web"],
    [undefined, ["http://localhost:7777/x"], "native"],
    [undefined, ["https://app.example/cb", "com.example.app:/back"], "native"],
  ];
  for (const [application_type, redirect_uris, type] of fine) {
    const { status, body } = await register({ application_type, redirect_uris });
    assert.deepEqual([status, body.application_type], [201, type], redirect_uris[0]);
  }
  const wrong: [string | undefined, string][] = [
    ["web", "http://127.0.0.1/cb"],
    ["web", "https://localhost/cb"],
    ["web", "com.example.app:/back"],
    ["native", "http://app.example/cb"],
    [undefined, "http://app.example/cb"],
    [undefined, "http://127.0.0.1.example/cb"],
    ["web", "https://app.example/cb#part"],
    ["web", "https://*.example/cb"],
    ["web", "https://user@app.example/cb"],
    ["native", "javascript:alert(1)"],
    ["native", "JavaScript:alert(1)"],
    ["native", "data:text/html,x"],
    ["native", "file:///etc/passwd"],
    ["native", "java\tscript:alert(1)"],
    ["native", "no address"],
  ];
  for (const [application_type, uri] of wrong)
    refused(await register({ application_type, redirect_uris: [uri] }), "invalid_redirect_uri");
});

test("[AUT16] a request goes back to what was registered, to the letter; a loopback port is free", async () => {
  const redirect_uris = [
    "https://app.example/cb?x=1",
    "http://localhost:1/back",
    "com.example.app:/back",
  ];
  const id = await registeredIn(house, { redirect_uris });
  const cases: [string, number][] = [
    ["https://app.example/cb?x=1", 200],
    ["com.example.app:/back", 200],
    ["http://localhost:65000/back", 200],
    ["https://app.example/cb", 403],
    ["https://app.example/cb?x=1&y=2", 403],
    ["https://APP.example/cb?x=1", 403],
    ["https://app.example:444/cb?x=1", 403],
    ["https://evil.example/cb?x=1", 403],
    ["http://127.0.0.1:65000/back", 403],
    ["http://localhost:1/back/more", 403],
    ["http://localhost:1@evil.example/back", 403],
    ["com.example.app:/back/more", 403],
  ];
  for (const [redirect_uri, status] of cases)
    for (const act of ["", "/deny"] as const) {
      const answer = await owner().authorize(act, mcpRequest(id, { redirect_uri }).ask);
      assert.equal(answer.status, status, `${redirect_uri} ${act} ${JSON.stringify(answer.body)}`);
    }
});

test("[AUT17] registrations are counted by address; those that are not used are forgotten", async () => {
  const later = makeManualClock(new Date("2026-11-20T12:00:00Z"));
  await using other = await openHouse({ clock: later });
  const post = () => other.ask("POST", "/v1/oauth/register", { body: nativeClient });
  const unused = String((await post()).body.client_id);
  for (let made = 1; made < 60; made++) assert.equal((await post()).status, 201);
  const late = await post();
  assert.deepEqual([late.status, late.body.error], [429, "temporarily_unavailable"]);
  assert.equal(late.headers.get("retry-after"), "3600");
  const look = async (client_id: string) => {
    const cookie = await other.signIn(other.organizations.platform);
    const { ask } = mcpRequest(client_id, { resource: `${other.url}/mcp` });
    return (await personOf(() => other, { cookie }).authorize("", ask)).status;
  };
  later.advance(minutes(60));
  const used = await post();
  assert.equal(used.status, 201);
  assert.equal(await look(unused), 200);
  later.advance(30 * 24 * minutes(60));
  await sweep(other, schedules);
  assert.equal(await look(unused), 400, "it is forgotten");
  assert.equal(await look(String(used.body.client_id)), 200, "this one is a moment too young");
});

test("[AUT17] a full house forgets the one that was not wanted, and tells a forgotten one", async () => {
  await using other = await openHouse();
  const fill = (ids: string, usedLater: string) =>
    other.world.db.tx((tx) =>
      tx.query({
        text: `insert into oauth_clients
          (id, name, application_type, redirect_uris, address, created_at, last_used_at)
          select ${ids}, 'x', 'web', '{https://a.example/}', '192.0.2.1', at, at + ${usedLater}
          from (select n, timestamptz '2020-01-01' + n * interval '1 s' as at
                from generate_series(1, 5000) as n) as made`,
        values: [],
      }),
    );
  await fill("'oac_idle_' || n", "interval '0 s'");
  await fill("'oac_used_' || n", "interval '1 s'");
  const knows = async (client_id: string) => {
    const refresh = { grant_type: "refresh_token", refresh_token: "sk-plinth-ort-none", client_id };
    const { status, body } = await other.ask("POST", "/v1/oauth/token", { body: refresh });
    assert.equal(status, 400);
    return body.error === "invalid_grant";
  };
  assert.ok(await knows("oac_idle_1"));
  await registeredIn(other);
  assert.deepEqual(
    [await knows("oac_idle_1"), await knows("oac_idle_2"), await knows("oac_used_1")],
    [false, true, true],
  );
  await other.world.db.tx((tx) =>
    tx.query({
      text: "update oauth_clients set last_used_at = created_at + interval '1 s'",
      values: [],
    }),
  );
  const full = await other.ask("POST", "/v1/oauth/register", { body: nativeClient });
  assert.equal(full.status, 429, JSON.stringify(full.body));
});

test("[AUT18] a person is sent nowhere but by their own act, and every answer says whose it is", async () => {
  const id = await registeredIn(house);
  const workspace_id = (await workspaceOf(platform)).id;
  const unknown = await owner().authorize("", mcpRequest("oac_none").ask);
  assert.match(sentenceOf(unknown, 400), /^client_id: there is no client "oac_none"/);
  const wrong: [object, string][] = [
    [{ response_type: "token" }, "unsupported_response_type"],
    [{ code_challenge_method: "plain" }, "invalid_request"],
    [{ code_challenge: "short" }, "invalid_request"],
    [{ scope: "org:admin" }, "invalid_scope"],
    [{ resource: "https://elsewhere.example/mcp" }, "invalid_target"],
    [{ resource: house.url }, "invalid_target"],
  ];
  for (const [more, code] of wrong) {
    const { ask } = mcpRequest(id, more);
    const { status, body } = await owner().authorize("", ask);
    assert.deepEqual([status, body.type], [200, "authorization_problem"], JSON.stringify(body));
    const back = new URL(body.redirect_to);
    assert.equal(`${back.origin}${back.pathname}`, "http://127.0.0.1:49152/callback");
    const { error, state, iss } = Object.fromEntries(back.searchParams);
    assert.deepEqual([error, state, iss], [code, "st", house.url]);
    for (const act of ["/approve", "/deny"] as const)
      assert.equal((await owner().authorize(act, { ...ask, workspace_id })).status, 400);
  }
  const { ask } = mcpRequest(id);
  for (const [act, names] of [
    ["/approve", ["code", "iss", "state"]],
    ["/deny", ["error", "iss", "state"]],
  ] as const) {
    const { body } = await owner().authorize(act, { ...ask, workspace_id });
    const { searchParams } = new URL(body.redirect_to);
    assert.deepEqual([...searchParams.keys()].toSorted(), names);
    assert.equal(searchParams.get("iss"), house.url);
  }
});

test("[AUT19] access is to the MCP server, in one workspace of the person's own", async () => {
  const id = await registeredIn(house);
  const own = await workspaceOf(platform);
  const theirs = await workspaceOf(house.organizations.other);
  const { ask } = mcpRequest(id);
  const { body } = await owner().authorize("", ask);
  assert.deepEqual(
    [
      body.needs_workspace,
      body.workspace,
      body.scopes.map((each: { scope: string }) => each.scope),
    ],
    [true, null, ["mcp"]],
  );
  assert.match(sentenceOf(await owner().authorize("/approve", ask), 400), /^workspace_id: /);
  const approve = (workspace_id: string) => owner().authorize("/approve", { ...ask, workspace_id });
  assert.equal((await approve(theirs.id)).status, 404);
  assert.equal((await approve(own.id)).status, 200);
  const named: [object, number][] = [
    [{ resource: `${resource()}/` }, 200],
    [{ resource: undefined }, 200],
    [{ scope: "mcp offline_access" }, 200],
    [{ scope: "" }, 200],
  ];
  for (const [more] of named) {
    const answer = await owner().authorize("", mcpRequest(id, more).ask);
    assert.equal(answer.body.type, "authorization_prompt", JSON.stringify(answer.body));
    assert.equal(answer.body.needs_workspace, true);
  }
  const request = mcpRequest(id);
  const code = codeIn(
    await owner().authorize("/approve", { ...request.ask, workspace_id: own.id }),
  );
  refused(await request.redeem(code, { resource: "https://elsewhere.example" }), "invalid_target");
  const cli = codeRequest();
  const ownCode = codeIn(await owner().authorize("/approve", cli.ask));
  const bound = { ...cli.redemption(ownCode), resource: resource() };
  refused(await program.token(bound), "invalid_target");
  const { status, body: tokens } = await request.redeem(code);
  assert.deepEqual([status, tokens.scope], [200, "mcp"]);
  assert.equal((await mcp(tokens.access_token)).status, 200);
});

test("[AUT19] a workspace that the person may not work in is absent", async () => {
  const { other } = house.organizations;
  const made = await house.ask("POST", "/v1/organizations/workspaces", {
    key: other.admin_api_key,
    body: { name: "Of others" },
  });
  const setRole = (role: string) =>
    house.world.db.tx((tx) =>
      tx.query({
        text: `update users set role = '${role}' where organization_id = $1`,
        values: [other.organization_id],
      }),
    );
  await setRole("developer");
  const person = personOf(() => house, { cookie: await house.signIn(other) });
  const { ask } = mcpRequest(await registeredIn(house));
  const approve = (workspace_id: string) => person.authorize("/approve", { ...ask, workspace_id });
  assert.equal((await approve(String(made.body["id"]))).status, 404);
  assert.equal((await approve((await workspaceOf(other)).id)).status, 200);
  await setRole("primary_owner");
});

test("[AUT20] events name the program and where it goes back to; people see and end it by that name", async () => {
  const { access_token, client_id } = await signIn(platform);
  const [granted] = await eventsOf(house, platform, 1);
  assert.equal(granted?.action, "authorization.granted");
  const told = JSON.stringify(granted);
  for (const part of [client_id, "Notes for me", "127.0.0.1:49152"]) assert.ok(told.includes(part));
  await owner().authorize("/deny", mcpRequest(client_id).ask);
  const [denied] = await eventsOf(house, platform, 1);
  assert.equal(denied?.action, "authorization.denied");
  assert.ok(JSON.stringify(denied).includes("Notes for me"));
  const path = "/console/api/program_sign_ins";
  const { body } = await house.ask("GET", path, { cookie: platform.cookie });
  const [newest] = body.data as { id: string; client: string; scopes: string[] }[];
  assert.deepEqual([newest?.client, newest?.scopes], ["Notes for me", ["mcp"]]);
  await house.ask("DELETE", `${path}/${newest?.id}`, { cookie: platform.cookie });
  assert.equal((await mcp(access_token)).status, 401);
});
