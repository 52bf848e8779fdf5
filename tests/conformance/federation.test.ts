// The official client signs in by federation and by refresh tokens, and manages service accounts, issuers and rules.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { sql } from "../../kernel/sql/statement.ts";
import { verdictsOf } from "../../server/keys/module.ts";
import { startIdentityProvider } from "../identity-provider/start.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import {
  newKey,
  openFederationSetup,
  localNetwork,
  sign,
  type FederationSetup,
} from "../rules/federation-house.ts";
import { clientId, personIn, programIn } from "../rules/tokens-house.ts";
import { queryPosted } from "../posted.ts";

let house: House;
let platform: Tenant;
let directory: string;
before(async () => {
  house = await openHouse({ sections: localNetwork });
  ({ platform } = house.organizations);
  directory = mkdtempSync(join(tmpdir(), "plinth-federation-"));
});
after(async () => {
  rmSync(directory, { recursive: true, force: true });
  await house[Symbol.asyncDispose]();
});

const variables = [
  "ANTHROPIC_FEDERATION_RULE_ID",
  "ANTHROPIC_ORGANIZATION_ID",
  "ANTHROPIC_IDENTITY_TOKEN_FILE",
  "ANTHROPIC_SERVICE_ACCOUNT_ID",
  "ANTHROPIC_WORKSPACE_ID",
  "ANTHROPIC_CONFIG_DIR",
] as const;
afterEach(() => {
  for (const name of variables) delete process.env[name];
});

/** The client with its own transport, which notes what goes out. */
function clientOf(options: ConstructorParameters<typeof Anthropic>[0] = {}) {
  const seen: string[] = [];
  const noting: typeof fetch = (input, init) => {
    seen.push(new URL(input instanceof Request ? input.url : input).pathname);
    return fetch(input, init);
  };
  const client = new Anthropic({ baseURL: house.url, fetch: noting, maxRetries: 0, ...options });
  return { client, seen };
}

const hello = {
  model: "sim-small",
  max_tokens: 16,
  messages: [{ role: "user" as const, content: "Hello" }],
};

/** As a workload has it: a file that its platform writes, and variables that say what it is for. */
async function workload(
  setting: FederationSetup,
  more: Record<string, unknown> = {},
): Promise<string> {
  const file = join(directory, `token-${setting.rule.id}`);
  writeFileSync(file, await sign(setting.key, setting.claims(more)), { mode: 0o600 });
  process.env["ANTHROPIC_FEDERATION_RULE_ID"] = setting.rule.id;
  process.env["ANTHROPIC_ORGANIZATION_ID"] = platform.organization_id;
  process.env["ANTHROPIC_IDENTITY_TOKEN_FILE"] = file;
  process.env["ANTHROPIC_SERVICE_ACCOUNT_ID"] = setting.account.id;
  process.env["ANTHROPIC_CONFIG_DIR"] = join(directory, "nothing-here");
  return file;
}

const tokensOf = ({ account }: FederationSetup) =>
  house.world.db.query<{ id: string }>(
    sql`select id from access_tokens where service_account_id = ${account.id} order by id`,
  );

test("a workload signs in with a token of a real provider, a file and the variables, once for many requests", async () => {
  await using provider = await startIdentityProvider();
  const issuer = { issuer_url: provider.issuer, jwks: { type: "discovery" } };
  const setting = await openFederationSetup(house, platform, { issuer });
  const file = await workload(setting);
  writeFileSync(file, await provider.mint(setting.claims()));
  process.env["ANTHROPIC_WORKSPACE_ID"] = "default";
  const { client, seen } = clientOf();
  const { _request_id, content } = await client.messages.create(hello);
  assert.match(_request_id ?? "", /^req_/);
  assert.equal(content[0]?.type, "text");
  await Promise.all([client.models.list(), client.messages.countTokens(hello)]);
  assert.equal(seen.filter((path) => path === "/v1/oauth/token").length, 1);
  const [row] = await queryPosted(
    house.world.db,
    sql`
    select user_id from ledger where organization_id = ${platform.organization_id}
    order by at desc limit 1`,
  );
  assert.deepEqual(row, { user_id: setting.account.id });
  // A new key at the provider: the keys are fetched again at once.
  await provider.rotate();
  writeFileSync(file, await provider.mint(setting.claims()));
  await clientOf().client.messages.create(hello);
});

test("a 401 makes exactly one new exchange, with what the file holds by then", async () => {
  const setting = await openFederationSetup(house, platform);
  const file = await workload(setting);
  const { client, seen } = clientOf({ maxRetries: 2 });
  await client.models.list();
  // The token is revoked while its client believes in it.
  await house.world.db.tx(async (tx) => {
    await tx.query(sql`delete from access_tokens where service_account_id = ${setting.account.id}`);
    await verdictsOf(house.world).revoke(tx);
  });
  writeFileSync(file, await sign(setting.key, setting.claims()));
  seen.length = 0;
  await client.models.list();
  assert.deepEqual(seen, ["/v1/models", "/v1/oauth/token", "/v1/models"]);
  assert.equal((await tokensOf(setting)).length, 1);
});

test("a token that is about to end is renewed in the background", async () => {
  const setting = await openFederationSetup(house, platform, {
    rule: { token_lifetime_seconds: 100 },
  });
  const file = await workload(setting);
  const { client, seen } = clientOf();
  await client.models.list();
  writeFileSync(file, await sign(setting.key, setting.claims()));
  await client.models.list();
  for (;;) {
    if ((await tokensOf(setting)).length === 2) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.equal(seen.filter((path) => path === "/v1/models").length, 2);
});

test("a refused exchange says why, with the id of the request, and what to do", async () => {
  const setting = await openFederationSetup(house, platform);
  await workload(setting, { sub: "somebody else" });
  const { client } = clientOf();
  await assert.rejects(
    async () => void (await client.models.list()),
    (error: Error) => {
      assert.match(error.message, /status 401 \(request-id req_\w+\)/);
      assert.match(error.message, /invalid_grant.*does not match the federation rule/);
      assert.match(error.message, /Ensure your federation rule matches/);
      return true;
    },
  );
});

test("a person's program refreshes its token, and writes the new pair", async () => {
  const userId = await personIn(house, platform, "admin");
  const program = await programIn(house, platform, { userId, scopes: ["workspace:developer"] });
  const path = join(directory, "credentials.json");
  writeFileSync(
    path,
    JSON.stringify({
      version: "1.0",
      type: "oauth_token",
      access_token: program.access_token,
      refresh_token: program.refresh_token,
      expires_at: Math.floor(Date.now() / 1000) - 1,
    }),
    { mode: 0o600 },
  );
  const { client, seen } = clientOf({
    config: {
      workspace_id: platform.workspace_id,
      authentication: { type: "user_oauth", client_id: clientId, credentials_path: path },
    },
  });
  await client.messages.create(hello);
  assert.deepEqual(seen, ["/v1/oauth/token", "/v1/messages"]);
  const kept = JSON.parse(readFileSync(path, "utf8")) as Record<string, string>;
  assert.notEqual(kept["refresh_token"], program.refresh_token);
  assert.match(kept["access_token"] ?? "", /^sk-plinth-oat-/);
});

const administrator = async () => {
  const userId = await personIn(house, platform, "admin");
  const { access_token: authToken } = await programIn(house, platform, { userId });
  return { client: clientOf({ authToken }).client, userId };
};

for (const namespace of ["plain", "beta"] as const)
  test(`service accounts, issuers and rules are managed from the client (${namespace})`, async () => {
    const { client, userId } = await administrator();
    const organization = (
      namespace === "plain" ? client.organization : client.beta.organization
    ) as Anthropic["organization"];
    const { serviceAccounts, federation, workspaces } = organization;
    const account = await serviceAccounts.create({ name: `bot-${namespace}` });
    assert.deepEqual([account.type, account.created_by_actor_id], ["service_account", userId]);
    await serviceAccounts.update(account.id, { description: "Deploys" });
    assert.equal((await serviceAccounts.retrieve(account.id)).description, "Deploys");
    const { workspace_id } = platform;
    await serviceAccounts.workspaces.add(account.id, {
      workspace_id,
      workspace_role: "workspace_developer",
    });
    const seen: string[] = [];
    for await (const member of serviceAccounts.workspaces.list(account.id, { limit: 1 }))
      seen.push(member.workspace_id);
    assert.deepEqual(seen, [workspace_id]);
    const mirror = workspaces.serviceAccounts;
    assert.equal((await mirror.retrieve(account.id, { workspace_id })).implicit, false);
    await mirror.update(account.id, { workspace_id, workspace_role: "workspace_user" });
    const removed = await mirror.remove(account.id, { workspace_id });
    assert.equal(removed.type, "service_account_workspace_member_deleted");
    const issuer = await federation.issuers.create({
      name: `issuer-${namespace}`,
      issuer_url: "https://issuer.example",
      jwks: { type: "inline", keys: [(await newKey()).jwk] },
    });
    await federation.issuers.update(issuer.id, { max_jwt_lifetime_seconds: 600 });
    assert.equal((await federation.issuers.retrieve(issuer.id)).max_jwt_lifetime_seconds, 600);
    const rule = await federation.rules.create({
      name: `rule-${namespace}`,
      issuer_id: issuer.id,
      match: { subject_prefix: "repo:us/*" },
      target: { type: "service_account", service_account_id: account.id },
      oauth_scope: "workspace:inference",
      workspace_id,
    });
    await federation.rules.update(rule.id, { token_lifetime_seconds: 60 });
    const listed: string[] = [];
    for await (const each of federation.rules.list({ issuer_id: issuer.id })) listed.push(each.id);
    assert.deepEqual(listed, [rule.id]);
    const [entry] = (await federation.rules.workspaces.list(rule.id)).data;
    assert.equal(entry?.workspace_name, "Default");
    await assert.rejects(
      federation.rules.workspaces.remove(workspace_id, { federation_rule_id: rule.id }),
      Anthropic.BadRequestError,
    );
    await assert.rejects(serviceAccounts.archive(account.id), Anthropic.BadRequestError);
    await federation.rules.archive(rule.id);
    await federation.issuers.archive(issuer.id);
    assert.ok((await serviceAccounts.archive(account.id)).archived_at);
    await assert.rejects(
      clientOf({ apiKey: platform.admin_api_key }).client.organization.serviceAccounts.list(),
      Anthropic.PermissionDeniedError,
    );
  });
