// The request log in a real browser: what its rows say, filters and their links, and a search that goes far back.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { openHouse, type House } from "../house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { until } from "../rules/support.ts";
import {
  expectAccessible,
  expectFits,
  inPage,
  looks,
  open,
  openOwnerSession,
  picture,
  select,
} from "./person.ts";
import { addToLog, furnishLog, noModel } from "./requests.ts";

let house: House;
let browser: Browsers;
let log: Awaited<ReturnType<typeof furnishLog>>;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  log = await furnishLog(house);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const path = "/console/requests";
const rowOf = (page: Page, id: string) => page.locator(`[data-row="${id}"]`);
/** In one look: of a list that changes, a row may be gone when it is asked by itself. */
const idsOn = (page: Page) =>
  inPage<string[]>(
    page,
    "[...document.querySelectorAll('[data-row]')].map(({ dataset }) => dataset.row)",
  );
const expectIds = (page: Page, ids: readonly string[]) =>
  until(async () => JSON.stringify(await idsOn(page)) === JSON.stringify(ids), "those rows");

for (const { width, scheme } of looks)
  test(`the log at ${width} pixels, ${scheme}`, async () => {
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    await open(page, house.url, path);
    await rowOf(page, log.fellBack).waitFor();
    await picture(page, `requests-${width}-${scheme}`);
    await expectFits(page);
    await expectAccessible(page);
    await open(page, house.url, `${path}?stop_reason=refusal&session_id=sesn_9`);
    await page.getByText("No request fits").waitFor();
    await expectFits(page);
    await expectAccessible(page);
    assert.deepEqual(session.problems, []);
  });

test("a row says what was asked and answered, by whom, and what came of it; a press opens its page", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  await page
    .getByRole("heading", { name: /, UTC$/ })
    .first()
    .waitFor();
  const fellBack = rowOf(page, log.fellBack);
  await fellBack.getByText("Search backend").waitFor();
  const text = await fellBack.innerText();
  for (const part of ["200", "Message", "POST /v1/messages", "sim-medium"])
    assert.ok(text.includes(part), `${part} in ${text}`);
  assert.match(text, /812 →[^0-9]+164\s+\$0\.004896/);
  assert.match(text, /3\.20 s\s+first 2\.10 s/);
  assert.match(await rowOf(page, log.message).innerText(), /13,512 →[^0-9]+164/);
  const words = { failed: "overloaded_error", refused: "Refused", item: "Batch item" } as const;
  for (const [name, word] of Object.entries({ ...words, turn: "Agent turn" }))
    await rowOf(page, log[name as keyof typeof words])
      .getByText(word)
      .last()
      .waitFor();
  await rowOf(page, log.change).getByText("owner").waitFor();
  await rowOf(page, log.admin).getByText("Administration").waitFor();
  await rowOf(page, log.failed).getByText("overloaded_error").click();
  await page.waitForURL(`**${path}/${log.failed}`);
  assert.deepEqual(session.problems, []);
});

test("each filter stands in the address, and an address is a view", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const cases: [query: string, ids: string[]][] = [
    ["status=error&from=2026-01-01", [log.failed, log.admin]],
    ["status=529", [log.failed]],
    ["status=4xx", [log.admin]],
    ["error=OVERLOADED", [log.failed]],
    ["model=sim-small", [log.yesterday]],
    ["min_duration_ms=10000", [log.item, log.turn]],
    ["min_duration_ms=60000", [log.item]],
    ["min_cost=10", [log.item]],
    ["stop_reason=refusal", [log.refused]],
    ["fell_back=true", [log.fellBack]],
    ["session_id=sesn_1", [log.turn]],
    ["batch_id=msgbatch_1", [log.item]],
    ["credential_id=apikey_gone", [log.admin]],
    ["origin=session", [log.turn]],
  ];
  for (const [query, ids] of cases) {
    await open(page, house.url, `${path}?${query}`);
    await expectIds(page, ids);
  }
  await open(page, house.url, `${path}?status=nonsense&fell_back=true`);
  await page.waitForURL((url) => !url.search.includes("nonsense"));
  await expectIds(page, [log.fellBack]);
  assert.deepEqual(session.problems, []);
});

test("filters are chosen, what is rare behind a button; a link's own can be taken away", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}?batch_id=msgbatch_1`);
  await expectIds(page, [log.item]);
  await page.getByRole("button", { name: /^Batch msgbatch_1/ }).click();
  await page.waitForURL((url) => !url.search.includes("batch_id"));
  await rowOf(page, log.message).waitFor();
  await page.getByRole("button", { name: "More filters" }).click();
  await select(page.getByLabel("Key", { exact: true }), "Search backend");
  await page.waitForURL((url) => url.search.includes(`credential_id=${log.keyId}`));
  await select(page.getByLabel("Duration", { exact: true }), "10000");
  await expectIds(page, [log.item]);
  await page.getByLabel("Text in the error").fill("zebra");
  await page.getByText("No request fits").waitFor();
  await page.getByRole("button", { name: "Clear the filters" }).click();
  await rowOf(page, log.change).waitFor();
  assert.equal(new URL(page.url()).search, "");
  assert.deepEqual(session.problems, []);
});

test("the export has what the filters let through", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}?status=error`);
  await expectIds(page, [log.failed, log.admin]);
  const linesOf = async (name: string) => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name }).click(),
    ]);
    assert.match(download.suggestedFilename(), /^requests-[\d-]+\.(csv|jsonl)$/);
    return (await readFile(await download.path(), "utf8")).trimEnd().split(/\r?\n/);
  };
  const csv = await linesOf("CSV");
  assert.equal(csv.length, 3);
  assert.match(csv[0] ?? "", /^time,request_id,status,/);
  const jsonl = (await linesOf("JSON lines")).map((line) => JSON.parse(line) as { id: string });
  assert.deepEqual(
    jsonl.map(({ id }) => id),
    [log.failed, log.admin],
  );
  assert.deepEqual(session.problems, []);
});

test("a search for what is rare goes on by itself, says how far it looked, and goes further on demand", async () => {
  await using far = await openHouse();
  const nowMs = Date.now();
  const at = (place: number) => new Date(nowMs - place);
  const [oldest = ""] = await addToLog(far, [{ at: at(40_000), ...noModel, origin: "console" }]);
  for (let from = 0; from < 36_000; from += 9_000)
    await addToLog(
      far,
      Array.from({ length: 9_000 }, (_, place) => ({ at: at(from + place), ...noModel })),
    );
  await using session = await openOwnerSession(browser, far);
  const { page } = session;
  await open(page, far.url, `${path}?origin=console`);
  await page.getByText("Nothing found so far").waitFor();
  await page.getByText(/^Looked back to \d{4}-/).waitFor();
  assert.equal(await page.locator("[data-row]").count(), 0);
  await page.getByRole("button", { name: "Look further back" }).click();
  await expectIds(page, [oldest]);
  await page.getByText("1 request", { exact: true }).waitFor();
  assert.deepEqual(session.problems, []);
});
