// Live rows of the request log: they come on top, and what is looked at stays where it is.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { inPage, open, openOwnerSession, picture } from "./person.ts";
import { addToLog } from "./requests.ts";

let house: House;
let browser: Browsers;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const path = "/console/requests";
const inLog = (count: number, fields: object = {}, agoMs = 0) =>
  addToLog(
    house,
    Array.from({ length: count }, (_, place) => ({
      at: new Date(Date.now() - agoMs - place),
      ms: 0,
      ...fields,
    })),
  );

test("what ends is put on top, once, as far as the filters let it through", async () => {
  await inLog(3, {}, 60_000);
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}?status=error`);
  const row = (id = "") => page.locator(`[data-row="${id}"]`);
  await page.getByRole("switch", { name: "Live: off" }).click();
  await page.getByRole("switch", { name: "Live: on", checked: true }).waitFor();
  await page.waitForURL(/live=on/);
  const [bad] = await inLog(1, { status: 500, errorType: "api_error", error: "It broke." });
  const [good] = await inLog(1);
  await row(bad).waitFor();
  const [worse] = await inLog(1, { status: 529, errorType: "overloaded_error", error: "Busy." });
  await row(worse).waitFor();
  const first = page.locator("[data-row]").first();
  assert.equal(await first.getAttribute("data-row"), worse);
  assert.equal(await row(bad).count(), 1);
  assert.equal(await row(good).count(), 0);
  await page.getByRole("switch").click();
  await page.getByRole("switch", { name: "Live: off" }).waitFor();
  await row(worse).waitFor();
  assert.deepEqual(session.problems, []);
});

test("a reader further down keeps their place, is told what came above, and gets there with a press", async () => {
  await inLog(45, {}, 30_000);
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}?live=on`);
  const watched = page.locator("[data-row]").nth(30);
  const id = await watched.getAttribute("data-row");
  const topOf = () =>
    inPage<number>(
      page,
      `document.querySelector('[data-row="${id}"]').getBoundingClientRect().top`,
    );
  await watched.scrollIntoViewIfNeeded();
  await inPage(page, `document.querySelector('[data-row="${id}"]').scrollIntoView()`);
  const before = await topOf();
  const added = await inLog(4);
  await page.locator(`[data-row="${added[0]}"]`).waitFor({ state: "attached" });
  const told = page.getByRole("button", { name: "4 new requests" });
  await told.waitFor();
  assert.ok(Math.abs((await topOf()) - before) < 2, `${await topOf()} from ${before}`);
  await picture(page, "requests-live");
  await told.click();
  await told.waitFor({ state: "detached" });
  const newest = await page.locator("[data-row]").first().boundingBox();
  assert.ok(newest !== null && newest.y > 0 && newest.y < 800, JSON.stringify(newest));
  assert.deepEqual(session.problems, []);
});

test("a span with an end is not live, and says why", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}?to=2026-01-31`);
  const live = page.getByRole("switch", { name: "Live: off" });
  assert.equal(await live.isDisabled(), true);
  assert.match((await live.getAttribute("title")) ?? "", /take that filter away/);
  assert.deepEqual(session.problems, []);
});
