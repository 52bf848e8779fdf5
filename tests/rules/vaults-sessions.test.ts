// Rules VLT10 to VLT13: the vaults of sessions.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { credentialsForServer } from "../../server/vaults/module.ts";
import { openHouse, type House } from "../house.ts";
import { errorOf } from "./memory-house.ts";
import { sessionsOf } from "./sessions-house.ts";
import { sentenceOf } from "./support.ts";
import { bearer, oauth, server, variable, vaultsOf } from "./vaults-house.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());
const vaults = vaultsOf(() => house);
const sessions = sessionsOf(() => house);
const begin = async (...vault_ids: string[]) =>
  sessions.call("POST", "", { body: { ...(await sessions.bodyOf()), vault_ids } });

test("[VLT10] a session shows the vaults that it was made with, in their order", async () => {
  const [one, two] = [await vaults.make(), await vaults.make()];
  await vaults.add(one.id, bearer());
  const { status, body } = await begin(two.id, one.id);
  assert.equal(status, 200, JSON.stringify(body));
  const { id, vault_ids } = body as { id: string; vault_ids: string[] };
  assert.deepEqual(vault_ids, [two.id, one.id]);
  assert.deepEqual((await sessions.read(id)).vault_ids, [two.id, one.id]);
  const listed = await sessions.good<{ data: { id: string }[] }>("GET", `?vault_id=${one.id}`);
  assert.deepEqual(
    listed.data.map((session) => session.id),
    [id],
  );
  const none = await sessions.good<{ data: unknown[] }>("GET", "?vault_id=vlt_none");
  assert.deepEqual(none.data, []);
  const changed = await sessions.call("POST", `/${id}`, { body: { vault_ids: [one.id] } });
  assert.match(sentenceOf(changed, 400), /^vault_ids: /);
});

test("[VLT10] vaults that are not there, archived, or named twice are refused", async () => {
  const { id } = await vaults.make();
  assert.match(sentenceOf(await begin(id, id), 400), /^vault_ids: .* named twice/);
  errorOf(await begin(id, "vlt_nothing"), 404, "vault_not_found");
  const foreign = await vaults.make({}, { key: house.organizations.other.api_key });
  errorOf(await begin(foreign.id), 404, "vault_not_found");
  const many = Array.from({ length: 51 }, (_, n) => `vlt_${n}`);
  assert.match(sentenceOf(await begin(...many), 400), /^vault_ids: must have at most 50/);
  await vaults.good("POST", `/${id}/archive`);
  errorOf(await begin(id), 400, "vault_archived");
});

test("[VLT11] two credentials for one server are refused, and both are named", async () => {
  const [one, two] = [await vaults.make(), await vaults.make()];
  const first = await vaults.add(one.id, bearer());
  const second = await vaults.add(two.id, oauth({ mcp_server_url: `${server}#`.slice(0, -1) }));
  const { message } = errorOf(await begin(one.id, two.id), 400, "vault_credential_conflict");
  for (const id of [first.id, second.id, server]) assert.ok(message.includes(id), message);
  await vaults.good("POST", `/${two.id}/credentials/${second.id}/archive`);
  assert.equal((await begin(one.id, two.id)).status, 200);
});

test("[VLT11] two credentials for one variable are refused, and both are named", async () => {
  const [one, two] = [await vaults.make(), await vaults.make()];
  const [first, second] = [
    await vaults.add(one.id, variable()),
    await vaults.add(two.id, variable()),
  ];
  const { message } = errorOf(await begin(one.id, two.id), 400, "vault_credential_conflict");
  for (const part of [first.id, second.id, "API_KEY"]) assert.ok(message.includes(part), message);
  assert.equal((await begin(one.id)).status, 200);
});

test("[VLT13] a session finds what is live for a server when it looks", async () => {
  const [one, two] = [await vaults.make(), await vaults.make()];
  const [row] = await house.world.db.query<{ id: string }>(
    sql`select workspace_id as id from vaults where id = ${one.id}`,
  );
  const session = { workspaceId: row?.id ?? "", vaultIds: [two.id, one.id] };
  const find = (url: string) => credentialsForServer(house.world.db, session, url);
  assert.deepEqual(await find(server), []);
  const first = await vaults.add(one.id, bearer());
  assert.deepEqual(await find("https://MCP.example.com:443/mcp"), [
    { workspaceId: row?.id, vaultId: one.id, id: first.id },
  ]);
  const second = await vaults.add(two.id, bearer());
  const idsOf = async () => (await find(server)).map((each) => each.id);
  assert.deepEqual(await idsOf(), [second.id, first.id]);
  await vaults.good("POST", `/${two.id}/archive`);
  assert.deepEqual(await idsOf(), [first.id]);
  const elsewhere = { ...session, workspaceId: "wrkspc_other" };
  assert.deepEqual(await credentialsForServer(house.world.db, elsewhere, server), []);
  await vaults.good("DELETE", `/${one.id}`);
  assert.deepEqual(await idsOf(), []);
});
