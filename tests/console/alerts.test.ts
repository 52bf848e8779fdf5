// The page of alerts in a real browser: what fires, its history, rules that are changed, whom it is mailed to; and the
// overview, which says in one line that something fires.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { openHouse, type House } from "../house.ts";
import { alertsOf, stopLooks } from "../rules/alerts-house.ts";
import { addSignedIn } from "../rules/members-house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { expectAccessible, expectFits, looks, open, openOwnerSession, picture } from "./person.ts";

let house: House;
let browser: Browsers;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  await stopLooks(house);
  await furnish();
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const path = "/console/alerts";
const { lookAt, count, attempt } = alertsOf(() => house);

/** Of the last hours: failed requests that were over and are again, and an upstream with a long name. */
async function furnish(): Promise<void> {
  const { platform } = house.organizations;
  const now = Math.floor(house.world.clock.now().getTime() / 60_000);
  const ago = (minutes: number) => new Date((now - minutes) * 60_000);
  await count(platform, ago(200), 300, 30);
  await lookAt(ago(200));
  await lookAt(ago(180));
  await lookAt(ago(160));
  await count(platform, ago(8), 300, 20);
  for (let minute = 8; minute >= 0; minute--) await attempt(platform, ago(minute), "failed");
  await lookAt(ago(0));
}

const dialogOn = (page: Page) => page.locator('[role="dialog"]:not([aria-modal="false"])');
const row = (page: Page, table: string, words: string) =>
  page.getByRole("table", { name: table, exact: true }).getByRole("row").filter({ hasText: words });
const changeOf = (page: Page, rule: string) =>
  page.getByRole("button", { name: `Change the rule ${rule}` });

for (const { width, scheme } of looks) {
  test(`alerts and their forms at ${width} pixels, ${scheme}`, async () => {
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    await open(page, house.url, path);
    await row(page, "Firing alerts", "The upstream far answers nothing").waitFor();
    await row(page, "Resolved alerts", "10 % of requests failed").waitFor();
    await row(page, "Rules", "At 80 %, 100 %").waitFor();
    await page.getByText("No mail server is set").waitFor();
    await picture(page, `alerts-${width}-${scheme}`);
    await expectFits(page);
    await expectAccessible(page);
    await changeOf(page, "Failed requests").click();
    const dialog = dialogOn(page);
    await dialog.getByLabel("Minutes").fill("61");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Write a whole number from 1 to 60, or nothing.").waitFor();
    await picture(page, `alerts-rule-${width}-${scheme}`);
    await expectFits(page);
    await expectAccessible(page);
    assert.deepEqual(session.problems, []);
  });
}

test("alerts are never wider than the window", async () => {
  for (const width of [768, 900, 1024, 1440]) {
    await using session = await openOwnerSession(browser, house, { width, height: 844 });
    const { page } = session;
    await open(page, house.url, path);
    await row(page, "Resolved alerts", "10 % of requests failed").waitFor();
    await picture(page, `alerts-${width}`);
    await expectFits(page);
    await open(page, house.url, "/console/");
    await page.getByRole("status").filter({ hasText: "answers nothing" }).waitFor();
    await expectFits(page);
    assert.deepEqual(session.problems, []);
  }
});

test("what fires is told on the overview and in the navigation, and leads to what it is about", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/");
  const banner = page.getByRole("status").filter({ hasText: "answers nothing" });
  await banner.getByRole("link", { name: "And 1 more" }).click();
  await page.getByRole("heading", { name: "Firing now" }).waitFor();
  const inNavigation = page.getByRole("navigation", { name: "Pages" });
  await inNavigation.getByRole("link", { name: "Alerts 2 fire" }).waitFor();
  await page.getByRole("link", { name: /^6\.6 % of requests failed/ }).click();
  await page.getByRole("heading", { name: "Requests" }).waitFor();
  assert.match(page.url(), /requests\?.*status=5xx/);
  assert.deepEqual(session.problems, []);
});

test("a rule is changed with the keyboard, switched off, and as by default again", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  const dialog = dialogOn(page);
  await row(page, "Rules", "Spend").getByText("On, as by default").waitFor();
  await changeOf(page, "Spend").focus();
  await page.keyboard.press("Enter");
  for (const wrong of ["0", "101", "1 2 3 4 5", "half"]) {
    await dialog.getByLabel("Percents of a limit").fill(wrong);
    await page.keyboard.press("Enter");
    await dialog.getByText("Write one to four whole numbers").waitFor();
  }
  await dialog.getByLabel("Percents of a limit").fill("90, 50");
  await page.keyboard.press("Enter");
  await row(page, "Rules", "At 50 %, 90 %").getByText("On, changed").waitFor();
  await dialog.waitFor({ state: "detached" });
  await changeOf(page, "Upstream down").click();
  await dialog.getByRole("checkbox").click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await row(page, "Rules", "Upstream down").getByText("Off", { exact: true }).waitFor();
  await dialog.waitFor({ state: "detached" });
  await changeOf(page, "Upstream down").click();
  await dialog.getByRole("checkbox").click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await row(page, "Rules", "Upstream down").getByText("On, as by default").waitFor();
  await dialog.waitFor({ state: "detached" });
  await changeOf(page, "Spend").click();
  await dialog.getByLabel("Percents of a limit").fill("");
  await dialog.getByRole("button", { name: "Save" }).click();
  await row(page, "Rules", "At 80 %, 100 %").getByText("On, as by default").waitFor();
  assert.deepEqual(session.problems, []);
});

test("whom alerts are mailed to is set, and an address that is none is told at its field", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  const dialog = dialogOn(page);
  await page.getByText("To owners and administrators.").waitFor();
  await page.getByRole("button", { name: "Change who is mailed" }).click();
  await dialog.getByLabel("Other addresses").fill("ops@alerts.example\nops");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("must be an e-mail address", { exact: false }).waitFor();
  await dialog.getByLabel("Other addresses").fill("ops@alerts.example, on-call@alerts.example");
  await dialog.getByRole("checkbox").click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("To ops@alerts.example, on-call@alerts.example.").waitFor();
  assert.deepEqual(
    session.problems.splice(0).filter((each) => !each.includes("400")),
    [],
  );
});

test("those who may only read limits see alerts and change nothing", async () => {
  const person = await addSignedIn(house, house.organizations.platform, "developer");
  await using session = await browser.openSession();
  await session.takeCookie(house.url, person.cookie);
  const { page } = session;
  await open(page, house.url, path);
  await row(page, "Firing alerts", "The upstream far").waitFor();
  await row(page, "Rules", "Spend").waitFor();
  await page.getByText(/^To /).waitFor();
  assert.equal(await page.getByRole("button", { name: /^Change/ }).count(), 0);
  assert.deepEqual(session.problems, []);
});
