// Rules IDN13 and IDN18, over HTTP: which workspace a request works in, and in whose name.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House, type Tenant } from "../house.ts";
import { sentenceOf } from "./support.ts";
import { queryPosted } from "../posted.ts";

let house: House;
let platform: Tenant;
let other: Tenant;
before(async () => {
  house = await openHouse();
  ({ platform, other } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());

const body = {
  model: "sim-small",
  max_tokens: 8,
  messages: [{ role: "user", content: "[[tokens 1]]" }],
};

const ask = (
  credential: { key?: string; cookie?: string },
  workspace?: string,
  path = "/v1/messages",
) =>
  house.ask(path === "/v1/messages" ? "POST" : "GET", path, {
    ...credential,
    ...(path === "/v1/messages" && { body }),
    ...(workspace !== undefined && { headers: { "anthropic-workspace-id": workspace } }),
  });

async function addWorkspace(organization: string, id: string, archived = false): Promise<string> {
  await house.world.db.tx((tx) =>
    tx.query({
      text: `insert into workspaces (id, organization_id, name, is_default, created_at, archived_at)
             values ($1, $2, $1, false, now(), $3)`,
      values: [id, organization, archived ? new Date() : null],
    }),
  );
  return id;
}

const chargedIn = async (workspace: string): Promise<number> => {
  const rows = await queryPosted<{ hops: number }>(house.world.db, {
    text: "select count(*)::int as hops from ledger where workspace_id = $1",
    values: [workspace],
  });
  return rows[0]?.hops ?? 0;
};

test("[IDN13] a console sign-in works in the default workspace, or in the one that it names", async () => {
  const { cookie, organization_id, workspace_id } = platform;
  const second = await addWorkspace(organization_id, "wrkspc_second");
  const plain = await ask({ cookie });
  assert.equal(plain.status, 200, JSON.stringify(plain.body));
  assert.equal(plain.headers.get("anthropic-workspace-id"), workspace_id);
  const before = await chargedIn(workspace_id);
  const named = await ask({ cookie }, second);
  assert.equal(named.status, 200, JSON.stringify(named.body));
  assert.equal(named.headers.get("anthropic-workspace-id"), second);
  assert.deepEqual([await chargedIn(second), await chargedIn(workspace_id)], [1, before]);
});

test("[IDN13] a workspace of another organization is absent, an archived one is named", async () => {
  const { cookie, organization_id } = platform;
  for (const id of [other.workspace_id, "wrkspc_nobody", "x".repeat(5_000)])
    assert.match(sentenceOf(await ask({ cookie }, id), 404), /workspace/);
  const old = await addWorkspace(organization_id, "wrkspc_old", true);
  assert.match(sentenceOf(await ask({ cookie }, old), 400), /wrkspc_old is archived/);
});

test("[IDN13] a key of a workspace may name its own, and no other", async () => {
  const { api_key: key, workspace_id } = platform;
  assert.equal((await ask({ key }, workspace_id)).status, 200);
  for (const path of ["/v1/messages", "/v1/models"])
    assert.match(sentenceOf(await ask({ key }, other.workspace_id, path), 403), /belongs to/);
});

test("[IDN13] what is not done in a workspace takes no notice of the header", async () => {
  const { cookie, admin_api_key: key } = platform;
  for (const credential of [{ cookie }, { key }])
    assert.equal((await ask(credential, "wrkspc_nobody", "/v1/organizations/me")).status, 200);
});

test("[IDN13] the page of another site cannot spend with the cookie", async () => {
  const answer = await house.ask("POST", "/v1/messages", {
    headers: { cookie: platform.cookie, origin: "https://elsewhere.example" },
    body,
  });
  assert.match(sentenceOf(answer, 403), /the console's own pages/);
});

test("[IDN18] a page of one person does nothing in the name of another", async () => {
  const { cookie } = platform;
  const create = (person: string) =>
    house.ask("POST", "/console/api/workspaces", {
      cookie,
      headers: { "plinth-person": person },
      body: { name: "In whose name?" },
    });
  const { body: me } = await house.ask("GET", "/console/api/me", { cookie });
  const refused = await create("user_of_the_page_before");
  assert.equal(sentenceOf(refused, 401).includes("Another person"), true);
  assert.equal(refused.body.error.details.error_code, "another_person");
  const { body } = await house.ask("GET", "/console/api/workspaces?limit=100", { cookie });
  assert.ok(!JSON.stringify(body).includes("In whose name?"));
  assert.equal((await create(me.user.id)).status, 200);
});
