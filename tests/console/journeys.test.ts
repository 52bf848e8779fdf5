// What people come to the console for, in a real browser against the real server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { openHouse, type House } from "../house.ts";
import { testTimeoutMs } from "../test-timeout.ts";
import { goKeys, openBrowser, type Browsers } from "./browser.ts";
import {
  inDialog,
  inPage,
  open,
  openMenu,
  openOwnerSession,
  pick,
  picture,
  select,
  signIn,
  until,
} from "./person.ts";
import { settled } from "./settled.ts";

let house: House;
let browser: Browsers;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const clipboard = "navigator.clipboard.readText()";
const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

async function act(page: Page, key: string, what: string): Promise<void> {
  await pick(page.getByRole("button", { name: `Change ${key}` }), what);
}

async function statusOf(key: string): Promise<number> {
  return (await house.ask("GET", "/v1/organizations/me", { key })).status;
}

/** Polls until a request with the key answers so. That it does within a second is tested where no browser is busy. */
async function comesToAnswer(key: string, status: number): Promise<void> {
  const end = performance.now() + testTimeoutMs;
  let seen = await statusOf(key);
  while (seen !== status && performance.now() < end) seen = await statusOf(key);
  assert.equal(seen, status);
}

test("a person signs in and lands on the page that was asked for", async () => {
  await using session = await browser.openSession();
  const { page } = session;
  await signIn(page, house.url, house.organizations.platform, "/console/keys?status=active");
  await settled(page);
  assert.equal(await page.title(), "API keys · Plinth");
  assert.equal(await page.getByLabel("Status", { exact: true }).innerText(), "Active");
  // The one refused request that sent the browser to the sign-in page.
  await session.expect(/status of 401/);
  assert.deepEqual(session.problems, []);
});

test("a wrong password is said on the page, and signs nobody in", async () => {
  await using session = await browser.openSession();
  const { page } = session;
  await page.goto(`${house.url}/sign-in`);
  await page.getByLabel("E-mail").fill("owner@platform.example");
  await page.getByLabel("Password").fill("not the password at all");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  assert.match(page.url(), /\/sign-in/);
  await session.expect(/status of 401/);
  assert.deepEqual(session.problems, []);
});

test("the overview says what runs here, and its snippet holds this server's address", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/");
  await page.getByText(/Plinth \d+\.\d+\.\d+ on Node/).waitFor();
  // By name, because the panel that was left stays for a moment.
  const panel = (name: string) => page.getByRole("tabpanel", { name, exact: true });
  for (const tab of ["curl", "TypeScript", "Python"]) {
    await page.getByRole("tab", { name: tab }).click();
    const code = await panel(tab).locator("code").innerText();
    assert.ok(code.includes(house.url), code);
  }
  await panel("Python").getByRole("button", { name: "Copy" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const copied = await inPage<string>(page, clipboard);
  assert.ok(copied.includes(house.url));
  assert.deepEqual(session.problems, []);
});

test("a key: created, shown once, used, renamed, deactivated, activated, archived", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/keys");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Nightly job");
  await page.getByRole("radio", { name: "Admin key" }).check();
  await select(page.getByLabel("Expires"), "In 30 days");
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();

  const secret = await page.getByLabel("Secret of Nightly job", { exact: true }).innerText();
  assert.match(secret, /^sk-plinth-admin-/);
  await picture(page, "secret-1280-light");
  // Neither a stray click nor Escape loses it.
  await page.mouse.click(5, 5);
  await page.keyboard.press("Escape");
  const done = page.getByRole("button", { name: "Done" });
  assert.equal(await done.isDisabled(), true);
  await page.getByRole("button", { name: "Copy secret" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await inPage<string>(page, clipboard), secret);
  await expectNowhere(page, secret);
  await done.click();
  await row(page, "Nightly job").waitFor();
  assert.equal((await page.content()).includes(secret), false);
  assert.equal(await statusOf(secret), 200);

  await act(page, "Nightly job", "Rename");
  await page.getByLabel("Name", { exact: true }).fill("Morning job");
  await page.getByRole("button", { name: "Rename" }).click();
  await row(page, "Morning job").waitFor();

  await act(page, "Morning job", "Deactivate");
  await page.getByText("stops working").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Deactivate" }).click();
  await row(page, "Morning job").getByText("Inactive").waitFor();
  await comesToAnswer(secret, 401);

  await act(page, "Morning job", "Activate");
  await page.getByRole("dialog").getByRole("button", { name: "Activate" }).click();
  await row(page, "Morning job").getByText("Active", { exact: true }).waitFor();
  await comesToAnswer(secret, 200);

  await act(page, "Morning job", "Archive");
  const archive = page.getByRole("dialog").getByRole("button", { name: "Archive" });
  await page.getByLabel("Type Morning job to go on").fill("Morning");
  assert.equal(await archive.isDisabled(), true);
  await page.getByLabel("Type Morning job to go on").fill("Morning job");
  await archive.click();
  // Behind the dialog the row has no role: it is looked for once that is gone.
  await page.locator('[role="dialog"]:not([aria-modal="false"])').waitFor({ state: "detached" });
  await row(page, "Morning job").waitFor({ state: "detached" });
  await comesToAnswer(secret, 401);
  assert.deepEqual(session.problems, []);
});

/** A secret is on the page and nowhere else: not in the address, not in any storage. */
async function expectNowhere(page: Page, secret: string): Promise<void> {
  const kept = await inPage<string>(
    page,
    "JSON.stringify([location.href, { ...localStorage }, { ...sessionStorage }, history.state])",
  );
  assert.equal(kept.includes(secret.slice(-12)), false, kept);
}

test("an enterprise admin key has the scopes that were chosen", async () => {
  await using session = await openOwnerSession(browser, house, {}, "enterprise");
  const { page } = session;
  await open(page, house.url, "/console/keys?new=admin");
  await page.getByLabel("Name", { exact: true }).fill("Directory sync");
  const create = page.getByRole("dialog").getByRole("button", { name: "Create key" });
  assert.equal(await create.isDisabled(), true);
  await page.getByLabel("read:members").check();
  await page.getByLabel("write:members").check();
  await create.click();
  await page.getByLabel("I have stored this secret").check();
  await page.getByRole("button", { name: "Done" }).click();
  await row(page, "Directory sync").getByText("2 scopes").waitFor();
  assert.deepEqual(session.problems, []);
});

test("with the keyboard alone: go to the keys, create one, find it, read the log, sign out", async () => {
  await using session = await browser.openSession();
  const { page } = session;
  const { keyboard } = page;
  // A sign-in of its own: signing out must not end the one that other tests use.
  await signIn(page, house.url, house.organizations.platform);
  await settled(page);
  await session.expect(/status of 401/);

  await goKeys(page, "k");
  await page.getByRole("heading", { name: "API keys" }).waitFor();
  await settled(page);
  await keyboard.press("n");
  await page.getByRole("dialog").waitFor();
  await until(page, 'document.activeElement?.tagName === "INPUT"');
  await keyboard.type("Made by hand");
  await keyboard.press("Enter");
  await page.getByLabel("Secret of Made by hand", { exact: true }).waitFor();
  await until(page, 'document.activeElement?.textContent === "Copy secret"');
  await keyboard.press("Enter");
  await page.getByRole("button", { name: "Copied" }).waitFor();
  await tabTo(page, "Done");
  await keyboard.press("Enter");
  await row(page, "Made by hand").waitFor();

  await page.getByRole("dialog").waitFor({ state: "detached" });
  await keyboard.press("/");
  await keyboard.type("by hand");
  await page.waitForURL(/q=by\+hand/);
  await until(page, 'document.querySelectorAll("tbody [role=row]").length === 1');

  await openPalette(page);
  await keyboard.type("audit");
  await keyboard.press("Enter");
  await page.getByRole("heading", { name: "Audit log" }).waitFor();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await row(page, "Key created").first().waitFor();
  await settled(page);
  await keyboard.press("j");
  await page.getByRole("complementary", { name: "Event" }).getByText("Key created").waitFor();
  const first = page.url();
  await keyboard.press("j");
  await page.waitForURL((url) => url.href !== first);
  await keyboard.press("k");
  await page.waitForURL(first);
  await keyboard.press("Escape");
  await page.getByRole("complementary", { name: "Event" }).waitFor({ state: "detached" });

  await keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await inDialog(page);
  await keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await openPalette(page);
  await keyboard.type("sign out");
  await keyboard.press("Enter");
  await page.waitForURL(/\/sign-in/);
  await page.goto(`${house.url}/console/`);
  await page.waitForURL(/\/sign-in\?next=/);
  await session.expect(/status of 401/);
  assert.deepEqual(session.problems, []);
});

test("from any page the palette runs what is named, begins what may be made, and changes the workspace", async () => {
  const { cookie } = house.organizations.platform;
  const made = await house.ask("POST", "/console/api/workspaces", {
    cookie,
    body: { name: "Research lab" },
  });
  assert.equal(made.status, 200);
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/usage");
  await openPalette(page);
  await page.keyboard.type("Account");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/console\/account$/);
  for (const [typed, heading] of [
    ["new work", "New workspace"],
    ["invite", "Invite somebody"],
    ["new service", "New service account"],
    ["add a model", "Add a model"],
    ["new webhook", "New webhook endpoint"],
  ] as const) {
    await open(page, house.url, "/console/account");
    await openPalette(page);
    await page.keyboard.type(typed);
    await page.getByRole("option", { name: heading, exact: true }).waitFor();
    assert.equal(await page.getByRole("option", { name: heading, exact: true }).count(), 1);
    await page.keyboard.press("Enter");
    await page.locator('[role="dialog"]:not([aria-label]) h2').waitFor();
  }
  await open(page, house.url, "/console/batches");
  await openPalette(page);
  assert.equal(await page.getByRole("option", { name: /^Workspace:/ }).count(), 0);
  await page.keyboard.type("research l");
  await page.getByRole("option", { name: "Workspace: Research lab" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/batches\?workspace=wrkspc_/);
  assert.deepEqual(session.problems, []);
});

/** Open means that what is typed next goes into it. */
async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await until(page, 'document.activeElement?.getAttribute("role") === "combobox"');
}

async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 12; presses += 1) {
    const at = await inPage<string>(page, "document.activeElement?.textContent");
    if (at === name) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`${name} is not reached with Tab`);
}

test("the account page changes the password and ends another sign-in", async () => {
  const owner = house.organizations.other;
  await house.signIn(owner);
  await using session = await openOwnerSession(browser, house, {}, "other");
  const { page } = session;
  await open(page, house.url, "/console/account");
  const rows = page.getByRole("table", { name: "Sign-ins" }).getByRole("row");
  const many = await rows.count();
  await page.getByRole("button", { name: "End the sign-in" }).first().click();
  await until(page, `document.querySelectorAll("tbody [role=row]").length === ${many - 2}`);

  await page.getByLabel("Current password").fill("this is not the old one");
  await page.getByLabel("New password").fill("correct horse battery");
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByRole("alert").first().waitFor();
  await session.expect(/status of 40[01]/);
  await page.getByLabel("Current password").fill(owner.owner_password);
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("Your password is changed").waitFor();
  await house.signIn({ ...owner, owner_password: "correct horse battery" });
  assert.deepEqual(session.problems, []);
});

test("a chosen theme is remembered, and an unknown address is a page that leads back", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/nowhere/at/all");
  await page.getByRole("heading", { name: "There is no such page" }).waitFor();
  await openMenu(page.getByRole("button", { name: "Account menu" }));
  await page.getByRole("menuitemradio", { name: "Dark" }).dispatchEvent("click");
  await page.keyboard.press("Escape");
  await page.reload();
  await settled(page);
  assert.equal(await inPage(page, "document.documentElement.dataset.theme"), "dark");
  await page.getByRole("link", { name: "Go to the overview" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  assert.deepEqual(session.problems, []);
});

test("the navigation of an owner fits a window of 900 pixels", async () => {
  await using session = await openOwnerSession(browser, house, { width: 1440, height: 900 });
  const { page } = session;
  await open(page, house.url, "/console/");
  const [inside, box] = await inPage<[number, number]>(
    page,
    "(({ scrollHeight, clientHeight }) => [scrollHeight, clientHeight])(document.querySelector('nav[aria-label=Pages]'))",
  );
  assert.ok(inside <= box, `${inside} pixels in ${box}`);
});
