// Rules VLT1 to VLT9, over HTTP: vaults themselves.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type ManualClock, makeManualClock, systemClock } from "../../kernel/base/clock.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { routes } from "../../server/app.ts";
import { limits } from "../../server/vaults/limits.ts";
import { openHouse, type House } from "../house.ts";
import { errorOf } from "./memory-house.ts";
import { eventsOf, minutes, sentenceOf } from "./support.ts";
import { bearer, managedAgents, vaultsOf, type Credential } from "./vaults-house.ts";

const wall: ManualClock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
let house: House;
before(async () => {
  house = await openHouse({ clock: { ...systemClock, now: () => wall.now() } });
});
after(() => house[Symbol.asyncDispose]());
const vaults = vaultsOf(() => house);
const now = () => wall.now().toISOString();

test("[VLT1] a new vault is as it was asked for, and read so again", async () => {
  const plain = await vaults.make();
  assert.match(plain.id, /^vlt_\w+$/);
  assert.deepEqual(plain, {
    id: plain.id,
    type: "vault",
    display_name: "secrets",
    metadata: {},
    created_at: now(),
    updated_at: now(),
    archived_at: null,
  });
  assert.deepEqual(await vaults.good("GET", `/${plain.id}`), plain);
  const wrong: [body: object, sentence: RegExp][] = [
    [{}, /^display_name: /],
    [{ display_name: "" }, /^display_name: /],
    [{ display_name: "a".repeat(256) }, /^display_name: must have at most 255 characters/],
    [{ display_name: "a\nb" }, /^display_name: /],
    [{ display_name: "a", name: "b" }, /^name: /],
    [{ display_name: "a", metadata: { "": "1" } }, /^metadata: each key/],
    [{ display_name: "a", metadata: { k: "v".repeat(513) } }, /^metadata\.k: /],
  ];
  for (const [body, sentence] of wrong)
    assert.match(sentenceOf(await vaults.call("POST", "", { body }), 400), sentence);
  await vaults.make({ display_name: "😀".repeat(255) });
});

test("[VLT2] an update changes what it names", async () => {
  const made = await vaults.make({ metadata: { team: "red", year: "2026" } });
  wall.advance(minutes(1));
  const path = `/${made.id}`;
  const same = await vaults.good("POST", path, { body: { ...made } });
  assert.deepEqual(same, made);
  const body = { display_name: "other", metadata: { team: null, place: "here" } };
  const changed = await vaults.good("POST", path, { body });
  const metadata = { year: "2026", place: "here" };
  assert.deepEqual(changed, { ...made, display_name: "other", metadata, updated_at: now() });
  assert.deepEqual(await vaults.good("POST", path, { body: { display_name: null } }), changed);
  const other = await vaults.call("POST", path, { body: { id: "vlt_other" } });
  assert.match(sentenceOf(other, 400), /^id: /);
});

test("[VLT3] archiving is for good, destroys the secrets, and archives the credentials", async () => {
  const { id } = await vaults.make();
  const made = await vaults.add(id, bearer());
  wall.advance(minutes(1));
  const archived = await vaults.good("POST", `/${id}/archive`);
  assert.equal(archived.archived_at, now());
  assert.deepEqual(await vaults.good("POST", `/${id}/archive`), archived);
  assert.equal((await vaults.read(made)).archived_at, now());
  const [row] = await house.world.db.query<{ secret: string | null }>(
    sql`select secret from vault_credentials where id = ${made.id}`,
  );
  assert.deepEqual(row, { secret: null });
  const late = [
    await vaults.call("POST", `/${id}`, { body: { display_name: "x" } }),
    await vaults.tryAdd(id, bearer({ mcp_server_url: "https://other.example.com/" })),
  ];
  for (const answer of late) errorOf(answer, 400, "vault_archived");
  assert.deepEqual(await vaults.good("DELETE", `/${id}`), { id, type: "vault_deleted" });
});

test("[VLT4] a deleted vault is gone with its credentials", async () => {
  const { id } = await vaults.make();
  const made = await vaults.add(id, bearer());
  await vaults.good("DELETE", `/${id}`);
  const gone = ["GET", "POST", "DELETE"].map((method) =>
    vaults.call(method, `/${id}`, method === "POST" ? { body: {} } : {}),
  );
  for (const answer of await Promise.all(gone)) errorOf(answer, 404);
  errorOf(await vaults.call("GET", `/${id}/credentials`), 404);
  errorOf(await vaults.call("GET", `/${id}/credentials/${made.id}`), 404);
  const rows = await house.world.db.query(
    sql`select id from vault_credentials where vault_id = ${id}`,
  );
  assert.deepEqual(rows, []);
});

test("[VLT5] vaults are listed newest first, archived ones where they are asked for", async () => {
  const made = [await vaults.make(), await vaults.make(), await vaults.make()];
  await vaults.good("POST", `/${made[1]?.id}/archive`);
  const ids = made.map(({ id }) => id).toReversed();
  const open = (await vaults.all("", { limit: 1 })).map(({ id }) => id);
  assert.deepEqual(open.slice(0, 2), [ids[0], ids[2]]);
  const all = (await vaults.all("", { limit: 2, include_archived: true })).map(({ id }) => id);
  assert.deepEqual(all.slice(0, 3), ids);
  assert.match(sentenceOf(await vaults.call("GET", "?page=x"), 400), /^page: /);
});

test("[VLT6] a workspace has only so many vaults, and a vault so many credentials", async () => {
  const { organization_id: organization, api_key: key } = house.organizations.other;
  const first = await vaults.make({}, { key });
  await house.world.db.tx((tx) =>
    tx.query(sql`
      insert into vaults (id, organization_id, workspace_id, display_name, metadata, created_at, updated_at)
      select 'vlt_' || n, ${organization}, workspace_id, 'x', '{}', now(), now()
      from vaults, generate_series(1, ${limits.vaultsPerWorkspace - 2}) as n where id = ${first.id}`),
  );
  await vaults.make({}, { key });
  const beyond = await vaults.call("POST", "", { key, body: { display_name: "x" } });
  assert.match(errorOf(beyond, 400, "vault_limit_exceeded").message, /10000 are allowed/);
  const { id } = await vaults.make();
  const at = (n: number) => bearer({ mcp_server_url: `https://mcp.example.com/${n}` });
  const made: Credential[] = [];
  for (let n = 0; n < limits.credentialsPerVault; n++) made.push(await vaults.add(id, at(n)));
  errorOf(await vaults.tryAdd(id, at(99)), 400, "vault_credential_limit_exceeded");
  await vaults.good("POST", `/${id}/credentials/${made[0]?.id}/archive`);
  await vaults.add(id, at(99));
});

test("[VLT7] each request names the beta", async () => {
  const { api_key: key } = house.organizations.platform;
  for (const { operation, method, path } of routes) {
    if (!operation.startsWith("vaults.")) continue;
    const answer = await house.ask(method, path.replaceAll(/\{\w+\}/g, "x"), { key });
    assert.match(sentenceOf(answer, 400), new RegExp(managedAgents["vendor-beta"]), operation);
  }
});

test("[VLT8] to another workspace it does not exist, nor do its credentials", async () => {
  const { id } = await vaults.make();
  const { id: credential } = await vaults.add(id, bearer());
  const key = house.organizations.other.api_key;
  for (const { operation, method, path } of routes) {
    if (!operation.startsWith("vaults.") || !path.includes("{vault_id}")) continue;
    const own = path.replace("{vault_id}", id).replace("{credential_id}", credential);
    const body = operation === "vaults.credentials.create" ? { auth: bearer() } : {};
    const asking = { key, headers: managedAgents, ...(method === "POST" && { body }) };
    errorOf(await house.ask(method, own, asking), 404);
  }
  const listed = await vaults.all("", {}, { key });
  assert.equal(
    listed.some((vault) => vault.id === id),
    false,
  );
});

test("[VLT9] changes leave events without secrets, which name the fields", async () => {
  const { id } = await vaults.make();
  const made = await vaults.add(id, bearer({ token: "planted-secret" }));
  await vaults.change(made, { auth: { type: "static_bearer", token: "planted-other" } });
  await vaults.change(made, { display_name: "New", metadata: { a: "1" } });
  await vaults.good("POST", `/${id}/credentials/${made.id}/archive`);
  await vaults.good("DELETE", `/${id}/credentials/${made.id}`);
  const events = (await eventsOf(house, house.organizations.platform)).filter(
    ({ target }) => target?.id === made.id,
  );
  assert.deepEqual(
    events.map(({ action }) => action),
    ["deleted", "archived", "updated", "updated", "created"].map(
      (verb) => `vault_credential.${verb}`,
    ),
  );
  const text = JSON.stringify(events);
  assert.match(text, /"fields":\["auth\.token"\]/);
  assert.match(text, /"fields":\["display_name","metadata"\]/);
  assert.doesNotMatch(text, /planted/);
});
