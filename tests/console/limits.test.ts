// The page of limits in a real browser: what is gone of them; set, changed, removed; and for who may only look.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  inPage,
  looks,
  open,
  openOwnerSession,
  pick,
  picture,
  select,
} from "./person.ts";

let house: House;
let browser: Browsers;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  await furnish();
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const path = "/console/limits";

/** The form: what tells that something was done is a dialog to a screen reader, too. */
const dialogOn = (page: Page) => page.locator('[role="dialog"]:not([aria-modal="false"])');

/** Limits near and far, a workspace without one, and requests of the last minute. */
async function furnish(): Promise<void> {
  const {
    organization_id: organization,
    workspace_id,
    cookie,
    api_key,
  } = house.organizations.platform;
  await house.world.db.query(sql`
    insert into workspaces (id, organization_id, name, is_default, created_at)
    values ('wrkspc_research', ${organization}, 'Research', false, now())`);
  const set = async (noun: string, body: object) => {
    const { status } = await house.ask("POST", `/console/api/${noun}`, { cookie, body });
    assert.equal(status, 200);
  };
  const workspace = { type: "workspace", workspace_id };
  await set("spend_limits", { scope: { type: "organization" }, amount: "10" });
  await set("spend_limits", { scope: workspace, amount: "50000" });
  const limits = [{ type: "requests_per_minute", value: 4 }];
  await set("rate_limits", { group: "sim-large", limits });
  await set("rate_limits", {
    group: "sim-large",
    workspace_id,
    limits: [{ type: "requests_per_minute", value: 9 }],
  });
  for (let count = 0; count < 3; count++) {
    const { status } = await house.ask("POST", "/v1/messages", {
      key: api_key,
      body: {
        model: "sim-large",
        max_tokens: 900,
        messages: [{ role: "user", content: "[[tokens 800]]" }],
      },
    });
    assert.equal(status, 200);
  }
}

const spendRow = (page: Page, name: string) =>
  page.getByRole("table", { name: "Spend limits" }).getByRole("row").filter({ hasText: name });
const rateRow = (page: Page, name: string) =>
  page.getByRole("table", { name: "Rate limits" }).getByRole("row").filter({ hasText: name });

const menuOf = (page: Page, name: string) =>
  page.getByRole("button", { name: `Change the spend limit of ${name}` });
async function act(page: Page, name: string, label: string): Promise<void> {
  await pick(menuOf(page, name), label);
}

for (const { width, scheme } of looks) {
  test(`limits and their forms at ${width} pixels, ${scheme}`, async () => {
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    await open(page, house.url, path);
    await rateRow(page, "sim-large").getByText("set here").waitFor();
    await picture(page, `limits-${width}-${scheme}`);
    await expectFits(page);
    await expectAccessible(page);
    await act(page, "Research", "Set a limit");
    await page.getByLabel("Dollars a month").fill("0");
    await page.getByText("As much is spent already").waitFor();
    await picture(page, `limits-spend-${width}-${scheme}`);
    await expectFits(page);
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Leave without saving" }).click();
    await dialogOn(page).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Change the rates of sim-large" }).click();
    await page.getByLabel("Requests a minute").fill("many");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Write a whole number").waitFor();
    await picture(page, `limits-rates-${width}-${scheme}`);
    await expectFits(page);
    await expectAccessible(page);
    assert.deepEqual(session.problems, []);
  });
}

test("a spend limit is set with the keyboard, changed and removed; what is spent is shown", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  const dialog = dialogOn(page);
  // 3 answers of 800 tokens at 25,000 nano-dollars are 0.06, and a little for what was asked.
  await spendRow(page, "Default")
    .getByText(/^\$0\.060\d* spent \(under 1%\)$/)
    .waitFor();
  await spendRow(page, "platform of the house")
    .getByText(/\$0\.060\d* spent \(6\d%\)/)
    .waitFor();
  await spendRow(page, "Research").getByText("None").waitFor();
  await menuOf(page, "Research").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Set a limit" }).waitFor();
  await page.keyboard.press("Enter");
  for (const none of ["12,50x", "12,50", "1,2345", "1e3", ""]) {
    await dialog.getByLabel("Dollars a month").fill("1");
    await dialog.getByLabel("Dollars a month").fill(none);
    await page.keyboard.press("Enter");
    await dialog.getByText("This is no amount").waitFor();
  }
  await dialog.getByLabel("Dollars a month").fill("1,234.5");
  await page.keyboard.press("Enter");
  await spendRow(page, "Research").getByText("$1,234.50").waitFor();
  await dialog.waitFor({ state: "detached" });
  await act(page, "Research", "Change");
  assert.equal(await dialog.getByLabel("Dollars a month").inputValue(), "1234.50");
  await dialog.getByLabel("Dollars a month").fill("0");
  await dialog.getByRole("button", { name: "Save" }).click();
  await spendRow(page, "Research").getByText("Reached").waitFor();
  await act(page, "Research", "Remove");
  await dialog.getByRole("button", { name: "Remove" }).click();
  await spendRow(page, "Research").getByText("None").waitFor();
  assert.deepEqual(session.problems, []);
});

test("the overview says how much of the organization's limit is gone", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/");
  await page.getByText(/^6\d% of the limit of \$0\.10$/).waitFor();
  const set = (amount: string) =>
    house.ask("POST", "/console/api/spend_limits", {
      cookie: house.organizations.platform.cookie,
      body: { scope: { type: "organization" }, amount },
    });
  await set("4");
  await open(page, house.url, path);
  await spendRow(page, "platform of the house")
    .getByText(/\$0\.060\d* spent \(15\d%\)/)
    .waitFor();
  await set("10");
  assert.deepEqual(session.problems, []);
});

test("rates are set and taken away, for the organization and for a workspace", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  const dialog = dialogOn(page);
  await rateRow(page, "sim-medium").getByText("the default").first().waitFor();
  await page.getByRole("button", { name: "Change the rates of sim-medium" }).click();
  await dialog.getByText("Empty: 1,000,000 holds on.").waitFor();
  await dialog.getByLabel("Requests a minute").fill("12,5");
  await page.keyboard.press("Enter");
  await dialog.getByText("Write a whole number").waitFor();
  await dialog.getByLabel("Requests a minute").fill("1,200");
  await page.keyboard.press("Enter");
  await rateRow(page, "sim-medium").getByText("0 of 1,200", { exact: true }).waitFor();
  await dialog.waitFor({ state: "detached" });
  await select(page.getByLabel("Whose rates"), "Workspace Default");
  await rateRow(page, "sim-medium").getByText("the organization's").first().waitFor();
  await rateRow(page, "sim-large").getByText("of 4", { exact: false }).waitFor();
  await rateRow(page, "sim-large").getByText("the organization's; 9 is set").waitFor();
  assert.match(page.url(), /workspace=wrkspc_/);
  await page.getByRole("button", { name: "Change the rates of sim-medium" }).click();
  await dialog.getByLabel("Output tokens a minute").fill("50");
  await dialog.getByRole("button", { name: "Save" }).click();
  await rateRow(page, "sim-medium").getByText("set for this workspace").waitFor();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Change the rates of sim-medium" }).click();
  await dialog.getByText("Empty: what is set here is taken away.").waitFor();
  await dialog.getByLabel("Output tokens a minute").fill("");
  await dialog.getByRole("button", { name: "Save" }).click();
  await rateRow(page, "sim-medium")
    .getByText("set for this workspace")
    .waitFor({ state: "detached" });
  assert.deepEqual(session.problems, []);
});

test("what happens meanwhile is seen without a reload", async () => {
  await using session = await openOwnerSession(browser, house, {}, "enterprise");
  const { page } = session;
  await open(page, house.url, path);
  await rateRow(page, "sim-small").getByText("0 of 1,000,000", { exact: true }).waitFor();
  await house.ask("POST", "/v1/messages", {
    key: house.organizations.enterprise.api_key,
    body: { model: "sim-small", max_tokens: 9, messages: [{ role: "user", content: "Hello" }] },
  });
  await rateRow(page, "sim-small").getByText("1 of 1,000,000", { exact: true }).waitFor();
  assert.deepEqual(session.problems, []);
});

test("whoever may only look is offered no change, and whoever may not look no page", async () => {
  const as = (role: string) =>
    house.world.db.query(sql`
      update users set role = ${role}
      where organization_id = ${house.organizations.other.organization_id}`);
  await as("billing");
  {
    await using session = await openOwnerSession(browser, house, {}, "other");
    const { page } = session;
    await open(page, house.url, path);
    await rateRow(page, "sim-small").waitFor();
    await spendRow(page, "Default").waitFor();
    assert.equal(await page.getByRole("button", { name: /Set|Change|Remove/ }).count(), 0);
    assert.deepEqual(session.problems, []);
  }
  await as("user");
  await using outside = await openOwnerSession(browser, house, {}, "other");
  await open(outside.page, house.url, "/console/");
  assert.equal(await outside.page.getByRole("link", { name: "Limits" }).count(), 0);
  assert.equal(await inPage(outside.page, 'document.querySelectorAll("nav a").length > 2'), true);
  assert.deepEqual(outside.problems, []);
});
