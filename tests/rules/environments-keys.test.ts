// Rules ENV20 to ENV23: keys of self-hosted environments, over HTTP and by the face that finds them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { findEnvironmentKey } from "../../server/environments/module.ts";
import { limits } from "../../server/environments/limits.ts";
import { openHouse, type House } from "../house.ts";
import { environmentsOf, type EnvironmentKey } from "./environments-house.ts";
import { errorOf } from "./memory-house.ts";
import { nearly, sentenceOf } from "./support.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());
const env = environmentsOf(() => house);
const find = (secret: string) => findEnvironmentKey(house.world.db, secret);

test("[ENV20] a key's secret is shown once, and kept as a hash", async () => {
  const { id } = await env.makeHosted();
  const { secret, ...key } = await env.makeKey(id, { name: " Worker of the lab " });
  assert.match(secret, /^sk-plinth-env-[0-9A-Za-z]{49}$/);
  assert.match(key.id, /^envkey_\w+$/);
  assert.deepEqual(
    [key.type, key.environment_id, key.name, key.revoked_at],
    ["environment_key", id, "Worker of the lab", null],
  );
  assert.match(key.created_by, /^apikey_/);
  assert.ok(secret.startsWith(key.partial_key_hint.split("...")[0] ?? "-"));
  assert.deepEqual(await env.all<EnvironmentKey>(`/${id}/keys`), [key]);
  const rows = await house.world.db.query<{ row: string }>(
    sql`select environment_keys::text as row from environment_keys where id = ${key.id}`,
  );
  assert.equal(rows.length, 1);
  assert.ok(!rows[0]?.row.includes(secret));
  assert.ok(!JSON.stringify(house.log).includes(secret));
  const unnamed = await env.good<EnvironmentKey>("POST", `/${id}/keys`);
  assert.equal(unnamed.name, null);
});

test("[ENV20] a cloud environment has no keys, and names have their rules", async () => {
  const cloud = await env.make();
  const answer = await env.call("POST", `/${cloud.id}/keys`, { body: {} });
  assert.match(sentenceOf(answer, 400), /is a cloud environment/);
  const { id } = await env.makeHosted();
  for (const name of ["", "a\nb", "a".repeat(201)]) {
    const answer = await env.call("POST", `/${id}/keys`, { body: { name } });
    assert.match(sentenceOf(answer, 400), /^name: /);
  }
  assert.equal((await env.makeKey(id, { name: "a".repeat(200) })).name?.length, 200);
});

test("[ENV21] a key is found by its secret alone, revoked or not", async () => {
  const { organization_id, workspace_id, api_key } = house.organizations.platform;
  const { id } = await env.makeHosted();
  const { id: keyId, secret } = await env.makeKey(id);
  const known = {
    id: keyId,
    name: null,
    organizationId: organization_id,
    organizationType: "platform",
    workspaceId: workspace_id,
    environmentId: id,
    revokedAt: null,
  };
  assert.deepEqual(await find(secret), known);
  for (const text of [nearly(secret), "", api_key, secret.replace("env", "api"), ` ${secret}`])
    assert.equal(await find(text), undefined);
  const { revoked_at } = await env.good<EnvironmentKey>("POST", `/${id}/keys/${keyId}/revoke`);
  assert.deepEqual(await find(secret), { ...known, revokedAt: new Date(revoked_at ?? "") });
  await env.good("DELETE", `/${id}`);
  assert.equal(await find(secret), undefined);
});

test("[ENV22] a revoked key stays revoked, and on the list", async () => {
  const { id } = await env.makeHosted();
  const ids: string[] = [];
  for (let at = 0; at < 3; at++) ids.unshift((await env.makeKey(id)).id);
  const revoke = () => env.good<EnvironmentKey>("POST", `/${id}/keys/${ids[1]}/revoke`);
  const revoked = await revoke();
  assert.notEqual(revoked.revoked_at, null);
  assert.deepEqual(await revoke(), revoked);
  const listed = await env.all<EnvironmentKey>(`/${id}/keys`, { limit: 1 });
  assert.deepEqual(
    listed.map((key) => [key.id, key.revoked_at]),
    [
      [ids[0], null],
      [ids[1], revoked.revoked_at],
      [ids[2], null],
    ],
  );
  errorOf(await env.call("POST", `/${id}/keys/envkey_none/revoke`), 404);
});

test("[ENV23] an environment has at most as many live keys as it may", async () => {
  const { id } = await env.makeHosted();
  const first = await env.makeKey(id);
  const { keysPerEnvironment: most } = limits;
  const more = Array.from({ length: most + 1 }, () =>
    env.call("POST", `/${id}/keys`, { body: {} }),
  );
  const refused = (await Promise.all(more)).filter(({ status }) => status !== 200);
  assert.equal(refused.length, 2);
  for (const answer of refused) errorOf(answer, 400, "environment_key_limit_exceeded");
  await env.good("POST", `/${id}/keys/${first.id}/revoke`);
  await env.makeKey(id);
});

test("[ENV24] an admin key makes, lists and revokes keys, and does nothing else of environments", async () => {
  const { admin_api_key: key, workspace_id } = house.organizations.platform;
  const { id } = await env.makeHosted();
  const made = await env.makeKey(id, {}, { key });
  const headers = { "anthropic-workspace-id": workspace_id };
  const listed = await env.good<{ data: EnvironmentKey[] }>("GET", `/${id}/keys`, { key, headers });
  assert.deepEqual(
    listed.data.map((each) => each.id),
    [made.id],
  );
  const revoked = await env.good<EnvironmentKey>("POST", `/${id}/keys/${made.id}/revoke`, { key });
  assert.notEqual(revoked.revoked_at, null);
  errorOf(await env.call("GET", `/${id}`, { key }), 403);
  errorOf(await env.call("POST", `/${id}/check`, { key }), 403);
});
