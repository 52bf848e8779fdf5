// The pages of a key, a member, a model and a workspace in a real browser: busy ones, new ones, those that are gone.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { openHouse, type House } from "../house.ts";
import { addSignedIn, passwordOfAll } from "../rules/members-house.ts";
import { workspacesOf } from "../rules/workspaces-house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { furnishObjects } from "./object-pages.ts";
import {
  expectAccessible,
  expectFits,
  looks,
  open,
  openOwnerSession,
  openSessionAs,
  picture,
} from "./person.ts";

let house: House;
let browser: Browsers;
let made: Awaited<ReturnType<typeof furnishObjects>>;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  made = await furnishObjects(house);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const link = (page: Page, name: string | RegExp) =>
  page.getByRole("link", { name, exact: typeof name === "string" });
const part = (page: Page, title: string) =>
  page.locator("section").filter({ has: page.getByRole("heading", { name: title, exact: true }) });
const sum = (page: Page, name: string) =>
  page.locator("dl div").filter({ has: page.getByText(name, { exact: true }) });
const parts = ["Spend", "Limits", "Recent requests", "Audit"];

const paths = () => ({
  key: `/console/keys/${made.busy}`,
  "key-new": `/console/keys/${made.fresh}`,
  "key-idle": `/console/keys/${made.idle}`,
  "key-archived": `/console/keys/${made.archived}`,
  member: `/console/members/${made.person.id}`,
  "member-left": `/console/members/${made.gone}`,
  model: "/console/models/sim-large",
  workspace: `/console/workspaces/${made.workspace}`,
  "workspace-new": `/console/workspaces/${made.empty}`,
});

for (const { width, scheme } of looks)
  test(`pages of one thing at ${width} pixels, ${scheme}`, async () => {
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    for (const [name, path] of Object.entries(paths())) {
      await open(page, house.url, path);
      await page.getByRole("heading", { name: "Recent requests" }).waitFor();
      await picture(page, `object-${name}-${width}-${scheme}`);
      await expectFits(page);
      await expectAccessible(page);
    }
    await session.expect(/404/);
    assert.deepEqual(session.problems, []);
  });

test("no page of one thing is wider than the window", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  for (const path of Object.values(paths())) {
    await open(page, house.url, path);
    for (const width of [390, 768, 900, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await expectFits(page);
    }
  }
  await session.expect(/404/);
  assert.deepEqual(session.problems, []);
});

test("a key that is used: who made it and where it works, what it costs, its last requests, what was done", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, paths().key);
  await page.getByRole("heading", { level: 1, name: "Search backend" }).waitFor();
  await page.getByText("Active", { exact: true }).first().waitFor();
  await page.getByText(/^Last used (an? |[0-9]+ )?\w+ ago$/).waitFor();
  assert.equal(await page.getByText("Unused", { exact: true }).count(), 0);
  for (const name of parts) await page.getByRole("heading", { name, exact: true }).waitFor();
  await sum(page, "Yesterday").getByText("$4.00 USD").waitFor();
  await sum(page, "Last 30 days").getByText("$120.00 USD").waitFor();
  await sum(page, "The 30 days before").getByText("$60.00 USD").waitFor();
  const days = new Date().getUTCDate();
  // 4 dollars on each of the last 30 days, and on a 31st one half of that.
  const month = 4 * Math.min(days, 30) + 2 * Math.max(0, days - 30);
  await sum(page, "This month").getByText(`$${month}.00 USD`).waitFor();
  const usage = part(page, "Spend").getByRole("table", { name: "Usage" });
  assert.equal(
    await usage.getByRole("link", { name: "Simulator Large" }).getAttribute("href"),
    "/console/models/sim-large",
  );
  const chart = page.getByRole("slider", { name: /^Chart of cost/ });
  await chart.focus();
  await page.keyboard.press("End");
  assert.match(
    (await chart.getAttribute("aria-valuetext")) ?? "",
    /Simulator Large 3, Simulator Small 1, Sum 4, Before 2$/,
  );
  await page.getByText("Nothing is refused now.").waitFor();
  assert.equal(
    await link(page, "Open in usage").getAttribute("href"),
    `/console/usage?key=${made.busy}&by=model`,
  );
  assert.equal(
    await link(page, "All requests").getAttribute("href"),
    `/console/requests?credential_id=${made.busy}`,
  );
  assert.equal(
    await link(page, "All that was done to it").getAttribute("href"),
    `/console/audit?target_id=${made.busy}`,
  );
  assert.equal(await page.locator(`[href="/console/requests/${made.last}"]`).count(), 2);
  assert.deepEqual(session.problems, []);
});

test("the last ten requests stand there, and those that failed are a press away, in the address", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, paths().key);
  const rows = part(page, "Recent requests").locator("[data-row]");
  await rows.nth(9).waitFor();
  assert.equal(await rows.count(), 10);
  await page.getByRole("button", { name: "Failed ones only", pressed: false }).press("Enter");
  await page.waitForURL(/requests=failed$/);
  await link(page, "All failed requests").waitFor();
  await rows.nth(1).waitFor({ state: "detached" });
  await rows.getByText("overloaded_error: The upstream is overloaded.").waitFor();
  assert.equal(
    await link(page, "All failed requests").getAttribute("href"),
    `/console/requests?credential_id=${made.busy}&status=error`,
  );
  await page.reload();
  await page.getByRole("button", { name: "Failed ones only", pressed: true }).waitFor();
  assert.deepEqual(session.problems, []);
});

test("a key that nothing used, one that rests since long, one that is archived: each says it in words", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, paths()["key-new"]);
  await page.getByText("Never used", { exact: true }).first().waitFor();
  assert.equal(await page.getByText("Unused", { exact: true }).count(), 0);
  await part(page, "Spend").getByText("Nothing in the last 30 days.").waitFor();
  await page.getByText("No request of it is in the log.").waitFor();
  await page.getByText("It did nothing.").waitFor();
  await open(page, house.url, paths()["key-idle"]);
  await page.getByText("Last used 43 days ago", { exact: true }).waitFor();
  await page.getByText("Unused", { exact: true }).waitFor();
  await open(page, house.url, paths()["key-archived"]);
  await page.getByText("Every request with it is refused: it is archived for ever.").waitFor();
  assert.equal(await page.getByRole("button", { name: "More for this api key" }).count(), 0);
  assert.deepEqual(session.problems, []);
});

test("a key is renamed on its page, and the list leads to it by keyboard", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/keys?q=Made+just");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/console\/keys\/apikey_\w+/);
  await page.getByRole("button", { name: "More for this api key" }).press("Enter");
  await page.getByRole("menuitem", { name: "Rename" }).dispatchEvent("click");
  await page.getByLabel("Name", { exact: true }).fill("Made a moment ago");
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("heading", { level: 1, name: "Made a moment ago" }).waitFor();
  await part(page, "Audit").getByText("Key renamed").waitFor();
  assert.deepEqual(session.problems, []);
});

test("the list of keys tells in one press which of them nothing uses, and keeps it in the address", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/keys");
  await page.locator(`[data-row="${made.fresh}"]`).waitFor();
  await page.getByRole("button", { name: "Unused for 30 days" }).click();
  await page.locator(`[data-row="${made.fresh}"]`).waitFor({ state: "detached" });
  await page.locator(`[data-row="${made.idle}"]`).waitFor();
  assert.equal(await page.locator(`[data-row="${made.busy}"]`).count(), 0);
  assert.match(page.url(), /\?unused=30$/);
  await page.getByRole("button", { name: "Take this filter away" }).click();
  await page.locator(`[data-row="${made.fresh}"]`).waitFor();
  assert.deepEqual(session.problems, []);
});

test("a member: when they were here, their spend with that of their keys, and what they did", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, paths().member);
  await page.getByText(made.person.email).first().waitFor();
  await sum(page, "Last 30 days").getByText("$120.00 USD").waitFor();
  await page.getByText(/In the console: .* With a key of theirs: Never\./).waitFor();
  await page.getByText("They made none.").waitFor();
  assert.equal(await part(page, "Recent requests").locator("[data-row]").count(), 1);
  assert.equal(
    await link(page, "All requests").getAttribute("href"),
    `/console/requests?user_id=${made.person.id}`,
  );
  assert.equal(
    await link(page, "Open in usage").getAttribute("href"),
    `/console/usage?person=${made.person.id}&by=model`,
  );
  await open(page, house.url, paths()["member-left"]);
  await page.getByText("Left", { exact: true }).waitFor();
  await part(page, "Audit").getByText("User removed").waitFor();
  assert.deepEqual(await page.getByRole("button", { name: "More for this member" }).count(), 0);
  await session.expect(/404/);
  assert.deepEqual(session.problems, []);
});

test("where members have limits of their own, the page of one says which of them refuses", async () => {
  const { enterprise } = house.organizations;
  const { id: user_id } = await addSignedIn(house, enterprise, "user");
  const limited = await house.ask("POST", "/console/api/user_spend_limits", {
    cookie: enterprise.cookie,
    body: { scope: { type: "user", user_id }, period: "daily", amount: "0" },
  });
  assert.equal(limited.status, 200);
  await using session = await openOwnerSession(browser, house, {}, "enterprise");
  const { page } = session;
  await open(page, house.url, `/console/members/${user_id}`);
  await page
    .getByText(/^Their own limit of \$0\.00 a day is reached: .* until the day ends/)
    .waitFor();
  await page.getByRole("table", { name: "Their own limits" }).waitFor();
  assert.equal(
    await link(page, "Change the limits").getAttribute("href"),
    "/console/limits?tab=members",
  );
  await open(page, house.url, "/console/models/sim-large");
  await page
    .getByText(/^To managed members these roles give it: |^No role gives it to managed/)
    .waitFor();
  assert.deepEqual(session.problems, []);
});

test("a model: where it is asked, what it costs by key, how its upstream fares", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/models");
  await link(page, "Simulator Large").click();
  await page.waitForURL(/\/console\/models\/sim-large$/);
  await sum(page, "Last 30 days").getByText("$90.00 USD").waitFor();
  await page.getByText("$5.00 in and $25.00 out").waitFor();
  await page.getByText("Everybody who may ask models, and every API key").waitFor();
  await page.getByText("Not asked yet").waitFor();
  const usage = part(page, "Spend").getByRole("table", { name: "Usage" });
  assert.equal(
    await usage.getByRole("link", { name: "Search backend" }).getAttribute("href"),
    `/console/keys/${made.busy}`,
  );
  const rates = page.getByRole("table", { name: "Rate limits" });
  await rates.waitFor();
  assert.equal(await rates.locator("[data-row]").count(), 1);
  await link(page, "Open in playground").click();
  await page.waitForURL(/playground\?model=sim-large(&|$)/);
  assert.deepEqual(session.problems, []);
});

test("a workspace keeps its members and keys, and tells what runs, what it spends and what is refused", async () => {
  const { cookie } = house.organizations.platform;
  const scope = { type: "workspace", workspace_id: made.empty };
  const body = { scope, amount: "0" };
  await house.ask("POST", "/console/api/spend_limits", { cookie, body });
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, paths().workspace);
  await sum(page, "Yesterday").getByText("$4.00 USD").waitFor();
  await page.getByRole("table", { name: "API keys" }).waitFor();
  await part(page, "Under way").getByText("Sessions").waitFor();
  await open(page, house.url, paths()["workspace-new"]);
  await page
    .getByText(
      "Empty's limit of $0.00 a month is reached: requests that cost something are refused until the month ends (UTC), or the limit is raised.",
    )
    .waitFor();
  await page.getByText("No keys yet").waitFor();
  await page.getByText("Never in the last year").waitFor();
  await link(page, "Change the limits").click();
  await page.waitForURL(`${house.url}/console/limits?workspace=${made.empty}`);
  assert.deepEqual(session.problems, []);
});

test("what is unknown, or another organization's, is a page that is not there", async () => {
  const { cookie } = house.organizations.other;
  const key = await house.ask("POST", "/console/api/keys", {
    cookie,
    body: { name: "Theirs", kind: "api" },
  });
  const me = await house.ask("GET", "/console/api/me", { cookie });
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const paths = [
    `/keys/${key.body.id}`,
    "/keys/apikey_nothing",
    `/members/${me.body.user.id}`,
    "/models/nothing",
    `/workspaces/${house.organizations.other.workspace_id}`,
    "/service-accounts/svac_nothing",
  ];
  for (const path of paths) {
    await page.goto(`${house.url}/console${path}`);
    await page.getByRole("heading", { level: 1, name: "There is no such page" }).waitFor();
    assert.equal(await page.getByRole("alert").count(), 0, path);
  }
  await session.expect(/404/);
  assert.deepEqual(session.problems, []);
});

test("who only makes keys in a workspace sees a key there, and nothing is asked that they may not read", async () => {
  const { platform } = house.organizations;
  const person = await addSignedIn(house, platform, "user");
  await workspacesOf(house).join(platform, made.empty, person, "workspace_developer");
  const body = { name: "Of the empty one", kind: "api", workspace_id: made.empty };
  const key = await house.ask("POST", "/console/api/keys", { cookie: platform.cookie, body });
  await using session = await openSessionAs(browser, house, {
    owner_email: person.email,
    owner_password: passwordOfAll,
  });
  const { page } = session;
  const asks: string[] = [];
  page.on("request", (request) => asks.push(new URL(request.url()).pathname));
  await open(page, house.url, `/console/keys/${key.body.id}`);
  await page.getByRole("heading", { level: 1, name: "Of the empty one" }).waitFor();
  await page.getByText("Never used", { exact: true }).first().waitFor();
  for (const name of parts)
    assert.equal(await page.getByRole("heading", { name, exact: true }).count(), 0, name);
  const kept = /\/(api|v1).*\/(analytics|requests|audit|spend_limits|rate_limits)/;
  assert.deepEqual(
    asks.filter((path) => kept.test(path)),
    [],
  );
  assert.deepEqual(session.problems, []);
});

test("names in the request log and in the audit log lead to the pages of what they name", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `/console/requests?credential_id=${made.busy}`);
  const first = page.locator("[data-row]").first();
  await first.getByRole("link", { name: "Search backend" }).waitFor();
  const hrefs = await Promise.all(
    ["Search backend", "sim-large", "Default"].map((name) =>
      first.getByRole("link", { name, exact: true }).getAttribute("href"),
    ),
  );
  assert.deepEqual(hrefs, [
    `/console/keys/${made.busy}`,
    "/console/models/sim-large",
    `/console/workspaces/${made.workspace}`,
  ]);
  await open(page, house.url, `/console/audit?target_id=${made.archived}`);
  await page.locator("[data-row]").first().getByRole("link", { name: "Archived one" }).click();
  await page.waitForURL(`${house.url}${paths()["key-archived"]}`);
  assert.deepEqual(session.problems, []);
});
