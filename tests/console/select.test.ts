// The select of the console by keys alone, in a dialog and in a bar of filters, light and dark.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  inDialog,
  inPage,
  looks,
  open,
  openOwnerSession,
  openSelect,
  picture,
  select,
  until,
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

const newKey = "/console/keys?new=api";
const highlighted = "document.activeElement?.closest('[role=option]')?.textContent";

test("a select is opened, searched and left by keys, and Escape leaves the dialog open", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, newKey);
  await inDialog(page);
  const expires = page.getByRole("combobox", { name: "Expires" });
  assert.equal(await expires.innerText(), "Never");

  const options = await openSelect(expires);
  assert.equal(await options.filter({ hasText: "Never" }).getAttribute("aria-selected"), "true");
  await page.keyboard.press("ArrowDown");
  await until(page, `${highlighted} === "In 7 days"`);
  await page.keyboard.type("in 9");
  await until(page, `${highlighted} === "In 90 days"`);
  await page.keyboard.press("Escape");
  await options.first().waitFor({ state: "hidden" });
  assert.equal(await expires.innerText(), "Never");
  await page.getByRole("dialog").waitFor();
  assert.equal(await inPage(page, "document.activeElement?.getAttribute('role')"), "combobox");

  await select(expires, "In 90 days");
  assert.equal(await expires.innerText(), "In 90 days");
  assert.equal(await inPage(page, "document.activeElement?.getAttribute('role')"), "combobox");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Leave without saving" }).click();
  await page.getByRole("dialog").first().waitFor({ state: "hidden" });
  assert.deepEqual(session.problems, []);
});

test("a press beside the open list closes the list alone, and one on a choice takes it", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, newKey);
  await inDialog(page);
  const expires = page.getByRole("combobox", { name: "Expires" });
  for (const [x, y] of [
    [5, 5],
    [640, 97],
  ] as const) {
    const options = await openSelect(expires);
    await page.mouse.click(x, y);
    await options.first().waitFor({ state: "hidden" });
    await page.getByRole("dialog").waitFor();
  }
  await expires.click();
  await page.getByRole("option", { name: "In a year" }).click();
  await page.getByRole("listbox").waitFor({ state: "hidden" });
  assert.equal(await expires.innerText(), "In a year");
  assert.deepEqual(session.problems, []);
});

test("letters choose in a select that has the focus, and are no shortcuts meanwhile", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/keys");
  const status = page.getByRole("combobox", { name: "Status" });
  await status.focus();
  // Its choices are there, unseen, a moment after it has the focus.
  const choices = page.getByRole("option", { includeHidden: true });
  await choices.first().waitFor({ state: "attached" });
  await page.keyboard.type("e");
  await page.waitForURL(/status=expired/);
  await page.keyboard.type("g");
  await page.keyboard.type("o");
  assert.equal(await inPage(page, "location.pathname"), "/console/keys");
  assert.deepEqual(session.problems, []);
});

for (const { width, scheme } of looks) {
  test(`the opened list of a select fits and is accessible at ${width} pixels, ${scheme}`, async () => {
    await using session = await openOwnerSession(browser, house, { width, scheme });
    const { page } = session;
    await open(page, house.url, "/console/keys");
    await openSelect(page.getByRole("combobox", { name: "Status" }));
    await picture(page, `select-filter-${width}-${scheme}`);
    await expectAccessible(page);
    await expectFits(page);
    await open(page, house.url, newKey);
    await inDialog(page);
    await openSelect(page.getByRole("combobox", { name: "Expires" }));
    await picture(page, `select-dialog-${width}-${scheme}`);
    await expectAccessible(page);
    await expectFits(page);
    assert.deepEqual(session.problems, []);
  });
}

test("a filter that is not offered counts as none, and leaves the address", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/keys?kind=zzz&status=yyy&q=a&workspace=xxx");
  await page.waitForURL((url) => !/kind|status/.test(url.search));
  assert.match(page.url(), /q=a/);
  assert.equal(await page.getByRole("combobox", { name: "Status" }).innerText(), "Not archived");
  assert.equal(await page.getByRole("combobox", { name: "Kind" }).innerText(), "Any kind");
  await open(page, house.url, "/console/keys?kind=admin");
  assert.equal(await page.getByRole("combobox", { name: "Kind" }).innerText(), "Admin keys");
  assert.match(page.url(), /kind=admin/);
  assert.deepEqual(session.problems, []);
});

test("on a tablet a time in a list of keys has one line", async () => {
  const { cookie } = house.organizations.platform;
  await house.ask("POST", "/console/api/keys", { cookie, body: { name: "Aged", kind: "api" } });
  await house.world.db.query(sql`
    update keys set created_at = now() - interval '50 minutes' where name = 'Aged'`);
  await using session = await openOwnerSession(browser, house, { width: 768, height: 900 });
  const { page } = session;
  await open(page, house.url, "/console/keys");
  const time = page.getByRole("row").filter({ hasText: "Aged" }).getByText("50 min ago");
  const { height = 99 } = (await time.boundingBox()) ?? {};
  assert.ok(height < 30, `${height} pixels high`);
  await picture(page, "keys-768");
  await expectFits(page);
});
