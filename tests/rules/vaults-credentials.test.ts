// Rules VCR1 to VCR13, over HTTP: what a credential holds, shows and never shows.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type ManualClock, makeManualClock, systemClock } from "../../kernel/base/clock.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import { errorOf } from "./memory-house.ts";
import { minutes, sentenceOf } from "./support.ts";
import { bearer, oauth, renewal, server, variable, vaultsOf } from "./vaults-house.ts";

const wall: ManualClock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
let house: House;
before(async () => {
  house = await openHouse({ clock: { ...systemClock, now: () => wall.now() } });
});
after(() => house[Symbol.asyncDispose]());
const vaults = vaultsOf(() => house);
const now = () => wall.now().toISOString();
const later = () => new Date(wall.now().getTime() + minutes(60)).toISOString();
const newVault = async () => (await vaults.make()).id;
const storedSecret = async (id: string): Promise<unknown> => {
  const [row] = await house.world.db.query<{ secret: string }>(
    sql`select secret from vault_credentials where id = ${id}`,
  );
  assert.ok(row);
  const text = house.world.secrets.decrypt(row.secret, `vault credential ${id}`);
  return JSON.parse(text.toString());
};

test("[VCR1] a new credential of each kind shows what it is, and no secret", async () => {
  const vault = await newVault();
  const one = await vaults.add(vault, bearer(), { display_name: "One", metadata: { a: "b" } });
  assert.match(one.id, /^vcrd_\w+$/);
  assert.deepEqual(one, {
    id: one.id,
    type: "vault_credential",
    vault_id: vault,
    auth: { type: "static_bearer", mcp_server_url: server },
    display_name: "One",
    metadata: { a: "b" },
    created_at: now(),
    updated_at: now(),
    archived_at: null,
  });
  assert.deepEqual(await vaults.read(one), one);
  const url = "https://other.example.com/mcp";
  const resource = { resource: "https://other.example.com", scope: "read write" };
  const full = oauth({ mcp_server_url: url, expires_at: later(), refresh: renewal(resource) });
  assert.deepEqual((await vaults.add(vault, full)).auth, {
    type: "mcp_oauth",
    mcp_server_url: url,
    expires_at: later(),
    refresh: {
      client_id: "client",
      token_endpoint: "https://auth.example.com/token",
      token_endpoint_auth: { type: "client_secret_post" },
      ...resource,
    },
  });
  const bare = await vaults.add(vault, oauth({ mcp_server_url: "https://third.example.com" }));
  assert.deepEqual(bare.auth, {
    type: "mcp_oauth",
    mcp_server_url: "https://third.example.com",
    expires_at: null,
    refresh: null,
  });
  const variables = await vaults.add(vault, variable());
  assert.deepEqual(variables.auth, {
    type: "environment_variable",
    secret_name: "API_KEY",
    networking: { type: "limited", allowed_hosts: ["api.example.com"] },
    injection_location: { header: true, body: false },
  });
  const ids = (await vaults.all(`/${vault}/credentials`, { limit: 1 })).map(({ id }) => id);
  assert.deepEqual(ids, [one, { id: ids[2] }, bare, variables].map(({ id }) => id).toReversed());
});

test("[VCR2] what does not fit a credential is named", async () => {
  const vault = await newVault();
  const limited = (...allowed_hosts: string[]) =>
    variable({ networking: { type: "limited", allowed_hosts } });
  const wrong: [auth: object, sentence: RegExp][] = [
    [{}, /^auth\.type: is required/],
    [{ type: "password" }, /^auth\.type: must be/],
    [bearer({ token: "" }), /^auth\.token: /],
    [bearer({ token: "a b" }), /^auth\.token: must be a token/],
    [bearer({ token: "a\r\nb" }), /^auth\.token: /],
    [bearer({ access_token: "x" }), /^auth\.access_token: /],
    [bearer({ mcp_server_url: "mcp.example.com" }), /^auth\.mcp_server_url: must be an address/],
    [oauth({ expires_at: now() }), /^auth\.expires_at: must be in the future/],
    [oauth({ expires_at: "tomorrow" }), /^auth\.expires_at: /],
    [oauth({ refresh: {} }), /^auth\.refresh\.\w+: is required/],
    [
      oauth({ refresh: renewal({ token_endpoint_auth: { type: "client_secret_post" } }) }),
      /^auth\.refresh\.token_endpoint_auth\.client_secret: is required/,
    ],
    [
      oauth({ refresh: renewal({ token_endpoint_auth: { type: "none", client_secret: "x" } }) }),
      /client_secret/,
    ],
    [oauth({ refresh: renewal({ resource: "here" }) }), /^auth\.refresh\.resource: /],
    [variable({ secret_name: "1A" }), /^auth\.secret_name: must be the name/],
    [variable({ secret_name: "A-B" }), /^auth\.secret_name: must be the name/],
    [variable({ secret_value: "a\nb" }), /^auth\.secret_value: /],
    [variable({ networking: undefined }), /^auth\.networking: is required/],
    [limited("https://a.example.com"), /^auth\.networking\.allowed_hosts\.0: must be a host/],
    [limited("a.example.com:80"), /^auth\.networking\.allowed_hosts\.0: /],
    [limited("*.com"), /^auth\.networking\.allowed_hosts\.0: /],
    [limited("[::1]"), /^auth\.networking\.allowed_hosts\.0: /],
    [
      limited(...Array.from({ length: 17 }, (_, n) => `h${n}.example.com`)),
      /^auth\.networking\.allowed_hosts: must have at most 16/,
    ],
    [
      variable({ injection_location: { header: false } }),
      /^auth\.injection_location: header or body must be true/,
    ],
  ];
  for (const [auth, sentence] of wrong)
    assert.match(sentenceOf(await vaults.tryAdd(vault, auth), 400), sentence);
  const { auth } = await vaults.add(
    vault,
    limited("A.example.com", "192.0.2.1", "*.b.example.com"),
  );
  assert.ok(auth.type === "environment_variable" && auth.networking.type === "limited");
  assert.deepEqual(auth.networking.allowed_hosts, [
    "a.example.com",
    "192.0.2.1",
    "*.b.example.com",
  ]);
  assert.deepEqual(await vaults.all(`/${vault}/credentials`).then((all) => all.length), 1);
});

test("[VCR3] names by which sandboxes work are reserved, in any case", async () => {
  const vault = await newVault();
  for (const secret_name of [
    "PATH",
    "path",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "HTTPS_PROXY",
    "https_proxy",
    "No_Proxy",
    "ALL_PROXY",
    "SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
  ])
    errorOf(await vaults.tryAdd(vault, variable({ secret_name })), 400, "reserved_variable");
  await vaults.add(vault, variable({ secret_name: "PROXY_TOKEN" }));
});

test("[VCR4] an update changes what it names, and nothing else", async () => {
  const vault = await newVault();
  const made = await vaults.add(
    vault,
    oauth({ expires_at: later(), refresh: renewal({ scope: "read" }) }),
    { display_name: "One" },
  );
  wall.advance(minutes(1));
  assert.deepEqual((await vaults.change(made, { ...made })).body, made);
  const change = async (auth: object) => {
    const { status, body } = await vaults.change(made, { auth: { type: "mcp_oauth", ...auth } });
    assert.equal(status, 200, JSON.stringify(body));
    return (body as { auth: { refresh: object; expires_at: string | null } }).auth;
  };
  assert.deepEqual(await change({ access_token: "acc-2" }), made.auth);
  assert.equal((await vaults.read(made)).updated_at, now());
  assert.deepEqual(await storedSecret(made.id), {
    access_token: "acc-2",
    refresh_token: "ref-1",
    client_secret: "cs-1",
  });
  await change({ refresh: { refresh_token: "ref-2" } });
  // The kind stays, whichever of the two the new secret is sent with.
  const way = { type: "client_secret_basic", client_secret: "cs-2" };
  assert.deepEqual(await change({ refresh: { token_endpoint_auth: way } }), made.auth);
  assert.deepEqual(await storedSecret(made.id), {
    access_token: "acc-2",
    refresh_token: "ref-2",
    client_secret: "cs-2",
  });
  const cleared = await change({ refresh: { scope: "" }, expires_at: null });
  assert.deepEqual(
    [cleared.refresh, cleared.expires_at],
    [{ ...(made.auth as { refresh?: object }).refresh, scope: null }, null],
  );
  const named = await vaults.change(made, { display_name: null, metadata: { k: "v" } });
  const { display_name, metadata } = named.body as typeof made;
  assert.deepEqual([display_name, metadata], [null, { k: "v" }]);
  const held = await vaults.add(vault, variable());
  const next = { type: "environment_variable", networking: { type: "unrestricted" } };
  const { body } = await vaults.change(held, {
    auth: { ...next, injection_location: { body: true } },
  });
  assert.deepEqual((body as typeof held).auth, {
    ...held.auth,
    ...next,
    injection_location: { header: true, body: true },
  });
  const neither = { header: false, body: false };
  const auth = { type: "environment_variable", injection_location: neither };
  assert.match(sentenceOf(await vaults.change(held, { auth }), 400), /header or body must be true/);
  assert.deepEqual(await storedSecret(held.id), { secret_value: "sec ret" });
});

test("[VCR5] what a credential is for never changes", async () => {
  const vault = await newVault();
  const full = await vaults.add(vault, oauth({ refresh: renewal() }));
  const bare = await vaults.add(vault, oauth({ mcp_server_url: "https://bare.example.com" }));
  const held = await vaults.add(vault, variable());
  const asOauth = (more: object) => ({ type: "mcp_oauth", ...more });
  const wrong: [made: typeof full, auth: object, sentence: RegExp][] = [
    [full, { type: "static_bearer", token: "x" }, /^auth\.type: is mcp_oauth, and stays so/],
    [full, asOauth({ mcp_server_url: "https://x.example.com" }), /^auth\.mcp_server_url: never/],
    [full, asOauth({ refresh: { client_id: "x" } }), /^auth\.refresh\.client_id: never/],
    [
      full,
      asOauth({ refresh: { token_endpoint: "https://x.example.com" } }),
      /^auth\.refresh\.token_endpoint: never/,
    ],
    [
      full,
      asOauth({ refresh: { token_endpoint_auth: { type: "none" } } }),
      /^auth\.refresh\.token_endpoint_auth\.type: is client_secret_post/,
    ],
    [bare, asOauth({ refresh: { refresh_token: "x" } }), /^auth\.refresh: .*made without one/],
    [held, { type: "environment_variable", secret_name: "B" }, /^auth\.secret_name: never/],
    [full, asOauth({ expires_at: now() }), /^auth\.expires_at: must be in the future/],
  ];
  for (const [made, auth, sentence] of wrong)
    assert.match(sentenceOf(await vaults.change(made, { auth }), 400), sentence);
  const moved = await vaults.change(full, { vault_id: "vlt_other" });
  assert.match(sentenceOf(moved, 400), /^vault_id: /);
  assert.deepEqual(await vaults.read(full), full);
});

test("[VCR6] secrets go over plain http, or to private addresses, where the operator allows it alone", async () => {
  const vault = await newVault();
  const refused = [
    bearer({ mcp_server_url: "http://mcp.example.com/" }),
    bearer({ mcp_server_url: "http://127.0.0.1:8000/mcp" }),
    bearer({ mcp_server_url: "https://169.254.169.254/" }),
    bearer({ mcp_server_url: "https://user:pass@mcp.example.com/" }),
    bearer({ mcp_server_url: "ftp://mcp.example.com/" }),
    bearer({ mcp_server_url: `${bearer().mcp_server_url}#one` }),
    oauth({ mcp_server_url: `${bearer().mcp_server_url}#` }),
  ];
  for (const auth of refused)
    assert.match(sentenceOf(await vaults.tryAdd(vault, auth), 400), /^auth\.mcp_server_url: /);
  const auth = oauth({ refresh: renewal({ token_endpoint: "http://auth.example.com/" }) });
  assert.match(
    sentenceOf(await vaults.tryAdd(vault, auth), 400),
    /^auth\.refresh\.token_endpoint: /,
  );
  const named = bearer({ mcp_server_url: "https://mcp.example.com/mcp?a=b#two" });
  assert.match(
    sentenceOf(await vaults.tryAdd(vault, named), 400),
    /^auth\.mcp_server_url: must not have a part behind #, .*: leave it out\.$/,
  );
});

test("[VCR7] a vault has one live credential for a server, and one for a name", async () => {
  const vault = await newVault();
  const made = await vaults.add(
    vault,
    bearer({ mcp_server_url: "https://MCP.example.com:443/mcp" }),
  );
  const taken = await vaults.tryAdd(
    vault,
    oauth({ mcp_server_url: "https://mcp.example.com/a/../mcp" }),
  );
  assert.match(errorOf(taken, 409, "vault_credential_exists").message, new RegExp(made.id));
  assert.equal(taken.headers.get("x-should-retry"), "false");
  await vaults.add(vault, bearer({ mcp_server_url: "https://mcp.example.com/mcp/" }));
  const held = await vaults.add(vault, variable());
  const again = await vaults.tryAdd(vault, variable());
  assert.match(errorOf(again, 409, "vault_credential_exists").message, /^auth\.secret_name: /);
  await vaults.good("POST", `/${vault}/credentials/${held.id}/archive`);
  await vaults.add(vault, variable());
  const other = await newVault();
  const both = await Promise.all([vaults.tryAdd(other, bearer()), vaults.tryAdd(other, bearer())]);
  assert.deepEqual(
    both.map(({ status }) => status).toSorted((one, other) => one - other),
    [200, 409],
  );
});

test("[VCR8] archiving destroys the secret at once, and the record stays", async () => {
  const vault = await newVault();
  const made = await vaults.add(vault, bearer());
  wall.advance(minutes(1));
  const path = `/${vault}/credentials/${made.id}`;
  const archived = await vaults.good("POST", `${path}/archive`);
  assert.deepEqual(archived, { ...made, archived_at: now(), updated_at: now() });
  assert.deepEqual(await vaults.good("POST", `${path}/archive`), archived);
  const [row] = await house.world.db.query<{ secret: string | null }>(
    sql`select secret from vault_credentials where id = ${made.id}`,
  );
  assert.deepEqual(row, { secret: null });
  for (const late of [
    await vaults.change(made, { display_name: "x" }),
    await vaults.call("POST", `${path}/mcp_oauth_validate`),
  ])
    errorOf(late, 400, "vault_credential_archived");
  assert.deepEqual(await vaults.all(`/${vault}/credentials`), []);
  const all = await vaults.all(`/${vault}/credentials`, { include_archived: true });
  assert.deepEqual(
    all.map(({ id }) => id),
    [made.id],
  );
});

test("[VCR9] a deleted credential is gone at once", async () => {
  const vault = await newVault();
  const made = await vaults.add(vault, bearer());
  const path = `/${vault}/credentials/${made.id}`;
  const other = await newVault();
  errorOf(await vaults.call("GET", `/${other}/credentials/${made.id}`), 404);
  assert.deepEqual(await vaults.good("DELETE", path), {
    id: made.id,
    type: "vault_credential_deleted",
  });
  errorOf(await vaults.call("GET", path), 404);
  errorOf(await vaults.call("DELETE", path), 404);
});
