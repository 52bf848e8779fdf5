// One request in a real browser: its facts, its attempts, the way to ask again, and the ways to it from its number.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { openHouse, type House } from "../house.ts";
import { addSignedIn, passwordOfAll } from "../rules/members-house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  inPage,
  looks,
  open,
  openOwnerSession,
  openSessionAs,
  picture,
} from "./person.ts";
import { furnishLog } from "./requests.ts";

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

const path = (id: string) => `/console/requests/${id}`;
const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });

for (const { width, scheme } of looks)
  test(`a request at ${width} pixels, ${scheme}`, async () => {
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    for (const name of ["fellBack", "failed", "turn", "change"] as const) {
      await open(page, house.url, path(log[name]));
      await page.getByText(log[name], { exact: true }).waitFor();
      await picture(page, `request-${name}-${width}-${scheme}`);
      await expectFits(page);
      await expectAccessible(page);
    }
    assert.deepEqual(session.problems, []);
  });

test("attempts are a table in words, with their guard, and a picture that is not read aloud", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path(log.fellBack));
  await page.getByText("Models were asked 3 times, over 3.20 s.").waitFor();
  const rows = page.getByRole("table", { name: "Attempts" }).getByRole("row");
  const told = (await rows.allInnerTexts()).slice(1).map((text) => text.split(/\s*[\n\t]+\s*/));
  assert.deepEqual(told, [
    ["sim-small", "Guard", "at simulator", "Was asked and gave its word"].concat([
      "5 ms",
      "235 ms",
      "Came whole",
      "812",
      "0",
      "$0.00",
    ]),
    ["sim-large", "at simulator", "Refused: cyber; the next was asked"].concat([
      "250 ms",
      "650 ms",
      "400 ms",
      "812",
      "0",
      "$0.00",
    ]),
    ["sim-medium", "at a-second-upstream", "Answered"].concat([
      "1.31 s",
      "790 ms",
      "1.10 s",
      "812",
      "164",
      "$0.004896",
    ]),
  ]);
  await open(page, house.url, path(log.failed));
  await page.getByText("overloaded_error", { exact: true }).waitFor();
  await page.getByText(/it asks to wait for 4 seconds/).waitFor();
  await page.getByText("Failed: overloaded error").waitFor();
  assert.deepEqual(session.problems, []);
});

test("what a request has to do with is a press away, and so are requests like it", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path(log.item));
  const hrefs = async (names: readonly string[]) =>
    Promise.all(names.map((name) => link(page, name).first().getAttribute("href")));
  assert.deepEqual(
    await hrefs(["msgbatch_1", "Search backend", "sim-large", "All of this batch"]),
    [
      "/console/batches/msgbatch_1",
      `/console/keys/${log.keyId}`,
      "/console/models/sim-large",
      "/console/requests?batch_id=msgbatch_1",
    ],
  );
  await open(page, house.url, path(log.turn));
  assert.deepEqual(await hrefs(["sesn_1", "owner"]), [
    "/console/sessions/sesn_1",
    `/console/members/${log.owner}`,
  ]);
  await link(page, "All of this session").click();
  await page.waitForURL(/requests\?session_id=sesn_1$/);
  await page.locator(`[data-row="${log.turn}"]`).waitFor();
  assert.deepEqual(session.problems, []);
});

test("it is asked again as curl, without what was said, and in the playground with its model", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path(log.fellBack));
  await page.getByRole("button", { name: "Copy as curl" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const copied = await inPage<string>(page, "navigator.clipboard.readText()");
  assert.ok(copied.includes(`curl ${house.url}/v1/messages`), copied);
  const body = JSON.parse(/-d '([^']+)'$/.exec(copied)?.[1] ?? "") as Record<string, unknown>;
  assert.deepEqual(body["model"], "sim-large");
  assert.deepEqual(body["messages"], [{ role: "user", content: "..." }]);
  await page.getByText("Without what was said: put your own words").waitFor();
  await link(page, "Open in playground").click();
  await page.waitForURL(/playground\?model=sim-large(&|$)/);
  await open(page, house.url, path(log.change));
  assert.equal(await page.getByRole("button", { name: "Copy as curl" }).count(), 0);
  assert.equal(await link(page, "Open in playground").count(), 0);
  assert.deepEqual(session.problems, []);
});

test("a number that the log does not have is told calmly, with what may be the reason", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path("req_01m8gw00000000000000000000"));
  await page.getByRole("heading", { name: "This request is not in the log" }).waitFor();
  assert.equal(await page.getByRole("alert").count(), 0);
  await expectAccessible(page);
  await session.expect(/404/);
  assert.deepEqual(session.problems, []);
});

test("the number of a request leads to its page, from the audit log, from an error and from a message", async () => {
  const { cookie } = house.organizations.platform;
  const made = await house.ask("POST", "/console/api/workspaces", { cookie, body: { name: "W" } });
  const id = made.headers.get("request-id") ?? "";
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/audit?action=workspace.");
  await page.getByRole("button", { name: "Workspace created" }).first().click();
  await link(page, id).click();
  await page.getByRole("heading", { level: 1, name: "Workspaces" }).waitFor();
  assert.ok(page.url().endsWith(path(id)));
  await fail(page, "**/console/api/audit?*", log.failed);
  await open(page, house.url, "/console/audit");
  assert.equal(await link(page, log.failed).getAttribute("href"), path(log.failed));
  await session.expect(/500/);
  await house.signIn(house.organizations.platform);
  await fail(page, "**/console/api/sign_ins/*", log.failed);
  await open(page, house.url, "/console/account");
  await page
    .getByRole("button", { name: /^End the sign-in of / })
    .first()
    .click();
  assert.equal(await link(page, log.failed).getAttribute("href"), path(log.failed));
  await session.expect(/500/);
});

test("to those who may not read the log a number is a number", async () => {
  const { email } = await addSignedIn(house, house.organizations.platform, "user");
  const person = { owner_email: email, owner_password: passwordOfAll };
  await using session = await openSessionAs(browser, house, person);
  const { page } = session;
  await fail(page, "**/console/api/sign_ins", log.failed);
  await open(page, house.url, "/console/account");
  await page.getByText(log.failed).waitFor();
  assert.equal(await link(page, log.failed).count(), 0);
  await session.expect(/500/);
});

/** The server breaks. */
const fail = (page: Page, what: string, id: string) =>
  page.route(what, (route) =>
    route.fulfill({
      status: 500,
      headers: { "request-id": id, "content-type": "application/json" },
      body: JSON.stringify({
        type: "error",
        error: { type: "api_error", message: "It broke." },
        request_id: id,
      }),
    }),
  );
