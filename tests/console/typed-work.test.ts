// What a person has typed, or sees only once: it is left only after a question, and is sent in their name alone.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { openHouse, type House } from "../house.ts";
import { dialogOn } from "./batches.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { goKeys } from "./browser.ts";
import { chooseWorkspace, inDialog, open, openOwnerSession, signIn } from "./person.ts";

let house: House;
let browser: Browsers;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const workspaces = async () => {
  const { cookie } = house.organizations.platform;
  const { body } = await house.ask("GET", "/console/api/workspaces?limit=100", { cookie });
  return body.data as { id: string; name: string }[];
};

async function addWorkspace(name: string): Promise<string> {
  const { cookie } = house.organizations.platform;
  const { body } = await house.ask("POST", "/console/api/workspaces", { cookie, body: { name } });
  return body.id;
}

async function typeNewWorkspace(page: Page, name: string): Promise<void> {
  await open(page, house.url, "/console/account");
  await page.getByRole("link", { name: "Workspaces" }).click();
  await page.getByRole("button", { name: "New workspace" }).click();
  await inDialog(page);
  await dialogOn(page).getByLabel("Name").fill(name);
}

const question = (page: Page, title: string | RegExp) => page.getByRole("dialog", { name: title });

test("a form with something typed in it asks before it goes, by whichever way", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await typeNewWorkspace(page, "Half a name");
  const name = page.getByRole("dialog", { name: "New workspace" }).getByLabel("Name");
  const asked = question(page, "Leave without saving?");
  const leave: (() => Promise<unknown>)[] = [
    () => page.keyboard.press("Escape"),
    () => page.mouse.click(5, 5),
    () => page.goBack(),
  ];
  for (const way of leave) {
    await way();
    await asked.getByRole("button", { name: "Stay" }).click();
    await asked.waitFor({ state: "detached" });
    assert.equal(await name.inputValue(), "Half a name");
  }
  await page.keyboard.press("Escape");
  await asked.getByRole("button", { name: "Leave without saving" }).click();
  await name.waitFor({ state: "detached" });
  assert.deepEqual(session.problems, []);
});

test("a form is not left while it is sent, and goes by itself then", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await typeNewWorkspace(page, "Slow one");
  const held = Promise.withResolvers<void>();
  await page.route("**/console/api/workspaces", async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  assert.equal(await page.getByRole("button", { name: "Cancel" }).isDisabled(), true);
  held.resolve();
  await page.getByText("Slow one is there").waitFor();
  await dialogOn(page).waitFor({ state: "detached" });
  assert.deepEqual(session.problems, []);
});

test("a secret that was not copied is left only after a question", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/account");
  await page.getByRole("link", { name: "API keys" }).click();
  await page.getByRole("button", { name: "Create key" }).click();
  await dialogOn(page).getByLabel("Name").fill("Kept");
  await dialogOn(page).getByRole("button", { name: "Create key" }).click();
  await question(page, "The secret of Kept").waitFor();
  await page.goBack();
  const asked = question(page, "Leave without the secret?");
  await asked.getByRole("button", { name: "Stay" }).click();
  await question(page, "The secret of Kept").getByLabel("I have stored this secret").check();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText("Kept", { exact: true }).waitFor();
  assert.deepEqual(session.problems, []);
});

test("what one person has typed is not sent in the name of the next", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page, context } = session;
  await typeNewWorkspace(page, "Typed by the first");
  const second = await context.newPage();
  await context.clearCookies();
  await signIn(second, house.url, house.organizations.other);
  await page.bringToFront();
  await page.getByRole("button", { name: "Create workspace" }).click();
  await page.getByText("Another person has signed in here.").waitFor();
  const { cookie } = house.organizations.other;
  const { body } = await house.ask("GET", "/console/api/workspaces?limit=100", { cookie });
  assert.ok(!JSON.stringify(body).includes("Typed by the first"));
  assert.ok(!JSON.stringify(await workspaces()).includes("Typed by the first"));
  await session.expect(/401/);
  assert.deepEqual(session.problems, []);
});

test("what another person changed meanwhile stays, where a form did not touch it", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const id = await addWorkspace("Before");
  await open(page, house.url, `/console/workspaces/${id}`);
  await page.getByRole("button", { name: "Edit" }).click();
  await dialogOn(page).getByRole("radio", { name: "Red" }).dispatchEvent("click");
  const { cookie } = house.organizations.platform;
  const body = { name: "Renamed meanwhile" };
  await house.ask("POST", `/console/api/workspaces/${id}`, { cookie, body });
  await dialogOn(page).getByRole("button", { name: "Save" }).click();
  await dialogOn(page).waitFor({ state: "detached" });
  const found = (await workspaces()).find((each) => each.id === id);
  assert.equal(found?.name, "Renamed meanwhile");
  assert.deepEqual(session.problems, []);
});

test("each workspace stands in the address, the default one too; one that is not theirs is told of", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const research = await addWorkspace("Research");
  const { workspace_id: home } = house.organizations.platform;
  await open(page, house.url, "/console/batches");
  await page.waitForURL(`**/batches?workspace=${home}`);
  await chooseWorkspace(page, "Research");
  await page.waitForURL(`**/batches?workspace=${research}`);
  await page.goBack();
  await page.waitForURL(`**/batches?workspace=${home}`);
  await open(page, house.url, "/console/batches?workspace=wrkspc_nothing");
  await page.getByRole("heading", { name: "No such workspace" }).waitFor();
  await page.getByRole("button", { name: "Go on in Default" }).click();
  await page.waitForURL(`**/batches?workspace=${home}`);
  await page.getByText("No batches yet").waitFor();
  assert.deepEqual(session.problems, []);
});

test("rows without a page are entered at their acts, and the row that was opened has the focus again", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const { admin_api_key: key } = house.organizations.platform;
  const body = { email: "asked@example.com", role: "user" };
  const invited = await house.ask("POST", "/v1/organizations/invites", { key, body });
  assert.equal(invited.status, 200, JSON.stringify(invited.body));
  await open(page, house.url, "/console/members?tab=invites");
  await page.getByText("asked@example.com").waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("menu").waitFor();
  await page.keyboard.press("Escape");
  await goKeys(page, "w");
  await page.getByRole("heading", { name: "Workspaces" }).waitFor();
  await page.getByRole("link", { name: "Default" }).waitFor();
  for (let row = 0; row < 2; row++) await page.keyboard.press("j");
  const name = await page.locator(":focus").innerText();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name }).waitFor();
  await page.goBack();
  await page.locator(":focus", { hasText: name }).waitFor();
  assert.deepEqual(session.problems, []);
});
