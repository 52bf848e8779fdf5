// The page of service accounts: a journey of an administrator, what others see, and its looks on desk and phone.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { createResource, makeAccount, openFederationSetup } from "../rules/federation-house.ts";
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
  openSelect,
} from "./person.ts";

let house: House;
let browser: Browsers;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const path = "/console/service-accounts";
const ask = (method: string, rest: string) =>
  house.ask(method, `/v1/organizations/service_accounts${rest}`, {
    cookie: house.organizations.platform.cookie,
  });
const makeWorkspace = async (name: string): Promise<string> => {
  const { cookie } = house.organizations.platform;
  const answer = await house.ask("POST", "/console/api/workspaces", { cookie, body: { name } });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.id;
};

test("an account is made with a role, works in workspaces, and is archived", async () => {
  const search = await makeWorkspace("Search");
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/");
  await goKeys(page, "s");
  await page.getByRole("heading", { name: "Service accounts", exact: true }).waitFor();
  await page.getByText("Make one for each workload").waitFor();
  await expectAccessible(page);
  await picture(page, "service-accounts-empty");
  await page.keyboard.press("n");
  const dialog = dialogOn(page);
  await dialog.getByLabel("Name").fill("Deploy bot");
  assert.equal(await dialog.getByLabel("Name").inputValue(), "deploy-bot");
  await dialog.getByLabel("Description").fill("Pipelines of the shop");
  await dialog.getByRole("radio", { name: /Administrator/ }).check();
  await dialog.getByRole("button", { name: "Create service account" }).click();
  await page.getByRole("heading", { name: "deploy-bot", exact: true }).waitFor();
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  const { body: made } = await ask("GET", `/${id}`);
  assert.deepEqual(
    [made.name, made.description, made.organization_role],
    ["deploy-bot", "Pipelines of the shop", "admin"],
  );

  await row(page, "Default").getByText("User", { exact: true }).waitFor();
  assert.equal(await row(page, "Default").getByRole("button").count(), 0);
  await page.getByRole("button", { name: "Add to a workspace" }).click();
  const workspaces = await openSelect(dialog.getByLabel("Workspace"));
  await workspaces.filter({ hasText: "Search" }).waitFor();
  assert.deepEqual(await workspaces.allInnerTexts(), ["Choose one", "Search"]);
  await page.keyboard.press("Escape");
  await workspaces.first().waitFor({ state: "hidden" });
  await select(dialog.getByLabel("Workspace"), "Search");
  await dialog.getByRole("radio", { name: /^Developer/ }).check();
  await dialog.getByRole("button", { name: "Add to the workspace" }).click();
  await row(page, "Search").getByText("Developer", { exact: true }).waitFor();
  await pick(page.getByRole("button", { name: "Change Search" }), "Change the role");
  await dialog.getByRole("radio", { name: /Administrator/ }).check();
  await dialog.getByRole("button", { name: "Change the role" }).click();
  await row(page, "Search").getByText("Administrator").waitFor();
  const { body: members } = await ask("GET", `/${id}/workspaces`);
  assert.deepEqual(
    members.data.map((each: Record<string, unknown>) => [
      each["workspace_id"],
      each["workspace_role"],
    ]),
    [
      [house.organizations.platform.workspace_id, "workspace_user"],
      [search, "workspace_admin"],
    ],
  );
  await pick(page.getByRole("button", { name: "Change Search" }), "Remove");
  await dialog.getByText("end within a second").waitFor();
  await dialog.getByRole("button", { name: "Take it out" }).click();
  await dialog.waitFor({ state: "detached" });
  await row(page, "Search").waitFor({ state: "detached" });

  await pick(page.getByRole("button", { name: "More for this service account" }), "Archive");
  await dialog.getByText("ends at once").waitFor();
  await dialog.getByRole("button", { name: "Archive service account" }).click();
  await page.getByText("its tokens have ended").waitFor();
  assert.equal(await page.getByRole("button", { name: "Edit" }).count(), 0);
  await page.getByRole("link", { name: "All service accounts" }).click();
  await page.getByText("No service accounts yet").waitFor();
  await page.getByLabel("Show archived").check();
  await row(page, "deploy-bot").getByText("Archived").waitFor();
  assert.deepEqual(session.problems, []);
});

test("an account that a rule targets is not archived, and the rule is one press away", async () => {
  const { platform } = house.organizations;
  const { account, rule } = await openFederationSetup(house, platform);
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  await pick(page.getByRole("button", { name: `Change ${account.name}` }), "Archive");
  const dialog = dialogOn(page);
  const link = dialog.getByRole("link", { name: rule.name });
  assert.equal(await link.getAttribute("href"), `/console/federation/${rule.id}`);
  assert.ok(await dialog.getByRole("button", { name: "Archive service account" }).isDisabled());
  await picture(page, "service-account-held");
  await createResource(house, platform, `federation_rules/${rule.id}/archive`, {});
  await dialog.getByRole("button", { name: "Keep it" }).click();
  await page.reload();
  await pick(page.getByRole("button", { name: `Change ${account.name}` }), "Archive");
  await dialog.getByRole("button", { name: "Archive service account" }).click();
  await dialog.waitFor({ state: "detached" });
  await row(page, account.name).waitFor({ state: "detached" });
  assert.notEqual((await ask("GET", `/${account.id}`)).body.archived_at, null);
  assert.deepEqual(session.problems, []);
});

test("an organization of another type has no page of them", async () => {
  for (const tenant of ["enterprise", "cloud"] as const) {
    await using session = await openOwnerSession(browser, house, {}, tenant);
    const { page } = session;
    await open(page, house.url, "/console/");
    const navigation = page.getByRole("navigation").first();
    await navigation.getByRole("link", { name: "Sign-in methods" }).waitFor();
    assert.equal(await navigation.getByRole("link", { name: "Service accounts" }).count(), 0);
  }
});

for (const { width, scheme } of looks) {
  test(`service accounts at ${width} pixels, ${scheme}`, async () => {
    const { platform } = house.organizations;
    const { account, rule } = await openFederationSetup(house, platform, {
      account: { organization_role: "admin", description: "Pipelines of the shop" },
    });
    await makeAccount(house, platform);
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    const look = async (name: string) => {
      await picture(page, `${name}-${width}-${scheme}`);
      await expectFits(page);
      await expectAccessible(page);
    };
    await open(page, house.url, path);
    await row(page, account.name).waitFor();
    await look("service-accounts");
    await page.getByRole("button", { name: "New service account" }).click();
    await dialogOn(page).getByLabel("Name").waitFor();
    await look("service-account-new");
    await open(page, house.url, `${path}/${account.id}`);
    await page.getByRole("link", { name: rule.name }).waitFor();
    await row(page, "Default").waitFor();
    await look("service-account");
    await page.getByRole("button", { name: "Add to a workspace" }).click();
    await dialogOn(page).getByLabel("Workspace").waitFor();
    await look("service-account-add");
  });
}
