// The charts of Usage & cost: read by keyboard, filtered by the legend and the address, beside the time before.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { openHouse, type House } from "../house.ts";
import { writeAttempts, type AttemptRow } from "../rules/reports-house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { expectAccessible, expectFits, open, openOwnerSession, select } from "./person.ts";

let house: House;
let browser: Browsers;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  const { platform: tenant } = house.organizations;
  const dayMs = 86_400_000;
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  const counts = { input: 900, output: 300, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0 };
  const rows: AttemptRow[] = [];
  // Of the last seven days each costs 3 + 1 dollars, of the seven before them half of that.
  for (let day = 0; day < 14; day++)
    for (const [model, nano] of [
      ["sim-large", 3e9],
      ["sim-small", 1e9],
    ] as const)
      rows.push({
        tenant,
        at: new Date(today - day * dayMs),
        hop: { model, credentialId: model === "sim-large" ? "apikey_1" : "apikey_2" },
        settlement: { counts, amountNano: day < 7 ? nano : nano / 2 },
      });
  await writeAttempts(house, rows);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const path = "/console/usage?span=7d";
const chart = (page: Page) => page.getByRole("slider", { name: /^Chart of cost/ });
const pointed = (page: Page) => page.locator("[data-pointed]");
const table = (page: Page) => page.getByRole("table", { name: "Usage" });
const fact = (page: Page, name: string) =>
  page.locator("dl div").filter({ has: page.getByText(name, { exact: true }) });

test("the arrow keys lead through the chart, and it says what stands there, with its currency", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  await page.getByText("The time before", { exact: true }).waitFor();
  await chart(page).focus();
  await page.keyboard.press("End");
  await pointed(page).getByText("USD").waitFor();
  assert.match(
    (await chart(page).getAttribute("aria-valuetext")) ?? "",
    /UTC, Simulator Large 3, Simulator Small 1, Sum 4, Before 2$/,
  );
  assert.equal(await chart(page).getAttribute("aria-valuenow"), "6");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await chart(page).getAttribute("aria-valuenow"), "5");
  await page.keyboard.press("Home");
  assert.equal(await chart(page).getAttribute("aria-valuenow"), "0");
  await page.keyboard.press("Escape");
  await pointed(page).waitFor({ state: "detached" });
  await expectAccessible(page);
  assert.deepEqual(session.problems, []);
});

test("a press on a name of the legend takes its bars away, and another brings them back", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  const legend = page.getByRole("list", { name: "Legend" });
  const large = legend.getByRole("button", { name: "Simulator Large", exact: true, pressed: true });
  await page.getByText("The time before", { exact: true }).waitFor();
  await large.click();
  await chart(page).focus();
  await page.keyboard.press("End");
  const words = async () => (await chart(page).getAttribute("aria-valuetext")) ?? "";
  assert.match(await words(), /UTC, Simulator Small 1, Sum 1, /);
  await legend
    .getByRole("button", { name: "Simulator Large", exact: true, pressed: false })
    .click();
  await chart(page).focus();
  await page.keyboard.press("End");
  assert.match(await words(), /Simulator Large 3, Simulator Small 1, Sum 4/);
  assert.deepEqual(session.problems, []);
});

test("the sums stand beside those of as long a time before, unless that is not wanted", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  await fact(page, "Cost").getByText("before $14.00 USD, 100% more").waitFor();
  assert.match(await fact(page, "Cost").innerText(), /\$28\.00 USD/);
  await page.getByLabel("Compare with before").uncheck();
  await fact(page, "Cost").getByText("before").waitFor({ state: "detached" });
  assert.match(page.url(), /before=off/);
  assert.equal(await page.getByText("The time before", { exact: true }).count(), 0);
  assert.deepEqual(session.problems, []);
});

test("a row leads to what is behind it; filters stand in the address, and come back with it", async () => {
  await using session = await openOwnerSession(browser, house, { width: 1440 });
  const { page } = session;
  await open(page, house.url, path);
  await table(page).getByRole("button", { name: "Simulator Small", exact: true }).click();
  await table(page).getByText("apikey_2").first().waitFor();
  await table(page).getByText("apikey_1").waitFor({ state: "detached" });
  await fact(page, "Cost").getByText("$7.00").first().waitFor();
  assert.match(page.url(), /model=sim-small/);
  assert.match(page.url(), /by=api_key_id/);
  await page.goBack();
  await fact(page, "Cost").getByText("$28.00").first().waitFor();
  await select(page.getByLabel("API key", { exact: true }), "apikey_1");
  await fact(page, "Cost").getByText("$21.00").first().waitFor();
  await page.reload();
  await fact(page, "Cost").getByText("$21.00").first().waitFor();
  assert.match(page.url(), /key=apikey_1/);
  await expectFits(page);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await fact(page, "Cost").getByText("$28.00").first().waitFor();
  for (const [label, name] of [
    ["Model", "model"],
    ["Workspace", "space"],
  ] as const) {
    const field = page.getByRole("search", { name: "Filter usage" }).getByLabel(label);
    const wanted = name === "model" ? "sim-large" : house.organizations.platform.workspace_id;
    await select(field, wanted);
    assert.equal(new URL(page.url()).searchParams.get(name), wanted);
  }
  await fact(page, "Cost").getByText("$21.00").first().waitFor();
  assert.deepEqual(session.problems, []);
});
