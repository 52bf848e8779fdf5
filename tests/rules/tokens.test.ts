// Rules TOK1 to TOK5, TOK11 and TOK12: what tokens may, and when they end.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { systemRandom } from "../../kernel/base/random.ts";
import { makeManualClock, type ManualClock } from "../../kernel/base/clock.ts";
import { hashSecret, newSecret, secretPrefixes } from "../../kernel/secret/token.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { verdictsOf } from "../../server/keys/module.ts";
import { endTokensOfUser, schedules } from "../../server/tokens/module.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import {
  askAt,
  eventsOf,
  expectDeathWithinASecond,
  hours,
  me,
  minutes,
  nearly,
  sentenceOf,
} from "./support.ts";
import { allText } from "./text.ts";
import {
  accountIn,
  message,
  personIn,
  programIn,
  refresh,
  refusalOf,
  sweep,
  tokenOfAccount,
} from "./tokens-house.ts";

let house: House;
let platform: Tenant;
let timed: House;
let clock: ManualClock;
before(async () => {
  clock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
  [house, timed] = await Promise.all([openHouse(), openHouse({ clock })]);
  ({ platform } = house.organizations);
});
after(async () => {
  await using _timed = timed;
  await using _house = house;
});

const stores = "/v1/memory_stores";
const memory = { "vendor-beta": "agent-memory-2026-07-22" };
const statuses = async (key: string, headers: Record<string, string> = {}) => [
  (await house.ask("GET", me, { key, headers })).status,
  (await house.ask("GET", "/v1/models", { key, headers })).status,
  (await house.ask("POST", "/v1/messages", { key, headers, body: message })).status,
  (await house.ask("GET", stores, { key, headers: { ...memory, ...headers } })).status,
];

const workspaceIn = async ({ cookie }: Tenant) =>
  (await house.ask("POST", "/console/api/workspaces", { cookie, body: { name: "Apart" } })).body
    .id as string;

const archiveWorkspace = (id: string) =>
  house.ask("POST", `/console/api/workspaces/${id}/archive`, { cookie: platform.cookie });

const change = (statement: ReturnType<typeof sql>) =>
  house.world.db.tx(async (tx) => {
    await tx.query(statement);
    await verdictsOf(house.world).revoke(tx);
  });

test("[TOK1] of a token nothing is kept but its SHA-256", async () => {
  const userId = await personIn(house, platform, "admin");
  const { access_token, refresh_token = "" } = await programIn(house, platform, { userId });
  assert.match(access_token, /^sk-plinth-oat-\w{49}$/);
  assert.match(refresh_token, /^sk-plinth-ort-\w{49}$/);
  const kept = await allText(house.world.db);
  for (const secret of [access_token, refresh_token])
    for (const trace of [secret.slice(-30), hashSecret(secret).toString("base64")])
      assert.ok(!kept.includes(trace) && !JSON.stringify(house.log).includes(trace));
  // One opens no door that is the other's.
  sentenceOf(await house.ask("GET", me, { key: refresh_token }), 401);
  refusalOf(await refresh(house, access_token), 400, "invalid_grant");
  const stranger = newSecret(secretPrefixes.access, systemRandom);
  assert.match(sentenceOf(await house.ask("GET", me, { key: stranger }), 401), /not known/);
});

test("[TOK2] a token ends with its time, to the millisecond, on every process", async () => {
  await using neighbour = await timed.openSecondServer();
  const tenant = timed.organizations.platform;
  const userId = await personIn(timed, tenant, "admin");
  const { access_token: key, expires_in } = await programIn(timed, tenant, { userId });
  assert.equal(expires_in, 3600);
  const both = async () => [
    (await timed.ask("GET", me, { key })).status,
    (await askAt(neighbour.url, "GET", me, { key })).status,
  ];
  clock.advance(hours(1) - 1);
  assert.deepEqual(await both(), [200, 200]);
  clock.advance(1);
  assert.deepEqual(await both(), [401, 401]);
});

test("[TOK2] whoever is gone has no tokens, on another process within a second", async () => {
  await using neighbour = await house.openSecondServer();
  const userId = await personIn(house, platform, "admin");
  const program = await programIn(house, platform, { userId });
  const key = program.access_token;
  assert.equal((await askAt(neighbour.url, "GET", me, { key })).status, 200);
  const { organization_id } = platform;
  await house.world.db.tx((tx) => endTokensOfUser(tx, house.world, organization_id, userId));
  const since = performance.now();
  assert.equal((await house.ask("GET", me, { key })).status, 401);
  await expectDeathWithinASecond(neighbour.url, me, { key }, since);
  refusalOf(await refresh(house, program.refresh_token ?? ""), 400, "invalid_grant");
});

test("[TOK2] an archived service account has none", async () => {
  const account = await accountIn(house, platform, "admin");
  const { secret: key } = await tokenOfAccount(house, platform, account, ["org:admin"]);
  assert.equal((await house.ask("GET", me, { key })).status, 200);
  await change(sql`update service_accounts set archived_at = now() where id = ${account}`);
  assert.match(sentenceOf(await house.ask("GET", me, { key }), 401), /archived/);
});

test("[TOK3] scopes give what they say and nothing else", async () => {
  const userId = await personIn(house, platform, "admin");
  const given = async (...scopes: string[]) =>
    statuses((await programIn(house, platform, { userId, scopes })).access_token);
  assert.deepEqual(await given("org:admin"), [200, 200, 403, 403]);
  assert.deepEqual(await given("workspace:developer"), [403, 200, 200, 200]);
  assert.deepEqual(await given("workspace:inference"), [403, 200, 200, 403]);
  assert.deepEqual(await given("org:admin", "workspace:inference"), [200, 200, 200, 403]);
  assert.deepEqual(await given(), [403, 403, 403, 403]);
  assert.deepEqual(await given("everything"), [403, 403, 403, 403]);
});

test("[TOK3] a scope gives no more than the person's present role", async () => {
  const userId = await personIn(house, platform, "admin");
  const scopes = ["org:admin", "workspace:developer"];
  const { access_token: key } = await programIn(house, platform, { userId, scopes });
  const members = () => house.ask("GET", "/v1/organizations/users", { key });
  assert.equal((await members()).status, 200);
  await change(sql`update users set role = 'user' where id = ${userId}`);
  assert.equal((await members()).status, 403);
  assert.deepEqual(await statuses(key), [403, 200, 200, 200]);
});

test("[TOK3] org:admin is worth nothing in the hands of who only manages members", async () => {
  const { enterprise } = house.organizations;
  const userId = await personIn(house, enterprise, "owner");
  const { access_token: key } = await programIn(house, enterprise, {
    userId,
    scopes: ["org:admin"],
  });
  const members = () => house.ask("GET", "/v1/organizations/users", { key });
  assert.equal((await members()).status, 200);
  await change(sql`update users set role = 'membership_admin' where id = ${userId}`);
  const sentence = sentenceOf(await members(), 403);
  assert.match(sentence, /has the scope org:admin, but .* is no administrator or owner any more/);
  assert.match(sentence, /permission members:read; ask an administrator/);
});

test("[TOK4] org:admin of a service account holds while its role is admin", async () => {
  const account = await accountIn(house, platform, "admin");
  const scopes = ["org:admin", "workspace:inference"];
  const token = await tokenOfAccount(house, platform, account, scopes, platform.workspace_id);
  assert.deepEqual(await statuses(token.secret), [200, 200, 200, 403]);
  await change(sql`
    update service_accounts set organization_role = 'developer' where id = ${account}`);
  assert.deepEqual(await statuses(token.secret), [403, 200, 200, 403]);
});

test("[TOK4] in a workspace it works while it is a member there, and that one lives", async () => {
  const account = await accountIn(house, platform);
  const workspace = await workspaceIn(platform);
  const scopes = ["workspace:developer"];
  const { secret: key } = await tokenOfAccount(house, platform, account, scopes, workspace);
  const asked = () => house.ask("GET", "/v1/models", { key });
  assert.match(sentenceOf(await asked(), 401), /no member/);
  await change(sql`
    insert into service_account_workspaces
      (organization_id, service_account_id, workspace_id, workspace_role, created_at)
    values (${platform.organization_id}, ${account}, ${workspace}, 'workspace_user', now())`);
  const answer = await asked();
  assert.equal(answer.status, 200);
  assert.equal((await archiveWorkspace(workspace)).status, 200);
  assert.match(sentenceOf(await asked(), 401), /archived/);
});

test("[TOK5] a token of one workspace works in no other", async () => {
  const account = await accountIn(house, platform);
  const elsewhere = await workspaceIn(platform);
  const scopes = ["workspace:developer"];
  const { workspace_id } = platform;
  const own = await tokenOfAccount(house, platform, account, scopes, workspace_id);
  const named = await house.ask("POST", "/v1/messages", { key: own.secret, body: message });
  assert.equal(named.headers.get("anthropic-workspace-id"), workspace_id);
  const headers = { "anthropic-workspace-id": elsewhere };
  assert.deepEqual(await statuses(own.secret, headers), [403, 403, 403, 403]);
});

test("[TOK5] a person's, neither: and only while the person may work there", async () => {
  const userId = await personIn(house, platform, "developer");
  const workspaceId = await workspaceIn(platform);
  const body = { user_id: userId, workspace_role: "workspace_developer" };
  const path = `/console/api/workspaces/${workspaceId}/members`;
  await house.ask("POST", path, { cookie: platform.cookie, body });
  const scopes = ["workspace:developer"];
  const { access_token: key } = await programIn(house, platform, { userId, scopes, workspaceId });
  const asked = () => house.ask("POST", "/v1/messages", { key, body: message });
  assert.equal((await asked()).headers.get("anthropic-workspace-id"), workspaceId);
  await house.ask("DELETE", `${path}/${userId}`, { cookie: platform.cookie });
  assert.match(sentenceOf(await asked(), 404), /no workspace/);
});

test("[TOK11] what has ended is deleted by and by", async () => {
  const tenant = timed.organizations.platform;
  const userId = await personIn(timed, tenant, "admin");
  const { refresh_token = "" } = await programIn(timed, tenant, { userId });
  await refresh(timed, nearly(refresh_token));
  const count = async (table: string) => {
    const [row] = await timed.world.db.query<{ count: number }>({
      text: `select count(*)::int as count from ${table}`,
      values: [],
    });
    return row?.count;
  };
  const tables = ["access_tokens", "token_families", "refresh_tokens", "token_refusals"];
  for (const table of tables) assert.ok(Number(await count(table)) > 0, table);
  // The tokens of the house's own making live for eight hours.
  clock.advance(hours(9) + minutes(1));
  await sweep(timed, schedules);
  assert.equal(await count("access_tokens"), 0);
  assert.ok(Number(await count("token_families")) > 0, "a refresh token lives longer");
  clock.advance(hours(31 * 24));
  await sweep(timed, schedules);
  for (const table of tables) assert.equal(await count(table), 0, table);
});

test("[TOK12] the audit log names whom a token speaks for", async () => {
  const userId = await personIn(house, platform, "admin");
  const program = await programIn(house, platform, { userId });
  const account = await accountIn(house, platform, "admin");
  const token = await tokenOfAccount(house, platform, account, ["org:admin"]);
  for (const key of [program.access_token, token.secret]) {
    const body = { name: "Made by a token" };
    assert.equal(
      (await house.ask("POST", "/v1/organizations/workspaces", { key, body })).status,
      200,
    );
  }
  const actors = (await eventsOf(house, platform))
    .filter(({ action }) => action === "workspace.created")
    .slice(0, 2)
    .map(({ actor }) => [actor.type, actor.id]);
  assert.deepEqual(actors, [
    ["service_account", account],
    ["user", userId],
  ]);
});
