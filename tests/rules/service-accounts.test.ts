// Rules SVA1 to SVA7, over HTTP.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House, type Tenant } from "../house.ts";
import {
  createResource,
  makeAccount,
  openFederationSetup,
  slug,
  type CreatedResource,
} from "./federation-house.ts";
import { sentenceOf } from "./support.ts";
import { accountIn, personIn, programIn, tokenOfAccount } from "./tokens-house.ts";

let house: House;
let platform: Tenant;
let other: Tenant;
before(async () => {
  house = await openHouse();
  ({ platform, other } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());

const base = "/v1/organizations/service_accounts";
const ask = (method: string, path: string, body?: unknown, tenant = platform) =>
  house.ask(method, path, { cookie: tenant.cookie, body });
const workspaceIn = (tenant = platform) =>
  createResource(house, tenant, "workspaces", { name: slug("Apart") });
const role = { workspace_role: "workspace_developer" };

test("[SVA1] a name is a slug, one live account has it, and it stays", async () => {
  const first = await makeAccount(house, platform, {
    name: "deploy-bot",
    description: " Deploys ",
  });
  assert.match(first.id, /^svac_/);
  assert.deepEqual(
    [first.name, first["description"], first["organization_role"], first["archived_at"]],
    ["deploy-bot", "Deploys", "developer", null],
  );
  const again = await ask("POST", base, { name: "deploy-bot" });
  assert.match(sentenceOf(again, 409), /^name: .*deploy-bot/);
  assert.equal(again.headers.get("x-should-retry"), "false");
  assert.equal((await ask("POST", base, { name: "deploy-bot" }, other)).status, 200);
  for (const name of ["", "Deploy", "a b", "a_b", "ä", "x".repeat(65)])
    assert.match(sentenceOf(await ask("POST", base, { name }), 400), /^name/, name);
  assert.match(sentenceOf(await ask("POST", `${base}/${first.id}`, { name: "new" }), 400), /^name/);
  await ask("POST", `${base}/${first.id}/archive`);
  assert.equal((await ask("POST", base, { name: "deploy-bot" })).status, 200, "the name is free");
});

test("[SVA1] a description is replaced, kept, and cleared with null, which leaves an empty text", async () => {
  const { id } = await makeAccount(house, platform, { description: "Deploys" });
  const descriptionAfter = async (body: object) => {
    const { body: account } = await ask("POST", `${base}/${id}`, body);
    assert.equal((await ask("GET", `${base}/${id}`)).body.description, account.description);
    return account.description;
  };
  assert.equal(await descriptionAfter({ description: "Deploys the shop" }), "Deploys the shop");
  assert.equal(await descriptionAfter({ organization_role: "developer" }), "Deploys the shop");
  assert.equal(await descriptionAfter({ description: null }), "");
  assert.equal(await descriptionAfter({ description: " " }), "");
  const without = await makeAccount(house, platform);
  assert.equal(without["description"], null);
});

test("[SVA1] of eight at once exactly one gets the name", async () => {
  const name = slug("race");
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask("POST", base, { name })));
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  assert.deepEqual(statuses, [200, 409, 409, 409, 409, 409, 409, 409]);
});

test("[SVA2] administrators are made by people, not by service accounts", async () => {
  const account = await accountIn(house, platform, "admin");
  const { secret: key } = await tokenOfAccount(house, platform, account, ["org:admin"]);
  const userId = await personIn(house, platform, "admin");
  const { access_token } = await programIn(house, platform, { userId });
  const admin = () => ({ name: slug("admin"), organization_role: "admin" });
  const withKey = (path: string, key: string, body: object) =>
    house.ask("POST", path, { key, body });
  assert.match(sentenceOf(await withKey(base, key, admin()), 403), /person/);
  const made = await withKey(base, key, { name: slug("worker") });
  assert.deepEqual([made.status, made.body.created_by_actor_id], [200, account]);
  const path = `${base}/${made.body.id}`;
  assert.equal((await withKey(path, key, { organization_role: "admin" })).status, 403);
  assert.equal((await withKey(path, key, { organization_role: "developer" })).status, 200);
  const byPerson = await withKey(base, access_token, admin());
  assert.deepEqual([byPerson.status, byPerson.body.created_by_actor_id], [200, userId]);
  assert.equal((await ask("POST", base, admin())).status, 200);
  assert.equal((await ask("POST", path, { organization_role: "admin" })).status, 200);
  // Also where nothing would change.
  assert.equal((await withKey(path, key, { organization_role: "admin" })).status, 403);
});

test("[SVA3] archived once, for ever; not while a rule targets it", async () => {
  const { account, rule } = await openFederationSetup(house, platform);
  const path = `${base}/${account.id}`;
  assert.match(sentenceOf(await ask("POST", `${path}/archive`), 400), new RegExp(rule.name));
  await ask("POST", `/v1/organizations/federation_rules/${rule.id}/archive`);
  const scopes = ["workspace:developer"];
  const { workspace_id } = platform;
  const { secret: key } = await tokenOfAccount(house, platform, account.id, scopes, workspace_id);
  assert.equal((await house.ask("GET", "/v1/models", { key })).status, 200);
  const archived = await ask("POST", `${path}/archive`);
  assert.equal(archived.status, 200);
  assert.equal((await house.ask("GET", "/v1/models", { key })).status, 401);
  assert.deepEqual((await ask("POST", `${path}/archive`)).body, archived.body);
  assert.match(sentenceOf(await ask("POST", path, { description: "x" }), 400), /archived/);
  assert.equal((await ask("GET", path)).body.archived_at, archived.body.archived_at);
  const listed = async (query: string) =>
    ((await ask("GET", `${base}?limit=1000${query}`)).body.data as CreatedResource[]).some(
      ({ id }) => id === account.id,
    );
  assert.deepEqual([await listed(""), await listed("&include_archived=true")], [false, true]);
});

test("[SVA4] two mirrors of one membership; adding it again replaces the role", async () => {
  const account = await makeAccount(house, platform);
  const workspace = await workspaceIn();
  const ofAccount = `${base}/${account.id}/workspaces`;
  const ofWorkspace = `/v1/organizations/workspaces/${workspace.id}/service_accounts`;
  const added = await ask("POST", ofAccount, { workspace_id: workspace.id, ...role });
  const member = {
    type: "service_account_workspace_member",
    service_account_id: account.id,
    workspace_id: workspace.id,
    workspace_role: "workspace_developer",
    implicit: false,
  };
  assert.deepEqual(
    { ...added.body, created_by_actor_id: undefined },
    { ...member, created_by_actor_id: undefined },
  );
  assert.deepEqual((await ask("GET", `${ofWorkspace}/${account.id}`)).body, added.body);
  const body = { service_account_id: account.id, workspace_role: "workspace_admin" };
  assert.equal((await ask("POST", ofWorkspace, body)).body.workspace_role, "workspace_admin");
  const changed = await ask("POST", `${ofWorkspace}/${account.id}`, {
    workspace_role: "workspace_user",
  });
  assert.equal(changed.body.workspace_role, "workspace_user");
  const billing = { ...body, workspace_role: "workspace_billing" };
  assert.match(sentenceOf(await ask("POST", ofWorkspace, billing), 400), /workspace_role/);
  const deleted = {
    type: "service_account_workspace_member_deleted",
    service_account_id: account.id,
    workspace_id: workspace.id,
  };
  for (const path of [`${ofAccount}/${workspace.id}`, `${ofWorkspace}/${account.id}`])
    assert.deepEqual((await ask("DELETE", path)).body, deleted, "a repetition does no harm");
  assert.equal((await ask("GET", `${ofWorkspace}/${account.id}`)).status, 404);
  const gone = await ask("POST", `${ofWorkspace}/${account.id}`, role);
  assert.equal(gone.status, 404, "what is not there is not changed");
});

test("[SVA4] the default workspace has every account, without a row", async () => {
  const account = await makeAccount(house, platform);
  const { workspace_id } = platform;
  const ofAccount = `${base}/${account.id}/workspaces`;
  const ofWorkspace = `/v1/organizations/workspaces/${workspace_id}/service_accounts`;
  const workspace = await workspaceIn();
  await ask("POST", ofAccount, { workspace_id: workspace.id, ...role });
  const list = async (query = "") =>
    ((await ask("GET", ofAccount + query)).body.data as CreatedResource[]).map(
      (each) => [each["workspace_id"], each["workspace_role"], each["implicit"]] as unknown[],
    );
  const implicit = [workspace_id, "workspace_user", true];
  const own = [workspace.id, "workspace_developer", false];
  assert.deepEqual(await list(), [implicit, own]);
  assert.deepEqual(await list("?limit=1"), [implicit, own]);
  assert.equal((await ask("GET", `${ofWorkspace}/${account.id}`)).body.implicit, true);
  const inWorkspace = async () =>
    ((await ask("GET", `${ofWorkspace}?limit=1000`)).body.data as CreatedResource[]).some(
      (each) => each["service_account_id"] === account.id,
    );
  assert.equal(await inWorkspace(), false);
  assert.equal((await ask("DELETE", `${ofWorkspace}/${account.id}`)).status, 200);
  assert.deepEqual(await list(), [implicit, own]);
  assert.equal((await ask("POST", `${ofWorkspace}/${account.id}`, role)).status, 404);
  await ask("POST", ofAccount, { workspace_id, ...role });
  assert.equal(await inWorkspace(), true);
  assert.deepEqual(
    new Set(await list()),
    new Set([[workspace_id, "workspace_developer", false], own]),
  );
  await ask("DELETE", `${ofAccount}/${workspace_id}`);
  assert.deepEqual(await list(), [implicit, own]);
});

test("[SVA5] archived workspaces and accounts have no memberships to change", async () => {
  const account = await makeAccount(house, platform);
  const workspace = await workspaceIn();
  const ofAccount = `${base}/${account.id}/workspaces`;
  const ofWorkspace = `/v1/organizations/workspaces/${workspace.id}/service_accounts`;
  await ask("POST", ofAccount, { workspace_id: workspace.id, ...role });
  const second = await workspaceIn();
  await ask("POST", `/v1/organizations/workspaces/${second.id}/archive`);
  const late = { workspace_id: second.id, ...role };
  assert.match(sentenceOf(await ask("POST", ofAccount, late), 400), /archived/);
  const inSecond = `/v1/organizations/workspaces/${second.id}/service_accounts`;
  for (const [method, path] of [
    ["GET", inSecond],
    ["GET", `${inSecond}/${account.id}`],
    ["DELETE", `${inSecond}/${account.id}`],
  ] as const)
    assert.match(sentenceOf(await ask(method, path), 400), /archived/, `${method} ${path}`);
  await ask("POST", `${base}/${account.id}/archive`);
  assert.deepEqual((await ask("GET", ofAccount)).body, { data: [], next_page: null });
  assert.deepEqual((await ask("GET", ofWorkspace)).body.data, []);
  assert.equal((await ask("GET", `${ofWorkspace}/${account.id}`)).status, 404);
  const again = await ask("POST", ofAccount, { workspace_id: workspace.id, ...role });
  assert.match(sentenceOf(again, 400), /archived/);
});

test("[SVA6] keys are refused, tokens with org:admin and the console are not", async () => {
  const paths = [
    base,
    "/v1/organizations/federation_issuers",
    "/v1/organizations/federation_rules",
  ];
  const scoped = async (...scopes: string[]) => {
    const userId = await personIn(house, platform, "admin");
    return (await programIn(house, platform, { userId, scopes })).access_token;
  };
  const developer = await scoped("workspace:developer");
  const admin = await scoped("org:admin");
  for (const path of paths) {
    const sentence = sentenceOf(await house.ask("GET", path, { key: platform.admin_api_key }), 403);
    assert.match(sentence, /access token with the scope org:admin/);
    assert.doesNotMatch(sentence, /without the permission/);
    assert.equal((await house.ask("GET", path, { key: platform.api_key })).status, 403);
    assert.equal((await house.ask("GET", path, { key: developer })).status, 403);
    assert.equal((await house.ask("GET", path, { key: admin })).status, 200);
    assert.equal((await ask("GET", path)).status, 200);
  }
});

test("[SVA7] what is another organization's is absent", async () => {
  const theirs = await makeAccount(house, other);
  const account = await makeAccount(house, platform);
  const { workspace_id } = other;
  for (const [method, path, body] of [
    ["GET", `${base}/${theirs.id}`, undefined],
    ["POST", `${base}/${theirs.id}`, { description: "x" }],
    ["POST", `${base}/${theirs.id}/archive`, undefined],
    ["GET", `${base}/${theirs.id}/workspaces`, undefined],
    ["POST", `${base}/${account.id}/workspaces`, { workspace_id, ...role }],
    ["GET", `/v1/organizations/workspaces/${workspace_id}/service_accounts`, undefined],
  ] as const)
    assert.equal((await ask(method, path, body)).status, 404, `${method} ${path}`);
  const { data } = (await ask("GET", `${base}?limit=1000&include_archived=true`)).body;
  assert.ok(!JSON.stringify(data).includes(theirs.id));
});
