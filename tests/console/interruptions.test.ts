// The server goes away and comes back, a session ends in the middle of work: what was written stays, and it goes on.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { dialogOn } from "./batches.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  looks,
  open,
  openOwnerSession,
  picture,
  signIn,
  type Owner,
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

for (const { width, scheme } of looks)
  test(`a server that is away is a notice, and the page goes on when it is back, ${width} ${scheme}`, async () => {
    await using session = await openOwnerSession(browser, house, { width, scheme });
    const { page } = session;
    await open(page, house.url, "/console/account");
    const notice = page.getByRole("status").getByText("The server does not answer.");
    await page.route(/\/console\/api\//, (route) => route.abort());
    await page.getByLabel("Your name").fill(`Somebody at ${width}`);
    await page.getByRole("button", { name: "Change name" }).click();
    await notice.waitFor();
    await picture(page, `away-${width}-${scheme}`);
    await expectFits(page);
    await expectAccessible(page);
    await page.unroute(/\/console\/api\//);
    await notice.waitFor({ state: "detached" });
    assert.equal(await page.getByLabel("Your name").inputValue(), `Somebody at ${width}`);
    await page.getByRole("button", { name: "Change name" }).click();
    await page.getByText(`You are called Somebody at ${width} now`).waitFor();
    await session.expect(/ERR_FAILED/);
    assert.deepEqual(session.problems, []);
  });

test("a request that is never answered does not keep a page from seeing that the server is back", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/account");
  // By this the page looks whether the server is back: the first time it is left without an answer.
  const askedAgain = Promise.withResolvers<void>();
  let isAway = true;
  let timesLooked = 0;
  await page.route(/\/console\/api\//, async (route) => {
    if (!isAway) return route.fallback();
    if (!route.request().url().endsWith("/me")) return route.abort();
    timesLooked += 1;
    if (timesLooked === 1) return;
    askedAgain.resolve();
    return route.abort();
  });
  const name = page.getByLabel("Your name");
  await name.fill("Kept");
  await page.getByRole("button", { name: "Change name" }).click();
  const notice = page.getByRole("status").getByText("The server does not answer.");
  await notice.waitFor();
  await askedAgain.promise;
  isAway = false;
  await notice.waitFor({ state: "detached" });
  assert.equal(await name.inputValue(), "Kept");
  await session.expect(/ERR_FAILED/);
  assert.deepEqual(session.problems, []);
});

test("a console that is opened while the server is away begins as soon as it is back", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  // As a proxy says it.
  await page.route(/\/console\/api\//, (route) => route.fulfill({ status: 502, body: "<p>Bad" }));
  await page.goto(`${house.url}/console/keys`);
  await page.getByText("The server does not answer.").waitFor();
  await page.unroute(/\/console\/api\//);
  await page.getByRole("heading", { name: "API keys" }).waitFor();
  await session.expect(/status of 502/);
  assert.deepEqual(session.problems, []);
});

test("Run after the session has ended leads to the sign-in page, and back to what was written", async () => {
  await using session = await browser.openSession();
  const { page, context } = session;
  const owner: Owner = house.organizations.platform;
  const path = "/console/playground?model=sim-medium";
  await signIn(page, house.url, owner, path);
  await page.getByLabel("Text of turn 1").fill("Keep me, please");
  await page.getByLabel("System").fill("Be brief");
  // Not before: what the page asks by itself would lead there without Run.
  await page.route(/messages$/, async (route) => {
    await context.clearCookies();
    await route.fallback();
  });
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.waitForURL(/\/sign-in\?next=/);
  await page.unroute(/messages$/);
  await page.getByLabel("E-mail").fill(owner.owner_email);
  await page.getByLabel("Password").fill(owner.owner_password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(house.url + path);
  const text = page.getByLabel("Text of turn 1");
  await text.waitFor();
  assert.equal(await text.inputValue(), "Keep me, please");
  assert.equal(await page.getByLabel("System").inputValue(), "Be brief");
  await page.getByRole("button", { name: "Run", exact: true, disabled: false }).click();
  await page.getByRole("region", { name: "Answer", exact: true }).getByText("Done").waitFor();
  await page.reload();
  await text.waitFor();
  assert.equal(await text.inputValue(), "Keep me, please", "what is filled in outlives a reload");
  await session.expect(/status of 401/);
  assert.deepEqual(session.problems, []);
});

test("a sign-in that ends under an open form takes nothing of it: after another one it is sent", async () => {
  await using session = await browser.openSession();
  const { page, context } = session;
  const owner: Owner = house.organizations.platform;
  await signIn(page, house.url, owner, "/console/workspaces?new=workspace");
  const name = dialogOn(page).getByLabel("Name");
  await name.fill("Kept");
  await context.clearCookies();
  const create = dialogOn(page).getByRole("button", { name: "Create workspace" });
  await create.click();
  await page.getByText("You are signed out.").waitFor();
  assert.equal(await name.inputValue(), "Kept");
  const other = await context.newPage();
  await signIn(other, house.url, owner);
  await other.close();
  await page.getByText("You are signed out.").waitFor({ state: "hidden" });
  await create.click();
  await page.getByRole("heading", { name: "Kept" }).waitFor();
  await session.expect(/status of 401/);
  assert.deepEqual(session.problems, []);
});

test("sources of an answer stand under its text", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const citation = {
    type: "page_location",
    cited_text: "The tower is 330 metres high.",
    document_index: 0,
    document_title: "Guide to the city",
    file_id: null,
    start_page_number: 3,
    end_page_number: 5,
  };
  const usage = { input_tokens: 9, output_tokens: 5 };
  const events = [
    {
      type: "message_start",
      message: { id: "msg_1", model: "sim-large", content: [], stop_reason: null, usage },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    {
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text: "It is 330 metres high." },
    },
    { type: "content_block_delta", index: 0, delta: { type: "citations_delta", citation } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
    { type: "message_stop" },
  ];
  await page.route("**/v1/messages", (route) =>
    route.fulfill({
      contentType: "text/event-stream",
      body: events
        .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
        .join(""),
    }),
  );
  await open(page, house.url, "/console/playground");
  await page.getByLabel("Text of turn 1").fill("How high is it?");
  await page.getByRole("button", { name: "Run", exact: true, disabled: false }).click();
  const sources = page.getByRole("list", { name: "Sources" });
  await sources.getByText("Guide to the city pages 3 to 4").waitFor();
  await sources.getByText("The tower is 330 metres high.").waitFor();
  await expectAccessible(page);
  await picture(page, "playground-sources-1280-light");
  await page.emulateMedia({ colorScheme: "dark" });
  await expectAccessible(page);
  await picture(page, "playground-sources-1280-dark");
  assert.deepEqual(session.problems, []);
});
