// Rules FED7, FED9 to FED11 and FED13: what a rule may say, and who may say it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House, type Tenant } from "../house.ts";
import {
  createResource,
  makeAccount,
  makeIssuer,
  newKey,
  openFederationSetup,
  slug,
  type FederationSetup,
} from "./federation-house.ts";
import { sentenceOf } from "./support.ts";
import { accountIn, personIn, programIn, tokenOfAccount } from "./tokens-house.ts";

let house: House;
let platform: Tenant;
let other: Tenant;
let setting: FederationSetup;
before(async () => {
  house = await openHouse();
  ({ platform, other } = house.organizations);
  setting = await openFederationSetup(house, platform);
});
after(() => house[Symbol.asyncDispose]());

const rules = "/v1/organizations/federation_rules";
const ask = (
  method: string,
  path: string,
  body?: unknown,
  { cookie, key }: { cookie?: string; key?: string } = { cookie: platform.cookie },
) =>
  house.ask(method, path, {
    ...(cookie !== undefined && { cookie }),
    ...(key !== undefined && { key }),
    body,
  });
const bodyWith = (more: object = {}) => ({
  name: slug("rule"),
  issuer_id: setting.issuer.id,
  match: { subject_prefix: "workload:*" },
  target: { type: "service_account", service_account_id: setting.account.id },
  oauth_scope: "workspace:developer",
  workspace_id: platform.workspace_id,
  ...more,
});
const create = (more: object = {}, credential?: { key: string }) =>
  ask("POST", rules, bodyWith(more), credential);
const refused = async (more: object, status = 400) => sentenceOf(await create(more), status);
const matching = (match: object) => refused({ match });

test("[FED7] a rule has all that was said of it, and what was not as documented", async () => {
  const { body } = await create({ name: slug("whole"), description: " Deploys " });
  assert.match(body.id as string, /^fdrl_/);
  assert.deepEqual(
    [body.type, body.description, body.issuer_id, body.issuer_name, body.oauth_scope],
    ["federation_rule", "Deploys", setting.issuer.id, setting.issuer.name, "workspace:developer"],
  );
  assert.deepEqual(
    [body.token_lifetime_seconds, body.applies_to_all_workspaces, body.workspace_ids],
    [3600, false, [platform.workspace_id]],
  );
  assert.deepEqual(body.match, {
    subject_prefix: "workload:*",
    claims: null,
    condition: null,
    audience: null,
  });
  assert.deepEqual(body.target, {
    type: "service_account",
    service_account_id: setting.account.id,
    service_account_name: setting.account.name,
  });
  assert.deepEqual([body.workspace_id, body.attributes], [platform.workspace_id, null]);
  assert.deepEqual((await ask("GET", `${rules}/${body.id}`)).body, body);
  assert.equal((await create({ name: body.name })).status, 409);
});

test("[FED7] it is enabled somewhere, and its workspaces come and go", async () => {
  assert.match(await refused({ workspace_id: null }), /^workspace_id/);
  const all = await create({ workspace_id: null, applies_to_all_workspaces: true });
  assert.deepEqual(all.body.workspace_ids, []);
  const nowhere = await ask("POST", `${rules}/${all.body.id}`, {
    applies_to_all_workspaces: false,
  });
  assert.match(sentenceOf(nowhere, 400), /applies_to_all_workspaces/);
  const workspace = await createResource(house, platform, "workspaces", { name: slug("Apart") });
  const { body: rule } = await create();
  const path = `${rules}/${rule.id}`;
  const moved = await ask("POST", path, { workspace_id: workspace.id });
  assert.deepEqual(moved.body.workspace_ids, [workspace.id]);
  const only = await ask("DELETE", `${path}/workspaces/${workspace.id}`);
  assert.match(sentenceOf(only, 400), /no other workspace/);
  const added = await ask("POST", `${path}/workspaces`, { workspace_id: platform.workspace_id });
  assert.equal(added.body.workspace_name, null);
  const again = await ask("POST", `${path}/workspaces`, { workspace_id: platform.workspace_id });
  assert.deepEqual(again.body, added.body);
  const { data, next_page } = (await ask("GET", `${path}/workspaces`)).body;
  assert.deepEqual([data.length, next_page], [2, null]);
  assert.ok(
    (data as { workspace_name: string }[]).some(
      ({ workspace_name }) => workspace_name === workspace.name,
    ),
  );
  const several = await ask("POST", path, { workspace_id: workspace.id });
  assert.match(sentenceOf(several, 400), /2 workspaces/);
  for (const _ of [1, 2])
    assert.deepEqual((await ask("DELETE", `${path}/workspaces/${platform.workspace_id}`)).body, {
      type: "federation_rule_workspace_deleted",
      federation_rule_id: rule.id,
      workspace_id: platform.workspace_id,
    });
});

test("[FED7] match and target are replaced whole, the issuer never", async () => {
  const { body: rule } = await create({
    match: { subject_prefix: "a", claims: { b: "c" }, audience: "d" },
  });
  const path = `${rules}/${rule.id}`;
  const { body } = await ask("POST", path, { match: { claims: { e: "f" } } });
  assert.deepEqual(body.match, {
    subject_prefix: null,
    claims: { e: "f" },
    condition: null,
    audience: null,
  });
  assert.equal((await ask("POST", path, { issuer_id: setting.issuer.id })).status, 400);
  const account = await makeAccount(house, platform);
  const target = { ...rule.target, service_account_id: account.id };
  const moved = await ask("POST", path, { target });
  assert.equal(moved.body.target.service_account_name, account.name);
  const unchanged = await ask("POST", path, { description: null, name: null });
  assert.deepEqual([unchanged.body.name, unchanged.body.description], [rule.name, null]);
});

test("[FED8] a match says something", async () => {
  assert.match(await matching({}), /^match: /);
  assert.match(await matching({ audience: "a" }), /audience/);
  assert.match(await matching({ subject_prefix: "*" }), /every subject/);
  assert.match(await matching({ subject_prefix: "**", claims: { a: "b" } }), /every subject/);
  assert.match(await matching({ claims: {} }), /^match: /);
  assert.match(await matching({ claims: { a: 7 } }), /claims/);
  assert.match(await matching({ subject_prefix: null, claims: null, condition: null }), /^match: /);
});

test("[FED9] a condition is CEL over claims that is not true of every token", async () => {
  for (const [condition, sentence] of [
    ["true", /claims/],
    ["1 == 1", /claims/],
    ["true || claims.a == 'b'", /any token/],
    ["has(claims.a) || !has(claims.a)", /any token/],
    ["claims.sub == claims.sub", /any token/],
    ["claims.repository == claims['repository']", /any token/],
    ["claims.sub.startsWith('')", /any token/],
    ["claims.sub.matches('.*')", /any token/],
    ["claims != {}", /any token/],
    ["size(claims.sub) > 0 && claims.exp > claims.iat", /any token/],
    ["has(claims.sub)", /any token/],
    ["'iss' in claims", /any token/],
    ["claims.iss.contains('://')", /any token/],
    ["claims.aud == 'x' || claims.aud != 'x'", /any token/],
    ["claims.place.region == claims.place.region", /any token/],
    ["claims.", /CEL/],
    ["user.name == 'a'", /user/],
    ["size(claims.a)", /true or false/],
    [
      "claims.a.matches('(a+)+$') && 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'.matches('^(a+)+$')",
      /200 milliseconds/,
    ],
    ["x".repeat(2001), /condition/],
  ] as const)
    assert.match(await matching({ condition }), sentence, condition.slice(0, 60));
  for (const condition of [
    "claims.a == 'b'",
    "!has(claims.a)",
    "has(claims.environment)",
    "'x' in claims.groups",
    "claims.groups.exists(group, group.startsWith('ops-'))",
    "claims.sub != 'system:serviceaccount:kube-system:default'",
    "!claims.email.endsWith('@contractor.example')",
    "!claims.ref.matches('^refs/heads/release-[0-9]+$')",
    "claims.ref.matches('^refs/heads/(main|release)$')",
    "claims['kubernetes.io'].namespace == 'prod'",
    "claims.exp - claims.iat <= 900",
    "claims.iat < 1900000000",
    "claims.run_attempt < 10",
    "claims.email_verified",
    "size(claims.groups) > 1",
    "claims.a != 'x' || claims.b != 'y'",
    "timestamp(claims.time) > timestamp('2026-01-01T00:00:00Z')",
    "claims.a == 'b' ? claims.c == 'd' : claims.e != 'f'",
  ])
    assert.equal((await create({ match: { condition } })).status, 200, condition);
});

test("[FED10] rules for issuers that everybody shares say whose tokens they mean", async () => {
  const jwks = { type: "inline", keys: [(await newKey()).jwk] };
  const github = await makeIssuer(house, platform, {
    issuer_url: "https://token.actions.githubusercontent.com",
    jwks,
  });
  const status = async (match: object) => (await create({ issuer_id: github.id, match })).status;
  assert.match(
    await refused({ issuer_id: github.id, match: { claims: { ref: "refs/heads/main" } } }),
    /GitHub Actions.*repository_owner_id/,
  );
  for (const loose of [
    { subject_prefix: "repo:*" },
    { subject_prefix: "r*" },
    { condition: "claims.ref == 'refs/heads/main'" },
  ])
    assert.equal(await status(loose), 400, JSON.stringify(loose));
  for (const tight of [
    { subject_prefix: "repo:us/*" },
    { claims: { repository_owner_id: "7" } },
    { condition: "claims.repository == 'us/app'" },
  ])
    assert.equal(await status(tight), 200, JSON.stringify(tight));
  const issuer = `/v1/organizations/federation_issuers/${setting.issuer.id}`;
  const moved = await ask("POST", issuer, { issuer_url: "https://gitlab.com" });
  assert.match(sentenceOf(moved, 400), /^issuer_url/);
});

test("[FED11] tokens manage rules of workspaces alone; org:admin wants an administrator", async () => {
  const userId = await personIn(house, platform, "admin");
  const person = { key: (await programIn(house, platform, { userId })).access_token };
  const account = await accountIn(house, platform, "admin");
  const workload = { key: (await tokenOfAccount(house, platform, account, ["org:admin"])).secret };
  const admin = await makeAccount(house, platform, { organization_role: "admin" });
  const target = { type: "service_account", service_account_id: admin.id };
  const strong = { oauth_scope: "org:admin", target };
  for (const credential of [person, workload]) {
    assert.equal((await create({}, credential)).status, 200);
    assert.match(sentenceOf(await create(strong, credential), 403), /console/);
  }
  assert.match(await refused({ oauth_scope: "org:admin" }), /target.*admin/);
  assert.match(await refused({ oauth_scope: "everything" }), /^oauth_scope/);
  const { body: rule } = await create(strong);
  const path = `${rules}/${rule.id}`;
  const issuer = `/v1/organizations/federation_issuers/${setting.issuer.id}`;
  for (const [at, body] of [
    [path, { description: "x" }],
    [`${path}/archive`, undefined],
    [`${path}/workspaces`, { workspace_id: platform.workspace_id }],
    [issuer, { check_jti: false }],
  ] as const)
    assert.match(sentenceOf(await ask("POST", at, body, person), 403), /console/, at);
  const weak = (await create({}, person)).body;
  const raised = await ask("POST", `${rules}/${weak.id}`, { oauth_scope: "org:admin" }, person);
  assert.equal(raised.status, 403);
  await ask("POST", `${path}/archive`);
  assert.equal((await ask("POST", issuer, { check_jti: true }, person)).status, 200);
});

test("[FED13] what belongs to another organization is absent, in a body 400", async () => {
  const theirs = await openFederationSetup(house, other);
  for (const [method, path] of [
    ["GET", `${rules}/${theirs.rule.id}`],
    ["POST", `${rules}/${theirs.rule.id}/archive`],
    ["GET", `${rules}/${theirs.rule.id}/workspaces`],
    ["GET", `/v1/organizations/federation_issuers/${theirs.issuer.id}`],
    ["GET", `/console/api/federation_rules/${theirs.rule.id}/refusals`],
  ] as const)
    assert.equal((await ask(method, path)).status, 404, path);
  assert.match(await refused({ issuer_id: theirs.issuer.id }), /^issuer_id/);
  const target = { type: "service_account", service_account_id: theirs.account.id };
  assert.match(await refused({ target }), /^target/);
  assert.match(await refused({ workspace_id: other.workspace_id }), /^workspace_id/);
  const list = await ask("GET", `${rules}?issuer_id=${theirs.issuer.id}`);
  assert.deepEqual(list.body.data, []);
});
