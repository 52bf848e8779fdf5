// Message batches in a real browser: watched while they run, their results read, cancelled and deleted.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import {
  cancel,
  dialogOn,
  makeEndedBatch,
  mixed,
  panel,
  path,
  waitForJobs,
  request,
  row,
  slow,
  submit,
  waitUntilEnded,
} from "./batches.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { chooseWorkspace, inPage, open, openOwnerSession, pick } from "./person.ts";
import { settled } from "./settled.ts";

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

const clipboard = "navigator.clipboard.readText()";
const count = (page: Page, name: string) =>
  page.getByRole("term").filter({ hasText: name }).locator("xpath=following-sibling::dd");

/** The lines of results that a download brought. */
async function downloaded(page: Page): Promise<{ name: string; ids: string[] }> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByText("Download results").click(),
  ]);
  const text = readFileSync(await download.path(), "utf8");
  const ids = text
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { custom_id: string }).custom_id);
  return { name: download.suggestedFilename(), ids: ids.toSorted() };
}

/** Waits until the page has stopped asking about batches: its clock runs a minute forward, and it asks nothing. */
async function watchAsking(page: Page): Promise<{ stops: () => Promise<void> }> {
  let looks = 0;
  page.on("request", (asked) => {
    if (/\/batches\b/.test(asked.url())) looks++;
  });
  // It runs as ever until then.
  await page.clock.install();
  const looksWithinAMinute = async () => {
    const before = looks;
    await page.clock.runFor(60_000);
    // Comes behind whatever the timers asked.
    await inPage(page, 'fetch("/healthz").then(({ status }) => status)');
    return looks - before;
  };
  const stops = async () => {
    // What was on its way at first comes to its end.
    for (let minute = 0; minute < 5; minute++) if ((await looksWithinAMinute()) === 0) return;
    assert.fail("the page goes on asking");
  };
  return { stops };
}

test("results: by type, by custom id, page after page, one whole, by its address, as a file", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const id = await makeEndedBatch({ house }, mixed);
  await open(page, house.url, path);
  await page.getByRole("link", { name: id }).click();
  await page.getByText("26 of 26 done").waitFor();
  assert.equal(await count(page, "Succeeded").innerText(), "23");
  assert.equal(await count(page, "Refused").innerText(), "1");
  assert.equal(await count(page, "Errored").innerText(), "2");

  await page.getByText("Results 1 to 20 of 26").waitFor();
  await page.getByRole("button", { name: "Next", exact: true }).click();
  await page.getByText("Results 21 to 26 of 26").waitFor();
  assert.equal(await page.getByRole("button", { name: "Next", exact: true }).isDisabled(), true);
  await page.getByRole("button", { name: "Previous", exact: true }).click();
  await row(page, "page-001").getByText("Answer 1.").waitFor();

  await page.getByRole("button", { name: "Errored 2" }).click();
  await page.getByText("Results 1 to 2 of 2").waitFor();
  await row(page, "broken-2").getByText("told to fail with status 400").waitFor();
  await page.getByRole("button", { name: "broken-1" }).click();
  await panel(page).getByText("invalid_request_error").waitFor();
  await panel(page)
    .getByText(/^req_\w+$/)
    .waitFor();
  await page.keyboard.press("j");
  await panel(page).getByRole("heading", { name: "broken-2" }).waitFor();
  await panel(page).getByRole("button", { name: "Copy JSON" }).click();
  await panel(page).getByRole("button", { name: "Copied" }).waitFor();
  const copied = JSON.parse(await inPage<string>(page, clipboard));
  assert.equal(copied.custom_id, "broken-2");
  assert.equal(copied.result.error.error.type, "invalid_request_error");
  await page.keyboard.press("Escape");
  await panel(page).waitFor({ state: "detached" });

  await page.getByRole("button", { name: "All 26" }).click();
  await page.keyboard.press("/");
  await page.keyboard.type("page-02");
  await page.getByText("Results 1 to 3").waitFor();
  assert.match(page.url(), /q=page-02/);
  await page.keyboard.type(" 2");
  await page.getByText("nothing can be found with this").waitFor();
  await page.getByLabel("Search the custom id").fill("page-022");
  await page.getByRole("button", { name: "page-022" }).click();
  await panel(page).getByText("Answer 22.", { exact: true }).waitFor();
  await panel(page).getByRole("button", { name: "Copy text" }).click();
  await panel(page).getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await inPage<string>(page, clipboard), "Answer 22.");

  // Wherever it stands, its address leads to it: here behind the first page.
  await open(page, house.url, `${path}/${id}?result=refused-1`);
  await panel(page).getByRole("note", { name: "Refusal" }).getByText("cyber").waitFor();
  assert.equal(await row(page, "refused-1").count(), 0);
  await open(page, house.url, `${path}/${id}?type=errored&q=broken&result=nobody`);
  await panel(page).getByText("no request with this custom id").waitFor();
  assert.equal(await page.getByLabel("Search the custom id").inputValue(), "broken");
  await page.getByText("Results 1 to 2").waitFor();

  const { name, ids } = await downloaded(page);
  assert.equal(name, `${id}_results.jsonl`);
  assert.deepEqual(ids, mixed.map(({ custom_id }) => custom_id).toSorted());
  assert.deepEqual(session.problems, []);
});

test("what runs is watched: in the list, on its page, until it has ended", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const asking = await watchAsking(page);
  const soon = Array.from({ length: 12 }, (_, place) =>
    request(`soon-${place + 1}`, `[[rate 1]] [[tokens ${(place + 1) * 2}]]`),
  );
  const id = await submit({ house }, soon);
  await open(page, house.url, path);
  await row(page, id).getByText("12 requests").waitFor();
  await row(page, id).getByText("Time left: working out…").waitFor();
  await row(page, id)
    .getByText(/ succeeded, \d+ processing/)
    .waitFor();
  await row(page, id)
    .getByText(/^[\d.]+ requests? a (second|minute), .+ left$/)
    .waitFor();
  await page.getByText(/batch(es)?, 1 under way/).waitFor();

  await page.getByRole("link", { name: id }).click();
  // What the list has seen is not forgotten.
  await page.getByText(/requests? a (second|minute), .+ left$/).waitFor();
  await row(page, "soon-1").waitFor();
  const download = page.getByRole("button", { name: "Download results" });
  assert.equal(await download.isDisabled(), true);
  await page.getByText("Once the batch has ended").waitFor();

  await page.getByText("12 of 12 done").waitFor();
  await page.getByRole("status").getByText("Ended").waitFor();
  await row(page, "soon-12").waitFor();
  await page.getByText(/^Throughput while this page watched: .* at most\.$/).waitFor();
  await asking.stops();
  assert.deepEqual(session.problems, []);
});

test("a hidden tab does not ask how far a batch is", async () => {
  await using session = await openOwnerSession(browser, house, {}, "other");
  const { page } = session;
  const asking = await watchAsking(page);
  const id = await submit({ house, tenant: "other" }, slow);
  await open(page, house.url, `${path}/${id}`);
  const setHidden = (hidden: boolean) =>
    inPage(
      page,
      `{
        Object.defineProperty(document, "visibilityState", {
          value: "${hidden ? "hidden" : "visible"}", configurable: true });
        window.dispatchEvent(new Event("visibilitychange"));
      }`,
    );
  await page.waitForRequest(/\/batches\//);
  await setHidden(true);
  await asking.stops();
  await setHidden(false);
  await page.waitForRequest(/\/batches\//);
  await page.getByRole("status").getByText("In progress").waitFor();
  await cancel({ house, tenant: "other" }, id);
  assert.deepEqual(session.problems, []);
});

test("a batch is canceled with its consequence, and deleted once it has ended", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  // More than one process has under way of an upstream at first.
  const many = Array.from({ length: 90 }, (_, place) =>
    request(`slow-${place + 1}`, "[[rate 1]] [[tokens 20]]"),
  );
  const id = await submit({ house }, many);
  await open(page, house.url, "/console/");
  await page.getByRole("link", { name: "1 batch under way" }).click();
  await page.getByRole("link", { name: id }).click();
  assert.equal(await page.getByRole("button", { name: "Delete batch" }).count(), 0);
  const dialog = dialogOn(page);
  await page.getByRole("button", { name: "Cancel batch" }).click();
  await dialog.getByText("90 requests of 90 have no result yet").waitFor();
  await dialog.getByText("charged at half the price").waitFor();
  await dialog.getByRole("button", { name: "Let it run" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Cancel batch" }).click();
  await dialog.getByRole("button", { name: "Cancel the batch" }).click();
  await page.getByRole("status").getByText("Canceling").waitFor();
  await page.getByText("No request begins any more").waitFor();
  assert.equal(await page.getByRole("button", { name: "Cancel batch" }).count(), 0);
  await page.getByText("90 of 90 done").waitFor();
  await page.getByText("Cancel asked").waitFor();
  await page.getByRole("button", { name: /^Canceled \d+$/ }).click();
  await page.getByLabel("Search the custom id").fill("slow-90");
  await page.getByRole("button", { name: "slow-90" }).click();
  await panel(page).getByText("canceled before this request ran").waitFor();

  await page.getByRole("button", { name: "Delete batch" }).click();
  await dialog.getByText("its 90 results are gone").waitFor();
  await dialog.getByRole("button", { name: "Delete the batch" }).click();
  await page.getByRole("heading", { name: "Batches", exact: true }).waitFor();
  await settled(page);
  assert.equal(await row(page, id).count(), 0);
  await open(page, house.url, `${path}/${id}`);
  await page.getByRole("alert").getByText("message batch").waitFor();
  await session.expect(/status of 404/);
  assert.deepEqual(session.problems, []);
});

test("a result that is too long for a list is told with its size, and stands in the file", async () => {
  const text = "長".repeat(60_000) + "\\n".repeat(45_000);
  const long = request("long", `[[say "${text}"]]`);
  const id = await makeEndedBatch({ house }, [
    { ...long, params: { ...long.params, max_tokens: 64_000 } },
  ]);
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}/${id}`);
  await row(page, "long").getByText("Too long for a list: 271 kB").waitFor();
  await page.getByRole("button", { name: "long", exact: true }).click();
  await panel(page).getByText("has 271 kB, which is too long to be shown here").waitFor();
  assert.equal(await panel(page).getByRole("button", { name: "Copy JSON" }).count(), 0);
  assert.deepEqual((await downloaded(page)).ids, ["long"]);
  assert.deepEqual(session.problems, []);
});

test("another workspace: its batches, their results and their file, and no others", async () => {
  const { organization_id: organization } = house.organizations.cloud;
  await house.world.db.query(sql`
    insert into workspaces (id, organization_id, name, is_default, created_at)
    values ('wrkspc_elsewhere', ${organization}, 'Elsewhere', false, now())`);
  const here = { house, tenant: "cloud" as const };
  const there = { ...here, workspace: "wrkspc_elsewhere" };
  const [mine, theirs] = [
    await makeEndedBatch(here, mixed.slice(0, 1)),
    await makeEndedBatch(there, [...mixed.slice(0, 2), ...mixed.slice(22, 23)]),
  ];
  await using session = await openOwnerSession(browser, house, {}, "cloud");
  const { page } = session;
  await open(page, house.url, path);
  await row(page, mine).waitFor();
  assert.equal(await row(page, theirs).count(), 0);
  await chooseWorkspace(page, "Elsewhere");
  await row(page, mine).waitFor({ state: "detached" });
  await page.getByRole("link", { name: theirs }).click();
  await page.getByText("3 of 3 done").waitFor();
  await page.getByRole("button", { name: "broken-1" }).click();
  await panel(page).getByText("invalid_request_error").waitFor();
  assert.match(page.url(), /workspace=wrkspc_elsewhere/);
  const { name, ids } = await downloaded(page);
  assert.equal(name, `${theirs}_results.jsonl`);
  assert.deepEqual(ids, ["broken-1", "page-001", "page-002"]);
  await page.getByRole("link", { name: "All batches" }).click();
  await row(page, theirs).waitFor();
  // It is remembered.
  await open(page, house.url, path);
  await row(page, theirs).waitFor();
  assert.match(page.url(), /workspace=wrkspc_elsewhere/);
  // From the page of one of them the switcher leads to the list of the other workspace.
  await row(page, theirs).getByRole("link", { name: theirs }).click();
  await page.getByText("3 of 3 done").waitFor();
  await chooseWorkspace(page, "Default");
  await row(page, mine).waitFor();
  const { workspace_id: home } = house.organizations.cloud;
  assert.ok(page.url().endsWith(`?workspace=${home}`), page.url());
  // The address of a batch leads to it also without its workspace.
  await open(page, house.url, `${path}/${theirs}`);
  await page.getByText("3 of 3 done").waitFor();
  assert.match(page.url(), /workspace=wrkspc_elsewhere/);
  await session.expect(/404/);
  assert.deepEqual(session.problems, []);
});

test("of a long list, more is loaded; a row opens by j and Enter, and has the acts of its batch", async () => {
  const caller = { house, tenant: "enterprise" as const };
  const requests = mixed.slice(0, 1);
  const oldest = await makeEndedBatch(caller, requests);
  const ids = [];
  for (let place = 0; place < 20; place++) ids.push(await submit(caller, requests));
  await Promise.all(ids.map((id) => waitUntilEnded(caller, id)));
  await using session = await openOwnerSession(browser, house, {}, "enterprise");
  const { page } = session;
  await open(page, house.url, path);
  await page.getByText("20 batches so far", { exact: true }).waitFor();
  assert.equal(await row(page, oldest).count(), 0);
  await page.getByRole("button", { name: "Load more" }).click();
  await row(page, oldest).waitFor();
  await page.getByText("21 batches", { exact: true }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Load more" }).count(), 0);

  await pick(page.getByRole("button", { name: `Change ${oldest}` }), "Delete batch");
  await dialogOn(page).getByRole("button", { name: "Delete the batch" }).click();
  await row(page, oldest).waitFor({ state: "detached" });
  await page.getByText("20 batches", { exact: true }).waitFor();
  await dialogOn(page).waitFor({ state: "detached" });

  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${house.url}${path}/${ids.at(-2)}`);
  await page.getByText("1 of 1 done").waitFor();
  assert.deepEqual(session.problems, []);
});

test("after 29 days the counts stay, the results do not, and the file says why", async () => {
  const id = await makeEndedBatch({ house, tenant: "other" }, mixed.slice(0, 3));
  await house.world.db.query(sql`
    update batches set created_at = created_at - interval '30 days' where id = ${id}`);
  await using session = await openOwnerSession(browser, house, {}, "other");
  const { page } = session;
  await open(page, house.url, `${path}/${id}`);
  await page.getByText("3 of 3 done").waitFor();
  await page.getByText("The results are gone").waitFor();
  await page.getByText("Results are kept for 29 days").waitFor();
  assert.equal(await page.getByRole("button", { name: "Download results" }).isDisabled(), true);
  await page.getByText("Results removed").waitFor();
  assert.deepEqual(session.problems, []);
});

test("whoever may not use workspaces is offered no batches", async () => {
  await house.world.db.query(sql`
    update users set role = 'membership_admin'
    where organization_id = ${house.organizations.enterprise.organization_id}`);
  await using session = await openOwnerSession(browser, house, {}, "enterprise");
  const { page } = session;
  await open(page, house.url, "/console/");
  assert.equal(await page.getByRole("link", { name: "Batches" }).count(), 0);
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "Overview" }).waitFor();
  assert.equal(await page.getByRole("option", { name: /batch/i }).count(), 0);
  assert.deepEqual(session.problems, []);
});
