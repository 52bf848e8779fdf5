// The pages of federation: from the first issuer to a token that is tested, what stops and is refused, and their looks.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import {
  createResource,
  makeAccount,
  makeIssuer,
  newKey,
  openFederationSetup,
  localNetwork,
  sign,
  type SigningKey,
} from "../rules/federation-house.ts";
import { dialogOn, row } from "./batches.ts";
import { goKeys, openBrowser, type Browsers } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  looks,
  open,
  openOwnerSession,
  picture,
  pick,
  select,
} from "./person.ts";

let house: House;
let browser: Browsers;
let platform: Tenant;
let key: SigningKey;
before(async () => {
  [house, browser, key] = await Promise.all([
    openHouse({ sections: localNetwork }),
    openBrowser(),
    newKey(),
  ]);
  ({ platform } = house.organizations);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const path = "/console/federation";
const read = async (noun: string) =>
  (await house.ask("GET", `/v1/organizations/${noun}`, { cookie: platform.cookie })).body;
const keySet = () => JSON.stringify({ keys: [key.jwk] });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

test("an issuer, a rule from a preset that is completed, and the variables to copy", async () => {
  const account = await makeAccount(house, platform);
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/");
  await goKeys(page, "t");
  await page.getByText("No secret in the pipeline").waitFor();
  await picture(page, "federation-empty");
  await expectAccessible(page);
  await page.keyboard.press("n");
  const dialog = dialogOn(page);
  assert.equal(
    await dialog.getByLabel("Issuer URL").inputValue(),
    "https://token.actions.githubusercontent.com",
  );
  await select(dialog.getByLabel("Where its keys come from"), "Given here");
  await dialog.getByLabel("Keys", { exact: true }).fill("no keys");
  await button(page, "Register issuer").click();
  await dialog.getByText("Keys: paste the key set").waitFor();
  await dialog.getByLabel("Keys", { exact: true }).fill(keySet());
  await button(page, "Register issuer").click();
  await row(page, "github").getByText("1 key", { exact: true }).waitFor();
  const [issuer] = (await read("federation_issuers")).data;
  assert.deepEqual([issuer.check_jti, issuer.max_jwt_lifetime_seconds], [true, 3600]);
  assert.deepEqual(issuer.jwks, { type: "inline", keys: [key.jwk] });

  await page.getByText("No rules yet").waitFor();
  await dialog.waitFor({ state: "detached" });
  await page.keyboard.press("n");
  assert.ok(await dialog.getByRole("radio", { name: /GitHub Actions/ }).isChecked());
  await dialog.getByLabel("Name", { exact: true }).fill("shop-main");
  await select(dialog.getByLabel("Service account", { exact: true }), account.name);
  await button(page, "Create rule").click();
  await dialog.getByText("Put what is yours in the place of <owner-id>.").waitFor();
  await dialog.getByLabel("Value 1").fill("1234567");
  await button(page, "Create rule").click();
  await dialog.getByText("in the place of <repository-id>.").waitFor();
  await dialog.getByLabel("Value 2").fill("");
  await button(page, "Create rule").click();
  await dialog.getByText("Say what the claim repository_id must be").waitFor();
  await dialog.getByLabel("Value 2").fill("7654321");
  await button(page, "Create rule").click();
  await page.getByRole("heading", { level: 1, name: "shop-main" }).waitFor();
  const [rule] = (await read("federation_rules")).data;
  assert.deepEqual(rule.match, {
    subject_prefix: null,
    claims: { repository_owner_id: "1234567", repository_id: "7654321", ref: "refs/heads/main" },
    condition: null,
    audience: null,
  });
  assert.deepEqual(
    [rule.oauth_scope, rule.target.service_account_id, rule.workspace_ids],
    ["workspace:developer", account.id, [platform.workspace_id]],
  );
  await page.getByRole("tab", { name: "Environment" }).click();
  const code = await page.getByRole("region", { name: "Exchange, Environment" }).textContent();
  for (const line of [
    `export ANTHROPIC_BASE_URL="${house.url}"`,
    `export ANTHROPIC_FEDERATION_RULE_ID="${rule.id}"`,
    `export ANTHROPIC_ORGANIZATION_ID="${platform.organization_id}"`,
    "export ANTHROPIC_IDENTITY_TOKEN_FILE=",
  ])
    assert.ok(code?.includes(line), `${line} is not in ${code}`);
  assert.ok(!code?.includes("ANTHROPIC_WORKSPACE_ID"), "one workspace needs no word");
  assert.deepEqual(session.problems, []);
});

test("a cluster's preset makes a rule that lets that account in and no other", async () => {
  const account = await makeAccount(house, platform);
  const issuer = await makeIssuer(house, platform, {
    issuer_url: "https://kubernetes.default.svc.cluster.local",
    jwks: { type: "inline", keys: [key.jwk] },
  });
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  await page.getByRole("heading", { name: "Issuers" }).waitFor();
  await page.keyboard.press("n");
  const dialog = dialogOn(page);
  await select(dialog.getByLabel("Issuer", { exact: true }), issuer.id);
  assert.ok(await dialog.getByRole("radio", { name: /Kubernetes/ }).isChecked());
  await dialog.getByLabel("Name", { exact: true }).fill("shop-worker");
  await dialog.getByLabel("Subject").fill("system:serviceaccount:shop:worker");
  const condition = dialog.getByLabel("Condition");
  await condition.fill((await condition.inputValue()).replace("<uid>", "uid-1"));
  await select(dialog.getByLabel("Service account", { exact: true }), account.name);
  await dialog.getByRole("radio", { name: /In all of the account's/ }).check();
  await button(page, "Create rule").click();
  await page.getByRole("heading", { level: 1, name: "shop-worker" }).waitFor();
  // It has words of its own for what the page has, too.
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByText('{ name: ANTHROPIC_WORKSPACE_ID, value: "default" }').waitFor();
  const now = Math.floor(house.world.clock.now().getTime() / 1000);
  for (const [uid, outcome] of [
    ["uid-1", "It would be exchanged, for a token that works in Default"],
    ["uid-2", "It would be refused: one check fails."],
  ] as const) {
    const token = await sign(key, {
      iss: issuer["issuer_url"],
      sub: "system:serviceaccount:shop:worker",
      aud: house.world.publicUrl,
      iat: now,
      exp: now + 600,
      "kubernetes.io": { serviceaccount: { uid } },
    });
    await page.getByLabel("Token").fill(token);
    await button(page, "Test token").click();
    await page.getByText(outcome).waitFor();
  }
  await page.getByText("The condition gives false.").waitFor();
  assert.deepEqual(session.problems, []);
});

test("a tested token shows each check, is not kept, and can still be exchanged once", async () => {
  const setting = await openFederationSetup(house, platform, {}, key);
  const token = await sign(key, setting.claims());
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}/${setting.rule.id}`);
  await page.getByText("Nothing was refused.").waitFor();
  const test = async (text: string) => {
    await page.getByLabel("Token").fill(text);
    await button(page, "Test token").click();
    await page.getByRole("list", { name: "Checks" }).waitFor();
    assert.equal(await page.getByLabel("Token").inputValue(), "");
    assert.ok(!(await page.content()).includes(text), "the token is shown again");
  };
  const checks = () => page.getByRole("list", { name: "Checks" }).getByRole("listitem");
  await test(token);
  await page.getByText("It would be exchanged, for a token that works in Default").waitFor();
  assert.equal(await checks().filter({ hasText: "Passed: " }).count(), 13);
  await test(await sign(key, setting.claims({ sub: "stranger" })));
  await page.getByText("It would be refused: one check fails.").waitFor();
  await checks()
    .filter({ hasText: "Failed: sub is what the rule expects" })
    .getByText('sub is "stranger"; the rule expects "workload:*".')
    .waitFor();
  await test("no token at all");
  await checks().filter({ hasText: "Failed: It is a signed JWT" }).waitFor();
  assert.equal(await checks().filter({ hasText: "Skipped: " }).count(), 10);
  assert.equal((await setting.exchange(token)).status, 200);
  assert.equal((await setting.exchange(token)).status, 401);
  await setting.present({ sub: "stranger" });
  await page.reload();
  await row(page, "the rule expects").getByText("stranger", { exact: true }).waitFor();
  await row(page, "Its jti was used.").waitFor();
  assert.deepEqual(session.problems, []);
});

test("polling that stopped starts again, and an issuer goes after its rules", async () => {
  const { issuer, rule } = await openFederationSetup(house, platform, {
    issuer: { issuer_url: "http://127.0.0.1:1" },
  });
  await house.world.db.query(sql`
    update federation_issuers
       set jwks = '{"type": "discovery"}', consecutive_failures = 12,
           last_failure = 'It did not answer.', polling_disabled_at = now()
     where id = ${issuer.id}`);
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  // The rules name their issuer, too.
  const stopped = page
    .getByRole("table", { name: "Issuers" })
    .getByRole("row")
    .filter({ hasText: issuer.name });
  await open(page, house.url, path);
  await stopped.getByText("12 failures: It did not answer.").waitFor();
  await stopped.getByText("Polling stopped").waitFor();
  await picture(page, "federation-stopped");
  await stopped.getByRole("button", { name: "Start again" }).click();
  await stopped.getByText("Polling stopped").waitFor({ state: "detached" });
  const one = await read(`federation_issuers/${issuer.id}`);
  assert.deepEqual([one.jwks_polling_disabled_at, one.poll_status.consecutive_failures], [null, 0]);

  const dialog = dialogOn(page);
  const archiveIssuer = async () => {
    await pick(page.getByRole("button", { name: `Change ${issuer.name}` }), "Archive");
    await button(page, "Archive issuer").click();
  };
  await archiveIssuer();
  await dialog.getByText(`The federation rule ${rule.name} names the issuer`).waitFor();
  await button(page, "Keep it").click();
  await page.getByRole("link", { name: rule.name }).click();
  await pick(page.getByRole("button", { name: "More for this rule" }), "Archive");
  await dialog.getByText("gives no more tokens from now on").waitFor();
  await button(page, "Archive rule").click();
  await page.getByText("it gives no more tokens").waitFor();
  assert.equal(await button(page, "Edit").count(), 0);
  await page.getByRole("link", { name: "Federation" }).last().click();
  await stopped.waitFor();
  await archiveIssuer();
  await dialog.waitFor({ state: "detached" });
  await stopped.waitFor({ state: "detached" });
  await page.getByLabel("Show archived").check();
  await row(page, rule.name).getByText("Archived").waitFor();
  await session.expect(/400/);
  assert.deepEqual(session.problems, []);
});

test("a rule is edited, and enabled for a workspace that its account still has to join", async () => {
  const { account, rule } = await openFederationSetup(house, platform, {}, key);
  const { cookie } = platform;
  const made = await house.ask("POST", "/console/api/workspaces", {
    cookie,
    body: { name: "Search" },
  });
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}/${rule.id}`);
  await select(page.getByLabel("Another workspace"), "Search");
  await button(page, "Enable").click();
  const link = page.getByRole("link", { name: `Add ${account.name} to it` });
  await link.waitFor();
  await createResource(house, platform, `service_accounts/${account.id}/workspaces`, {
    workspace_id: made.body.id,
    workspace_role: "workspace_user",
  });
  await page.reload();
  await button(page, "Remove Search").waitFor();
  assert.equal(await link.count(), 0);
  await page.getByRole("tab", { name: "Environment" }).click();
  const code = await page.getByRole("region", { name: "Exchange, Environment" }).textContent();
  const [first] = (await read(`federation_rules/${rule.id}`)).workspace_ids;
  assert.ok(code?.includes(`ANTHROPIC_WORKSPACE_ID="${first}"`), "of several, one is named");
  await page.getByText("A workload has to name one of them").waitFor();
  await button(page, "Edit").click();
  const dialog = dialogOn(page);
  await dialog.getByLabel("Description").fill("Workers of the shop");
  await dialog.getByRole("radio", { name: /Messages alone/ }).check();
  await dialog.getByLabel("Condition").fill("claims.environment ==");
  await button(page, "Save").click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel("Condition").fill("claims.environment == 'production'");
  await button(page, "Save").click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("Workers of the shop").waitFor();
  const after = await read(`federation_rules/${rule.id}`);
  assert.equal(after.oauth_scope, "workspace:inference");
  assert.equal(after.match.condition, "claims.environment == 'production'");
  assert.equal(after.match.subject_prefix, "workload:*");
  assert.deepEqual(after.workspace_ids.length, 2);
  await button(page, "Remove Search").click();
  await button(page, "Remove Search").waitFor({ state: "detached" });
  assert.deepEqual((await read(`federation_rules/${rule.id}`)).workspace_ids, [
    platform.workspace_id,
  ]);
  await session.expect(/400/);
  assert.deepEqual(session.problems, []);
});

for (const { width, scheme } of looks) {
  test(`federation at ${width} pixels, ${scheme}`, async () => {
    const setting = await openFederationSetup(house, platform, {}, key);
    await setting.present({ sub: "stranger" });
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    const look = async (name: string) => {
      await picture(page, `${name}-${width}-${scheme}`);
      await expectFits(page);
      await expectAccessible(page);
    };
    await open(page, house.url, path);
    await row(page, setting.rule.name).waitFor();
    await look("federation");
    await button(page, "Register an issuer").click();
    await dialogOn(page).getByLabel("Issuer URL").waitFor();
    await look("federation-issuer-new");
    await open(page, house.url, path);
    await button(page, "New rule").click();
    await dialogOn(page).getByLabel("Subject").waitFor();
    await look("federation-rule-new");
    await open(page, house.url, `${path}/${setting.rule.id}`);
    await row(page, "stranger").waitFor();
    await look("federation-rule");
    await page.getByLabel("Token").fill(await sign(key, setting.claims({ aud: "elsewhere" })));
    await button(page, "Test token").click();
    await page.getByRole("list", { name: "Checks" }).waitFor();
    await page.getByRole("list", { name: "Checks" }).scrollIntoViewIfNeeded();
    await look("federation-rule-tested");
  });
}
