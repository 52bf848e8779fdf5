// Rules KEY1 to KEY10, over HTTP.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { hashSecret, newSecret, secretPrefixes } from "../../kernel/secret/token.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { makeManualClock, type ManualClock } from "../../kernel/base/clock.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { routes } from "../../server/app.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import {
  expectDeathWithinASecond,
  makeKey,
  me,
  minutes,
  seconds,
  sentenceOf,
  setStatus,
  until,
  untilInTime,
  askAt,
  type MadeKey,
} from "./support.ts";
import { allText } from "./text.ts";

let house: House;
let platform: Tenant;
let enterprise: Tenant;
let other: Tenant;
/** A house whose time is told to pass. */
let timed: House;
let clock: ManualClock;
before(async () => {
  clock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
  [house, timed] = await Promise.all([openHouse(), openHouse({ clock })]);
  ({ platform, enterprise, other } = house.organizations);
});
after(async () => {
  // Both are closed, also when one has something to complain about.
  await using _timed = timed;
  await using _house = house;
});

const create = (tenant: Tenant, body: unknown) =>
  house.ask("POST", "/console/api/keys", { cookie: tenant.cookie, body });
const list = async (of: House, tenant: Tenant, query = "limit=100"): Promise<MadeKey[]> =>
  (await of.ask("GET", `/console/api/keys?${query}`, { cookie: tenant.cookie })).body.data;

test("[KEY1] a secret is shown at creation and never again; kept is only its SHA-256", async () => {
  const key = await makeKey(house, platform);
  const path = `/v1/organizations/api_keys/${key.id}`;
  const replies = [
    await house.ask("GET", path, { key: key.secret }),
    await house.ask("GET", "/v1/organizations/api_keys", { key: key.secret }),
    await house.ask("POST", path, { key: key.secret, body: { name: "Renamed" } }),
    await setStatus(house, platform, key.id, "inactive"),
    await house.ask("GET", "/console/api/audit", { cookie: platform.cookie }),
    // A secret at the wrong place of a request ends up in the log's path.
    await house.ask("GET", `/v1/organizations/nothing/${key.secret}`, { key: key.secret }),
  ];
  const hash = hashSecret(key.secret);
  const traces = [key.secret.slice(-30), hash.toString("hex"), hash.toString("base64")];
  const shown = JSON.stringify(replies.slice(0, 5).map(({ body }) => body as unknown));
  const kept = await allText(house.world.db);
  for (const trace of traces) {
    assert.ok(!shown.includes(trace), "a reply holds it");
    assert.ok(!JSON.stringify(house.log).includes(trace), "the log holds it");
    assert.ok(!kept.includes(trace), "a text column holds it");
  }
  const [row] = await house.world.db.query(
    sql`select secret_sha256 from keys where id = ${key.id}`,
  );
  assert.deepEqual(row, { secret_sha256: hash });
});

test("[KEY1] no two secrets are alike", async () => {
  const keys = await Promise.all(Array.from({ length: 5 }, () => makeKey(house, platform)));
  const bodies = keys.map(({ secret }) => secret.slice(secretPrefixes.admin.length));
  assert.equal(new Set(bodies).size, 5);
  for (const body of bodies) assert.match(body, /^[0-9A-Za-z]{49}$/);
});

test("[KEY2] the prefix tells the kind", async () => {
  const api = await makeKey(house, platform, { kind: "api" });
  const admin = await makeKey(house, platform, { kind: "admin" });
  assert.ok(api.secret.startsWith("sk-plinth-api-"));
  assert.ok(admin.secret.startsWith("sk-plinth-admin-"));
  assert.ok(platform.oauth_access_token.startsWith("sk-plinth-oat-"));
  // A prefix that lies does not make a key of another kind: the checksum covers it.
  const lie = api.secret.replace("-api-", "-admin-");
  const sentence = sentenceOf(await house.ask("GET", me, { key: lie }), 401);
  assert.match(sentence, /damaged/);
});

test("[KEY3] no route under /v1/ creates a key", async () => {
  const { admin_api_key: key } = platform;
  const body = { name: "New", kind: "api" };
  const collection = await house.ask("POST", "/v1/organizations/api_keys", { key, body });
  assert.equal(collection.status, 405);
  const named = await house.ask("POST", "/v1/organizations/api_keys/apikey_new", {
    key,
    body: { name: "New" },
  });
  assert.equal(named.status, 404);
  // Keys of environments are for workers: they open nothing else of the API.
  const creators = routes.filter(
    ({ operation }) => /\bkeys\.create/.test(operation) && !operation.startsWith("environments."),
  );
  assert.deepEqual(
    creators.map(({ path }) => path),
    ["/console/api/keys"],
  );
  // A key itself may not create one, whatever it may do: the console is for people.
  const withKey = await house.ask("POST", "/console/api/keys", { key, body });
  assert.equal(withKey.status, 403);
});

for (const status of ["inactive", "archived"])
  test(`[KEY4] ${status} ends a key on another process within a second`, async () => {
    await using neighbour = await house.openSecondServer();
    const { id, secret: key } = await makeKey(house, platform);
    assert.equal((await askAt(neighbour.url, "GET", me, { key })).status, 200);
    assert.equal((await setStatus(house, platform, id, status)).status, 200);
    const since = performance.now();
    // The process that did it knows at once.
    const sentence = sentenceOf(await house.ask("GET", me, { key }), 401);
    assert.match(sentence, new RegExp(`is ${status}`));
    assert.equal(/activate/.test(sentence), status === "inactive", "archived is for ever");
    await expectDeathWithinASecond(neighbour.url, me, { key }, since);
  });

test("[KEY4] also when the hint to the other process is lost", async () => {
  await using neighbour = await house.openSecondServer();
  const { id, secret: key } = await makeKey(house, platform);
  const { hints } = house.world;
  const { send } = hints;
  let lost = 0;
  hints.send = () => void (lost += 1);
  try {
    assert.equal((await askAt(neighbour.url, "GET", me, { key })).status, 200);
    await setStatus(house, platform, id, "inactive");
    await expectDeathWithinASecond(neighbour.url, me, { key }, performance.now());
    assert.ok(lost > 0, "no hint was lost: this test proves nothing");
  } finally {
    hints.send = send;
  }
});

test("[KEY4] a key ends at its expiry, on another process too", async () => {
  await using neighbour = await timed.openSecondServer();
  const tenant = timed.organizations.platform;
  const expires_at = new Date(clock.now().getTime() + minutes(1)).toISOString();
  const { id, secret: key } = await makeKey(timed, tenant, { expires_at });
  const both = async () => [
    (await timed.ask("GET", me, { key })).status,
    (await askAt(neighbour.url, "GET", me, { key })).status,
  ];
  assert.deepEqual(await both(), [200, 200]);
  clock.advance(minutes(1) - 1);
  assert.deepEqual(await both(), [200, 200]);
  clock.advance(1);
  assert.deepEqual(await both(), [401, 401]);
  const shown = await list(timed, tenant, "status[]=expired");
  assert.deepEqual(
    shown.map((each) => [each.id, each.status]),
    [[id, "expired"]],
  );
});

test("[KEY4] expires_at must lie in the future", async () => {
  const now = clock.now().getTime();
  const { cookie } = timed.organizations.platform;
  const expiring = (ms: number) =>
    timed.ask("POST", "/console/api/keys", {
      cookie,
      body: { name: "Soon", kind: "api", expires_at: new Date(now + ms).toISOString() },
    });
  assert.match(sentenceOf(await expiring(-1), 400), /expires_at/);
  assert.match(sentenceOf(await expiring(0), 400), /expires_at/);
  assert.equal((await expiring(1)).status, 200);
});

test("[KEY5] inactive may become active again; archived is for ever", async () => {
  const { id, secret: key } = await makeKey(house, platform);
  await setStatus(house, platform, id, "inactive");
  assert.equal((await house.ask("GET", me, { key })).status, 401);
  assert.equal((await setStatus(house, platform, id, "active")).body.status, "active");
  assert.equal((await house.ask("GET", me, { key })).status, 200);
  await setStatus(house, platform, id, "archived");
  const path = `/v1/organizations/api_keys/${id}`;
  for (const body of [{ status: "active" }, { status: "archived" }, { name: "Again" }]) {
    const inConsole = { cookie: platform.cookie, body };
    const overApi = { key: platform.admin_api_key, body };
    assert.match(
      sentenceOf(await house.ask("POST", `/console/api/keys/${id}`, inConsole), 400),
      /archived/,
    );
    assert.match(sentenceOf(await house.ask("POST", path, overApi), 400), /archived/);
  }
  assert.equal((await house.ask("GET", me, { key })).status, 401);
});

test("[KEY6] a key of another organization is absent, in the same words as one that never was", async () => {
  const { id } = await makeKey(house, other);
  const never = id.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
  const ask = async (method: string, base: string, key: string, body?: unknown) => {
    const credential = base.startsWith("/v1/")
      ? { key: platform.admin_api_key }
      : { cookie: platform.cookie };
    const answer = await house.ask(method, `${base}/${key}`, { ...credential, body });
    return sentenceOf(answer, 404).replace(key, "…");
  };
  for (const [method, base, body] of [
    ["GET", "/v1/organizations/api_keys", undefined],
    ["POST", "/v1/organizations/api_keys", { status: "archived" }],
    ["POST", "/console/api/keys", { status: "archived" }],
  ] as const)
    assert.equal(await ask(method, base, id, body), await ask(method, base, never, body));
  assert.equal((await list(house, other)).find((key) => key.id === id)?.status, "active");
  for (const tenant of [platform, enterprise])
    assert.ok(!(await list(house, tenant)).some((key) => key.id === id));
  const { body } = await house.ask("GET", "/v1/organizations/api_keys?limit=1000", {
    key: platform.admin_api_key,
  });
  assert.ok(!JSON.stringify(body).includes(id));
});

test("[KEY6] another organization's key as the place in a list tells nothing of it", async () => {
  const { id } = await makeKey(house, other);
  const after = (place: string) =>
    house.ask("GET", `/v1/organizations/api_keys?after_id=${place}`, {
      key: platform.admin_api_key,
    });
  const [theirs, nobodys] = [await after(id), await after("apikey_nobodys")];
  assert.deepEqual([theirs.status, nobodys.status], [400, 400]);
  const neutral = (text: string) => text.replaceAll(/apikey_\w+/g, "ID");
  assert.equal(neutral(theirs.body.error.message), neutral(nobodys.body.error.message));
});

test("[KEY7] an enterprise admin key carries the scopes chosen at creation and nothing else", async () => {
  const scopes = ["read:members", "read:org_audit"];
  const { id } = await makeKey(house, enterprise, { scopes });
  const shown = (await list(house, enterprise)).find((key) => key.id === id);
  assert.deepEqual(shown?.scopes, scopes);
  const all = (await list(house, enterprise, "kind[]=admin")).find(
    ({ name }) => name === "First admin key",
  );
  assert.equal(all?.scopes.length, 6);
});

test("[KEY7] a scope stands there once", async () => {
  const { scopes } = await makeKey(house, enterprise, { scopes: ["read:members", "read:members"] });
  assert.deepEqual(scopes, ["read:members"]);
});

test("[KEY7] scopes are chosen from those that exist, and where there are scopes", async () => {
  const admin = { name: "Scoped", kind: "admin" };
  const refused = async (tenant: Tenant, body: unknown) =>
    sentenceOf(await create(tenant, body), 400);
  assert.match(await refused(enterprise, { ...admin, scopes: ["read:everything"] }), /^scopes/);
  assert.match(await refused(enterprise, { ...admin, scopes: [] }), /at least one/);
  assert.match(await refused(enterprise, admin), /at least one/);
  const api = { name: "Scoped", kind: "api", scopes: ["read:members"] };
  assert.match(await refused(enterprise, api), /leave them out/);
  assert.match(await refused(platform, { ...admin, scopes: ["read:members"] }), /leave them out/);
});

test("[KEY8] the time of last use is at most 10 seconds behind", async () => {
  const tenant = timed.organizations.other;
  const { id, secret: key } = await makeKey(timed, tenant);
  const usedAt = clock.now().toISOString();
  assert.equal((await timed.ask("GET", me, { key })).status, 200);
  const lastUse = async () => (await list(timed, tenant)).find((each) => each.id === id);
  assert.equal((await lastUse())?.last_used_at, null);
  clock.advance(seconds(10));
  const seen = await until(async () => (await lastUse())?.last_used_at ?? false, "the last use");
  assert.equal(seen, usedAt);
});

test("[KEY8] a refused use is none", async () => {
  const tenant = timed.organizations.other;
  const [dead, alive] = [await makeKey(timed, tenant), await makeKey(timed, tenant)];
  await setStatus(timed, tenant, dead.id, "inactive");
  assert.equal((await timed.ask("GET", me, { key: dead.secret })).status, 401);
  assert.equal((await timed.ask("GET", me, { key: alive.secret })).status, 200);
  const find = async (id: string) => (await list(timed, tenant)).find((each) => each.id === id);
  const look = async () => (await find(alive.id))?.last_used_at ?? false;
  await untilInTime({ clock, periodMs: seconds(10) }, look, "the last use");
  assert.equal((await find(dead.id))?.last_used_at, null);
});

test("[KEY9] lists hold a hint, and neither secret nor hash", async () => {
  const { id, secret } = await makeKey(house, platform);
  const inConsole = await house.ask("GET", "/console/api/keys?limit=100", {
    cookie: platform.cookie,
  });
  const overApi = await house.ask("GET", "/v1/organizations/api_keys?limit=1000", {
    key: platform.admin_api_key,
  });
  const hash = hashSecret(secret);
  for (const { body } of [inConsole, overApi]) {
    const text = JSON.stringify(body);
    for (const trace of [secret, secret.slice(-20), hash.toString("hex"), hash.toString("base64")])
      assert.ok(!text.includes(trace));
    const shown = (body.data as MadeKey[]).find((key) => key.id === id);
    assert.match(String(shown?.partial_key_hint), /^sk-plinth-admin-\w{4}\.\.\.\w{4}$/);
    assert.ok(String(shown?.partial_key_hint).endsWith(secret.slice(-4)));
  }
});

test("[KEY10] an API key belongs to the workspace named, else to the default one", async () => {
  const { workspace_id } = platform;
  const plain = await makeKey(house, platform, { kind: "api" });
  const named = await makeKey(house, platform, { kind: "api", workspace_id });
  assert.deepEqual([plain.workspace_id, named.workspace_id], [workspace_id, workspace_id]);
  assert.equal((await makeKey(house, platform)).workspace_id, null);
  const inIt = await list(house, platform, `workspace_id=${workspace_id}&limit=100`);
  assert.ok(inIt.some(({ id }) => id === named.id));
  assert.ok(inIt.every((key) => key.workspace_id === workspace_id));
});

test("[KEY10] a workspace of another organization is absent", async () => {
  const body = { name: "Elsewhere", kind: "api", workspace_id: other.workspace_id };
  const sentence = sentenceOf(await create(platform, body), 404);
  const never = sentenceOf(await create(platform, { ...body, workspace_id: "wrkspc_none" }), 404);
  assert.equal(
    sentence.replace(other.workspace_id, "…"),
    never.replace("wrkspc_none", "…"),
    "absent and somebody else's differ",
  );
  const filtered = await list(house, platform, `workspace_id=${other.workspace_id}`);
  assert.deepEqual(filtered, []);
});

test("[KEY10] an archived workspace takes no key, and an admin key no workspace", async () => {
  const id = house.world.ids.next("wrkspc_");
  await house.world.db.tx((tx) =>
    tx.query(sql`
      insert into workspaces (id, organization_id, name, is_default, created_at, archived_at)
      values (${id}, ${platform.organization_id}, 'Old', false, now(), now())`),
  );
  const body = { name: "Late", kind: "api", workspace_id: id };
  assert.match(sentenceOf(await create(platform, body), 400), /archived/);
  const admin = { name: "Above", kind: "admin", workspace_id: platform.workspace_id };
  assert.match(sentenceOf(await create(platform, admin), 400), /workspace_id/);
});

test("a name has 1 to 200 characters", async () => {
  const named = (name: string) => create(platform, { name, kind: "api" });
  assert.equal((await named("n".repeat(200))).status, 200);
  assert.equal((await named("🏛".repeat(200))).status, 200, "characters are counted, not units");
  for (const name of ["", "n".repeat(201), "🏛".repeat(201)])
    assert.match(sentenceOf(await named(name), 400), /^name/);
});

test("text that no database can keep is refused with a sentence", async () => {
  const raw = (name: string) =>
    house.ask("POST", "/console/api/keys", {
      cookie: platform.cookie,
      body: `{"kind":"api","name":"${name}"}`,
    });
  assert.match(sentenceOf(await raw("nul \\u0000"), 400), /U\+0000/);
  assert.match(sentenceOf(await raw("half a pair \\ud83c"), 400), /surrogate|half/);
  const path = "/v1/organizations/api_keys/%00";
  const answer = await house.ask("GET", path, { key: platform.admin_api_key });
  assert.match(sentenceOf(answer, 400), /U\+0000/);
});

test("a well-formed secret that was never made is a stranger", async () => {
  for (const prefix of [secretPrefixes.api, secretPrefixes.admin, secretPrefixes.access]) {
    const key = newSecret(prefix, systemRandom);
    assert.match(sentenceOf(await house.ask("GET", me, { key }), 401), /not known/);
  }
});
