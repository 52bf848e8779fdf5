// What batches cost, who made them, and refusals, which are no success to the eye: in a real browser.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import { queryPosted } from "../posted.ts";
import { makeEndedBatch, panel, path, request, row, waitForJobs } from "./batches.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { open, openOwnerSession } from "./person.ts";

let house: House;
let browser: Browsers;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  if (house !== undefined) await waitForJobs(house);
  await house?.[Symbol.asyncDispose]();
});

const large = { model: "sim-large", max_tokens: 500 };
const requests = [
  request("said-1", "[[tokens 40]]"),
  request("said-2", "[[tokens 20]]"),
  {
    custom_id: "small-1",
    params: { ...large, model: "sim-small", messages: [{ role: "user", content: "[[tokens 7]]" }] },
  },
  request("refused-1", "[[refuse category=cyber models=*]]"),
  request("refused-2", "[[refuse category=bio models=*]]"),
  request("broken-1", "[[fail status=400]]"),
];

/** By the ledger alone, as the console writes amounts. */
async function ledgerAmount(): Promise<string> {
  const [row] = await queryPosted<{ nano: number }>(
    house.world.db,
    sql`select sum(amount_nano)::bigint as nano from ledger where kind = 'batch'`,
  );
  return `$${((row?.nano ?? 0) / 1e9).toFixed(6)}`;
}

test("[BAT39] the list and the page say what a batch cost, with its currency, its models and its maker by name", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const id = await makeEndedBatch({ house }, requests);
  const amount = await ledgerAmount();
  assert.notEqual(amount, "$0.000000");
  await open(page, house.url, path);
  const line = row(page, id);
  await line.getByText(amount).waitFor();
  const said = await line.innerText();
  assert.match(said, /USD/);
  assert.match(said, /\d+ in, \d+ out/);
  assert.match(said, /Simulator Large/);
  assert.match(said, /Simulator Small/);
  assert.match(said, /\(you\)/);
  assert.doesNotMatch(said, /user_/);
  assert.match(said, /3 succeeded, 2 refused, 1 errored/);
  await page.getByRole("link", { name: id }).click();
  await page.getByText("6 of 6 done").waitFor();
  const main = await page.getByRole("main").innerText();
  assert.match(main, new RegExp(`Cost\\s+\\${amount}\\s+USD`));
  assert.match(main, /By model/);
  assert.match(main, /Created by/);
  assert.deepEqual(session.problems, []);
});

test("[BAT34] a refusal is amber and called so; results are filtered by outcome, and the address keeps it", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const id = await makeEndedBatch({ house }, requests);
  await open(page, house.url, `${path}/${id}`);
  const badge = (name: string, word: string) => row(page, name).getByText(word, { exact: true });
  await badge("said-1", "Succeeded").waitFor();
  const toneOf = async (name: string, word: string) =>
    /text-(\w+)$/.exec((await badge(name, word).getAttribute("class")) ?? "")?.[1];
  assert.equal(await toneOf("said-1", "Succeeded"), "good");
  assert.equal(await toneOf("refused-1", "Refused"), "warn");
  assert.equal(await toneOf("broken-1", "Errored"), "bad");
  await page.getByRole("button", { name: "Succeeded 3" }).click();
  await page.getByText("Results 1 to 3 of 3").waitFor();
  assert.equal(await row(page, "refused-1").count(), 0);
  await page.getByRole("button", { name: "Refused 2" }).click();
  await page.getByText("Results 1 to 2 of 2").waitFor();
  assert.match(page.url(), /type=refused/);
  await page.reload();
  await page.getByText("Results 1 to 2 of 2").waitFor();
  assert.equal(await row(page, "said-1").count(), 0);
  await page.getByRole("button", { name: "refused-2" }).click();
  await panel(page).getByText("Refused", { exact: true }).waitFor();
  assert.deepEqual(session.problems, []);
});
