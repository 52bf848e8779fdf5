// The page Usage & cost: what stands in the ledger is drawn, in a table, and in a file.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { writeAttempts, type AttemptRow } from "../rules/reports-house.ts";
import { until } from "../rules/support.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  looks,
  open,
  openOwnerSession,
  picture,
  select,
} from "./person.ts";

let house: House;
let browser: Browsers;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  const { platform: tenant } = house.organizations;
  const dayMs = 86_400_000;
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  const rows: AttemptRow[] = [];
  for (let day = 0; day < 25; day++)
    for (const [place, model] of ["sim-large", "sim-medium", "sim-small"].entries())
      rows.push({
        tenant,
        at: new Date(today - day * dayMs),
        hop: { model, credentialId: `apikey_${place}` },
        settlement: {
          counts: { input: 900, output: 300, cacheWrite5m: 50, cacheWrite1h: 0, cacheRead: 400 },
          amountNano: (3 - place) * 400_000_000 + ((day * 37) % 11) * 90_000_000,
        },
      });
  const timed = { kind: "session_time", model: "session_time", sessionId: "sesn_1" } as const;
  const noTokens = { input: 0, output: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0 };
  const nano = 1_250_000_000;
  rows.push({
    tenant,
    // Long before what the other tests look at.
    at: new Date(today - 60 * dayMs),
    hop: { ...timed, origin: "session", prices: undefined as never },
    settlement: { counts: noTokens, amountNano: nano, listAmountNano: nano },
  });
  await writeAttempts(house, rows);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

for (const { width, scheme } of looks)
  test(`usage is shown at ${width} pixels, ${scheme}`, async () => {
    const height = width === 390 ? 844 : 800;
    await using session = await openOwnerSession(browser, house, { scheme, width, height });
    const { page } = session;
    await open(page, house.url, "/console/usage");
    await page.getByRole("table", { name: "Usage" }).waitFor();
    await page.locator("canvas").waitFor();
    await picture(page, `usage-${width}-${scheme}`);
    await expectFits(page);
    await expectAccessible(page);
    assert.deepEqual(session.problems.splice(0), []);
  });

test("[REP12] what the time of sessions has cost is told beside the whole", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/usage?span=90d");
  const fact = page.locator("dl div").filter({ hasText: "Cost of sessions' time" });
  await fact.filter({ hasText: "$1.25" }).waitFor();
  assert.equal(await page.locator("dl div").filter({ hasText: "Cost of the web" }).count(), 0);
  const table = page.getByRole("table", { name: "Usage" });
  await table
    .getByRole("row")
    .filter({ hasText: "No model" })
    .filter({ hasText: "1.25" })
    .waitFor();
});

test("groups, times and files change with what is chosen", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/usage");
  const table = page.getByRole("table", { name: "Usage" });
  await table.getByRole("row").filter({ hasText: "sim-large" }).waitFor();
  await select(page.getByLabel("Group by"), "api_key_id");
  await table.getByRole("row").filter({ hasText: "apikey_0" }).waitFor();
  await select(page.getByLabel("Time"), "7d");
  await table
    .getByRole("row")
    .filter({ hasText: "apikey_0" })
    .filter({ hasText: /6,300/ })
    .waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "CSV" }).click(),
  ]);
  const [head = "", first = ""] = (await readFile(await download.path(), "utf8")).split("\r\n");
  assert.equal(head.split(",").length, first.split(",").length);
  assert.match(first, /^apikey_0,apikey_0,[\d.]+,6300,2800,350,2100,7$/);
  await select(page.getByLabel("Time"), "24h");
  await table.getByRole("row").filter({ hasText: "900" }).first().waitFor();
  // The chart is drawn anew when its data has come.
  const chart = async () => (await page.locator(".u-over").boundingBox()) ?? undefined;
  const box = await until(chart, "the chart");
  const at = (share: number) => [box.x + box.width * share, box.y + box.height / 2] as const;
  await page.mouse.move(...at(0.1));
  await page.mouse.down();
  await page.mouse.move(...at(0.9), { steps: 5 });
  await page.mouse.up();
  await page.getByRole("button", { name: "Zoom out" }).click();
  await page.getByRole("button", { name: "Zoom out" }).waitFor({ state: "detached" });
  assert.deepEqual(session.problems, []);
});

test("under the pointer stand the time, each model by its name, and the sum", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/usage?span=7d");
  const table = page.getByRole("table", { name: "Usage" });
  await table.getByText("Simulator Large", { exact: true }).waitFor();
  const legend = page.locator("li").filter({ hasText: "Simulator Small" });
  await legend.waitFor();
  const chart = async () => (await page.locator(".u-over").boundingBox()) ?? undefined;
  const box = await until(chart, "the chart");
  // The last of seven days is today.
  await page.mouse.move(box.x + box.width * (6.5 / 7), box.y + box.height / 2);
  const pointed = page.locator("[data-pointed]");
  const today = new Date().toLocaleDateString("en", { day: "numeric", month: "short" });
  await pointed.getByText(today.split(" ")[0] ?? "").waitFor();
  for (const [name, cost] of [
    ["Simulator Large", "$1.20"],
    ["Simulator Medium", "$0.80"],
    ["Simulator Small", "$0.40"],
    ["Sum", "$2.40"],
  ])
    await pointed
      .getByText(`${name}${cost}`)
      .or(pointed.getByText(`${name} ${cost}`))
      .waitFor();
  await picture(page, "usage-pointed");
  await page.mouse.move(0, 0);
  await pointed.waitFor({ state: "detached" });
  assert.deepEqual(session.problems, []);
});

test("every key is named that usage is grouped by, older ones and those in the archive too", async () => {
  const { other: tenant } = house.organizations;
  const ids: string[] = [];
  for (let at = 0; at < 130; at += 1) {
    const made = await house.ask("POST", "/console/api/keys", {
      cookie: tenant.cookie,
      body: { kind: "api", name: `Key number ${at}` },
    });
    assert.equal(made.status, 200);
    ids.push(made.body.id);
  }
  await house.ask("POST", `/console/api/keys/${ids[0]}/archive`, {
    cookie: tenant.cookie,
    body: {},
  });
  const counts = { input: 9, output: 3, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0 };
  await writeAttempts(
    house,
    ids.map((credentialId) => ({
      tenant,
      at: new Date(Date.now() - 60_000),
      hop: { model: "sim-large", credentialId },
      settlement: { counts, amountNano: 1_000_000 },
    })),
  );
  await using session = await openOwnerSession(browser, house, {}, "other");
  const { page } = session;
  await open(page, house.url, "/console/usage?by=api_key_id");
  const table = page.getByRole("table", { name: "Usage" });
  for (const at of [0, 1, 70, 129])
    await table.getByText(`Key number ${at}`, { exact: true }).waitFor();
  assert.equal(await table.getByText("apikey_").count(), 0);
  await table
    .getByTitle(ids[70] ?? "")
    .getByText("Key number 70", { exact: true })
    .waitFor();
  await table.getByRole("button", { name: "Copy the id of Key number 70" }).focus();
  assert.deepEqual(session.problems, []);
});

test("an organization that asked nothing is told how to begin", async () => {
  await using session = await openOwnerSession(browser, house, {}, "enterprise");
  await open(session.page, house.url, "/console/usage");
  await session.page.getByRole("heading", { name: "Nothing was asked in this time" }).waitFor();
});

test("a browser that names no language that there is has its charts all the same", async () => {
  await using session = await openOwnerSession(browser, house, { ownLanguage: true });
  const { page } = session;
  await open(page, house.url, "/console/usage");
  await page.locator("canvas").first().waitFor();
  assert.deepEqual(session.problems, []);
});
