// Rules VCR10 to VCR14, with an MCP server and a token endpoint on this machine: how tokens are tried and renewed.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { type ManualClock, makeManualClock, systemClock } from "../../kernel/base/clock.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { limits } from "../../server/vaults/limits.ts";
import { currentToken, refreshAfter401 } from "../../server/vaults/module.ts";
import { openHouse, type House } from "../house.ts";
import { localNetwork } from "./federation-house.ts";
import { eventsOf, hours, sentenceOf } from "./support.ts";
import { openMcpServer } from "./mcp-server.ts";
import {
  greeting,
  openProvider,
  variable,
  vaultsOf,
  type Credential,
  type Provider,
} from "./vaults-house.ts";

const wall: ManualClock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
let house: House;
let provider: Provider;
before(async () => {
  house = await openHouse({
    clock: { ...systemClock, now: () => wall.now() },
    sections: localNetwork,
  });
});
beforeEach(async () => {
  if (provider !== undefined) await provider[Symbol.asyncDispose]();
  provider = await openProvider();
});
after(async () => {
  await house[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});
const vaults = vaultsOf(() => house);
const add = async (auth: object) => vaults.add((await vaults.make()).id, auth);
const workspaceOf = async ({ id }: Credential) => {
  const [row] = await house.world.db.query<{ id: string }>(
    sql`select workspace_id as id from vault_credentials where id = ${id}`,
  );
  return row?.id ?? assert.fail("no row");
};
const ownerOf = async (made: Credential) => ({
  workspaceId: await workspaceOf(made),
  vaultId: made.vault_id,
  id: made.id,
});
const inOneHour = () => new Date(wall.now().getTime() + hours(1)).toISOString();
const failures = async ({ id }: Credential) =>
  (await eventsOf(house, house.organizations.platform)).filter(
    ({ action, target }) => action === "vault_credential.refresh_failed" && target?.id === id,
  ).length;

test("[VCR10] a token that the server takes is valid", async () => {
  const made = await add({
    type: "static_bearer",
    token: provider.good,
    mcp_server_url: `${provider.url}/mcp`,
  });
  assert.deepEqual(await vaults.validate(made), {
    type: "vault_credential_validation",
    credential_id: made.id,
    vault_id: made.vault_id,
    status: "valid",
    validated_at: wall.now().toISOString(),
    has_refresh_token: false,
    mcp_probe: null,
    refresh: null,
  });
  const [asked] = provider.at("/mcp");
  assert.equal(asked?.headers.authorization, "Bearer acc-1");
  assert.equal((JSON.parse(asked.body) as { method: string }).method, "initialize");
});

test("[VCR10] what else the server answers is shown, cut and without secrets", async () => {
  const made = await add(provider.oauth({ access_token: "wrong/to+ken" }));
  const tell = async (status: number, type: string, body: string) => {
    provider.mcp = (response) => response.writeHead(status, { "content-type": type }).end(body);
    const { status: verdict, mcp_probe } = await vaults.validate(made);
    assert.equal(mcp_probe?.method, "initialize");
    return [verdict, mcp_probe?.http_response];
  };
  const shown = (
    status_code: number,
    content_type: string,
    body: string,
    body_truncated = false,
  ) => ({
    status_code,
    content_type,
    body,
    body_truncated,
  });
  const spelled = `wrong/to+ken wrong\\/to+ken wrong%2Fto%2Bken ${Buffer.from("wrong/to+ken").toString("base64")}`;
  const mark = "[secret]";
  assert.deepEqual(await tell(403, "text/plain", `no: ${spelled}`), [
    "invalid",
    shown(403, "text/plain", `no: ${mark} ${mark} ${mark} ${mark}`),
  ]);
  assert.deepEqual(await tell(500, "text/html", "x".repeat(5_000)), [
    "unknown",
    shown(500, "text/html", "x".repeat(limits.shownBodyCharactersMax), true),
  ]);
  // A secret that is shown in part would be shown.
  const edge = "y".repeat(limits.shownBodyCharactersMax - 4);
  assert.deepEqual(await tell(500, "text/html", `${edge}wrong/to+ken`), [
    "unknown",
    shown(500, "text/html", `${edge}[sec`, true),
  ]);
  assert.deepEqual(await tell(307, "text/html", ""), ["unknown", shown(307, "text/html", "")]);
  provider.mcp = (response) => response.destroy();
  const { status, mcp_probe } = await vaults.validate(made);
  assert.deepEqual([status, mcp_probe], ["unknown", { method: "initialize", http_response: null }]);
  const held = await add(variable());
  const path = `/${held.vault_id}/credentials/${held.id}/mcp_oauth_validate`;
  assert.match(sentenceOf(await vaults.call("POST", path), 400), /environment_variable/);
});

test("[VCR10] a server that answers 2xx and not as MCP does is unknown, with what it answered", async () => {
  const made = await add(provider.oauth());
  const tell = async (type: string, body: string, status = 200) => {
    provider.mcp = (response) => response.writeHead(status, { "content-type": type }).end(body);
    const found = await vaults.validate(made);
    if (found.status === "unknown") {
      assert.equal(found.mcp_probe?.method, "initialize");
      assert.equal(found.mcp_probe?.http_response?.status_code, status);
      assert.equal(found.mcp_probe?.http_response?.body, body);
    } else assert.equal(found.mcp_probe, null);
    return found.status;
  };
  const message = (more: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, ...more });
  const good = message({ result: greeting });
  const event = (data: string) => `event: message\ndata: ${data}\n\n`;
  const json = "application/json";
  const stream = "text/event-stream; charset=utf-8";
  for (const [type, body] of [
    ["text/html", "<p>Welcome</p>"],
    ["text/html", good],
    [json, "{}"],
    [json, "null"],
    [json, "not JSON"],
    [json, message({ result: {} })],
    [json, message({ id: 2, result: greeting })],
    [json, message({ error: { code: -32_600, message: "No" } })],
    [stream, event("{}")],
    [stream, good],
  ] as const)
    assert.equal(await tell(type, body), "unknown", `${type} ${body}`);
  assert.equal(await tell(json, "", 202), "unknown");
  assert.equal(await tell(`${json}; charset=utf-8`, good), "valid");
  assert.equal(
    await tell(stream, event(message({ method: "notifications/x" })) + event(good)),
    "valid",
  );
  assert.equal(await tell(stream, event(good).replaceAll("\n", "\r\n")), "valid");
});

for (const revision of ["modern", "legacy"] as const)
  test(`[VCR10] a token that a server of the ${revision} revision takes is valid, and no other is`, async () => {
    await using server = await openMcpServer({}, revision);
    server.before = ({ headers }, response) => {
      if (headers.authorization === "Bearer right") return false;
      response.writeHead(401).end();
      return true;
    };
    const told = async (token: string) => {
      const auth = { type: "static_bearer", token, mcp_server_url: server.url };
      return (await vaults.validate(await add(auth))).status;
    };
    assert.deepEqual([await told("right"), await told("wrong")], ["valid", "invalid"]);
  });

test("[VCR11] a token that is refused is renewed once, and the new one is tried and kept", async () => {
  for (const [way, named] of [
    [{ type: "none" }, "client"],
    [{ type: "client_secret_post", client_secret: "s ä".replace("ä", "&") }, "client"],
    [{ type: "client_secret_basic", client_secret: "s%1" }, null],
  ] as const) {
    provider.received.splice(0);
    const refresh = { token_endpoint_auth: way, scope: "read write", resource: provider.url };
    const made = await add(provider.oauth({ access_token: "stale" }, refresh));
    const found = await vaults.validate(made);
    assert.deepEqual(
      [found.status, found.has_refresh_token, found.mcp_probe, found.refresh],
      ["valid", true, null, { status: "succeeded", http_response: null }],
    );
    const [asked] = provider.at("/token");
    const form = new URLSearchParams(asked?.body);
    assert.deepEqual(
      [form.get("grant_type"), form.get("client_id"), form.get("scope"), form.get("resource")],
      ["refresh_token", named, "read write", provider.url],
    );
    assert.equal(form.get("client_secret"), way.type === "client_secret_post" ? "s &" : null);
    const basic = `Basic ${Buffer.from("client:s%251").toString("base64")}`;
    assert.equal(
      asked?.headers.authorization,
      way.type === "client_secret_basic" ? basic : undefined,
    );
    const { auth } = await vaults.read(made);
    assert.equal(auth.type === "mcp_oauth" && auth.expires_at, inOneHour());
    assert.equal((await vaults.validate(made)).refresh, null);
    // The refresh token was replaced as well: the next renewal works.
    provider.good = "other";
    assert.equal((await vaults.validate(made)).refresh?.status, "succeeded");
  }
});

test("[VCR11] a token that ends within a minute is renewed before it is used", async () => {
  const made = await add(provider.oauth({ expires_at: inOneHour() }));
  wall.advance(hours(1) - limits.refreshBeforeMs);
  assert.equal((await vaults.validate(made)).refresh, null);
  wall.advance(1);
  assert.equal((await vaults.validate(made)).refresh?.status, "succeeded");
  assert.equal(provider.at("/mcp").length, 2);
});

test("[VCR11] without a refresh token the validation says so", async () => {
  const stale = { access_token: "stale" };
  const one = await vaults.validate(await add(provider.oauth(stale, null)));
  const none = { status: "no_refresh_token", http_response: null };
  assert.deepEqual([one.status, one.has_refresh_token, one.refresh], ["invalid", false, none]);
});

test("[VCR12] many requests of two processes renew a token once", async () => {
  await using second = await house.openSecondServer();
  const made = await add(provider.oauth({ access_token: "stale" }));
  const owner = await ownerOf(made);
  const worlds = [house.world, second.world];
  const held = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      refreshAfter401(worlds[n % 2] ?? house.world, owner, "stale"),
    ),
  );
  assert.deepEqual([...new Set(held.map((each) => each?.token))], [provider.good]);
  assert.equal(provider.at("/token").length, 1);
  // Refused with a token that was replaced since: nothing is renewed.
  assert.deepEqual(await refreshAfter401(second.world, owner, "stale"), {
    token: provider.good,
    refresh: null,
  });
  assert.equal(provider.at("/token").length, 1);
  assert.equal((await currentToken(second.world, owner))?.token, provider.good);
});

test("[VCR12] where a renewal fails, the processes that waited for it do not try again", async () => {
  await using second = await house.openSecondServer();
  const { heard, open } = provider.holdToken((response) => response.writeHead(500).end("later"));
  const made = await add(provider.oauth({ access_token: "stale" }));
  const owner = await ownerOf(made);
  const first = refreshAfter401(house.world, owner, "stale");
  await heard;
  const { clock } = second.world;
  const hasLooked = Promise.withResolvers<void>();
  const sleep: typeof clock.sleep = (...args) => {
    hasLooked.resolve();
    return clock.sleep(...args);
  };
  const other = refreshAfter401({ ...second.world, clock: { ...clock, sleep } }, owner, "stale");
  // It has seen that another process renews the token, and waits to look again.
  await hasLooked.promise;
  open();
  const held = await Promise.all([first, other]);
  assert.deepEqual(
    held.map((each) => [each?.token, each?.refresh?.status]),
    [
      ["stale", "failed"],
      ["stale", "failed"],
    ],
  );
  assert.equal(provider.at("/token").length, 1);
  assert.equal(await failures(made), 0);
});

test("[VCR12] what a person changes while a token is renewed stays", async () => {
  const { heard, open } = provider.holdToken(provider.answerToken);
  const made = await add(provider.oauth({ access_token: "stale" }));
  const owner = await ownerOf(made);
  const renewed = refreshAfter401(house.world, owner, "stale");
  await heard;
  await vaults.change(made, { auth: { type: "mcp_oauth", access_token: "by-hand" } });
  open();
  assert.deepEqual(await renewed, { token: "by-hand", refresh: null });
  assert.equal((await currentToken(house.world, owner))?.token, "by-hand");
  await vaults.good("POST", `/${made.vault_id}/credentials/${made.id}/archive`);
  assert.equal(await currentToken(house.world, owner), undefined);
  assert.equal(await refreshAfter401(house.world, owner, "by-hand"), undefined);
});

test("[VCR13] a refusal is told once, until something has changed", async () => {
  const made = await add(provider.oauth({ access_token: "stale" }, { refresh_token: "gone-1" }));
  const { status, refresh, mcp_probe } = await vaults.validate(made);
  assert.equal(status, "invalid");
  assert.deepEqual(refresh, {
    status: "failed",
    http_response: {
      status_code: 400,
      content_type: "application/json",
      body: '{"error":"invalid_grant","seen":"[secret]"}',
      body_truncated: false,
    },
  });
  assert.equal(
    mcp_probe?.http_response?.body,
    '{"error":"invalid_token","seen":"Bearer [secret]"}',
  );
  await vaults.validate(made);
  assert.equal(await failures(made), 1);
  const auth = { type: "mcp_oauth", refresh: { refresh_token: "gone-2" } };
  assert.equal((await vaults.change(made, { auth })).status, 200);
  await vaults.validate(made);
  assert.equal(await failures(made), 2);
  // A token endpoint that cannot be reached, and one that gives no token.
  provider.token = (response) => response.destroy();
  const { refresh: lost } = await vaults.validate(made);
  assert.deepEqual(lost, { status: "connect_error", http_response: null });
  provider.token = (response) => response.writeHead(200).end('{"access_token":"planted token"}');
  const { refresh: odd } = await vaults.validate(made);
  assert.equal(odd?.http_response?.body, '{"access_token":"[secret]"}');
});

test("[VCR14] no secret is in a reply, the log, the audit log or the database", async () => {
  const planted = ["planted-acc", "planted-ref", "planted-cs", "planted-tok", "planted value"];
  const replies: unknown[] = [];
  const vault = await vaults.make();
  const way = { type: "client_secret_basic", client_secret: "planted-cs" };
  const full = await vaults.add(
    vault.id,
    provider.oauth(
      { access_token: "planted-acc" },
      { refresh_token: "planted-ref", token_endpoint_auth: way },
    ),
  );
  const bearer = await vaults.add(vault.id, {
    type: "static_bearer",
    token: "planted-tok",
    mcp_server_url: `${provider.url}/echo`,
  });
  const held = await vaults.add(vault.id, variable({ secret_value: "planted value" }));
  // Servers that repeat all that they hear.
  const echo: Provider["mcp"] = (response, { headers, body }) =>
    response
      .writeHead(401, { "content-type": `x/${headers.authorization}` })
      .end(JSON.stringify({ headers, body }));
  provider.mcp = echo;
  provider.token = (response, { headers, body }) =>
    response.writeHead(400).end(JSON.stringify({ headers, body }));
  replies.push(full, bearer, held, await vaults.validate(full), await vaults.validate(bearer));
  for (const made of [full, bearer, held])
    replies.push(
      await vaults.read(made),
      (await vaults.change(made, { display_name: "other" })).body,
      (await vaults.change(made, { auth: { type: made.auth.type, nothing: "planted-acc" } })).body,
    );
  replies.push(await vaults.all(`/${vault.id}/credentials`));
  replies.push(await eventsOf(house, house.organizations.platform));
  const tables = await house.world.db.query<{ name: string }>(sql`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`);
  const dump: unknown[] = [];
  for (const { name } of tables)
    dump.push(
      await house.world.db.query({
        text: `select "${name}"::text as row from "${name}"`,
        values: [],
      }),
    );
  assert.ok(JSON.stringify(dump).includes(held.id));
  const places = { replies, log: house.log, dump };
  for (const [place, found] of Object.entries(places))
    for (const text of planted) {
      const base64 = Buffer.from(text).toString("base64").replace(/=+$/, "");
      for (const spelling of [text, base64, encodeURIComponent(text)])
        assert.equal(JSON.stringify(found).includes(spelling), false, `${spelling} in ${place}`);
    }
  const client = Buffer.from("client:planted-cs").toString("base64");
  assert.equal(JSON.stringify(places).includes(client), false);
});
