// The page of models in a real browser: what there is; an upstream tested and added, a model added, tried and removed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { openHouse, type House } from "../house.ts";
import { fakeUpstream, type FakeUpstream } from "../upstreams/fake.ts";
import { goKeys, openBrowser, type Browsers } from "./browser.ts";
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

let house: House;
let browser: Browsers;
let busy: FakeUpstream;
before(async () => {
  [house, browser, busy] = await Promise.all([openHouse(), openBrowser(), fakeUpstream()]);
  busy.answer = ({ reply }) =>
    reply(529, '{"error":{"type":"overloaded_error","message":"Busy."}}');
  const { cookie } = house.organizations.platform;
  const set = async (noun: string, body: object) => {
    const { status } = await house.ask("POST", `/console/api/${noun}`, { cookie, body });
    assert.equal(status, 200);
  };
  await set("upstreams", { name: "busy", kind: "messages", base_url: busy.url });
  await set("upstreams", { name: "idle", kind: "messages", base_url: busy.url });
  await set("models", { id: "house-busy", upstream: "busy" });
  for (const model of ["sim-small", "sim-small", "sim-large", "house-busy"]) await askOf(model);
  house.expectErrors();
});

const askOf = (model: string) =>
  house.ask("POST", "/v1/messages", {
    key: house.organizations.platform.api_key,
    body: { model, max_tokens: 20, messages: [{ role: "user", content: "Hello" }] },
  });

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await busy?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const path = "/console/models";
const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

for (const { width, scheme } of looks) {
  test(`models and their forms at ${width} pixels, ${scheme}`, async () => {
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    await open(page, house.url, path);
    await page.getByRole("table", { name: "Upstreams" }).waitFor();
    await row(page, "sim-large").getByText("$5.00 in").waitFor();
    await picture(page, `models-${width}-${scheme}`);
    await expectFits(page);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Change sim-large" }).click();
    await page.getByRole("dialog").waitFor();
    await picture(page, `models-form-${width}-${scheme}`);
    await expectFits(page);
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Add an upstream" }).click();
    await page.getByLabel("Address").fill(house.url);
    await page.getByRole("button", { name: "Test this upstream" }).click();
    await page.getByRole("dialog").getByText("speaks the Messages API").waitFor();
    await picture(page, `models-upstream-${width}-${scheme}`);
    await expectFits(page);
    await expectAccessible(page);
    assert.deepEqual(session.problems, []);
  });
}

test("an upstream with a key and a model on it: added, shown without the key, changed, removed", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const secret = house.organizations.platform.api_key;
  await open(page, house.url, path);
  await page.getByRole("button", { name: "Add an upstream" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("itself");
  await dialog.getByLabel("Address").fill(house.url);
  await dialog.getByLabel("Key").fill(secret);
  await dialog.getByRole("button", { name: "Test this upstream" }).click();
  await dialog.getByText("sim-classic-large").waitFor();
  await dialog.getByRole("button", { name: "Add the upstream" }).click();
  await row(page, "itself")
    .getByText(`...${secret.slice(-4)}`)
    .waitFor();
  await dialog.waitFor({ state: "detached" });
  assert.equal((await page.content()).includes(secret), false);
  await page.getByRole("button", { name: "Test itself" }).click();
  await page.getByRole("status").getByText("speaks the Messages API").waitFor();

  await page.keyboard.press("n");
  await dialog.getByLabel("Id").fill("echo");
  await select(dialog.getByLabel("Upstream"), "itself");
  await dialog.getByLabel("Its name there").fill("sim-small");
  await dialog.getByLabel("Aliases").fill("echo-*");
  await dialog.getByLabel("Price of a million input tokens").fill("1.5");
  await dialog.getByRole("button", { name: "Add the model" }).click();
  await row(page, "echo").getByText("itself as sim-small").waitFor();
  assert.match(await row(page, "echo").innerText(), /\$1\.50 in/);

  await page.getByRole("button", { name: "Change echo" }).click();
  await dialog.getByLabel("Max output tokens").fill("many");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("are numbers").waitFor();
  await dialog.getByLabel("Max output tokens").fill("500");
  await dialog.getByRole("button", { name: "Save" }).click();
  await row(page, "echo").getByText("500 out").waitFor();

  await row(page, "echo").getByRole("link", { name: "Try echo" }).click();
  await page.getByLabel("Text of turn 1").fill('[[say "From afar."]]');
  await page.getByRole("button", { name: "Run", exact: true, disabled: false }).waitFor();
  await page.keyboard.press("Control+Enter");
  await page.getByRole("region", { name: "Answer", exact: true }).getByText("From afar.").waitFor();
  assert.match(page.url(), /model=echo/);

  await open(page, house.url, path);
  await page.getByRole("button", { name: "Remove itself" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await dialog.getByRole("alert").waitFor();
  await session.expect(/status of 400/);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  for (const name of ["echo", "itself"]) {
    await page.getByRole("button", { name: `Remove ${name}` }).click();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await row(page, name).waitFor({ state: "detached" });
  }
  assert.deepEqual(session.problems, []);
});

test("adding takes nobody's place; a change of one price leaves the others; a key can be forgotten", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const { cookie } = house.organizations.platform;
  const prices = {
    input: 1_000,
    output: 2_000,
    cache_read: 7,
    cache_write_5m: 8,
    cache_write_1h: 9,
  };
  const set = (noun: string, body: object) =>
    house.ask("POST", `/console/api/${noun}`, { cookie, body });
  await set("models", { id: "priced", upstream: "simulator", prices });
  await set("upstreams", {
    name: "keyed",
    kind: "messages",
    base_url: busy.url,
    key: "sk-of-some-length-abcd",
  });
  await open(page, house.url, path);
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Add a model" }).click();
  await dialog.getByLabel("Id").fill("priced");
  await dialog.getByRole("button", { name: "Add the model" }).click();
  await dialog.getByText("There is a model priced already").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Add an upstream" }).click();
  await dialog.getByLabel("Name").fill("keyed");
  await dialog.getByLabel("Address").fill(busy.url);
  await dialog.getByRole("button", { name: "Add the upstream" }).click();
  await dialog.getByText("There is an upstream keyed already").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();

  await page.getByRole("button", { name: "Change priced" }).click();
  await dialog.getByLabel("Price of a million output tokens").fill("3.0005");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("at most three decimals").waitFor();
  await dialog.getByLabel("Price of a million output tokens").fill("3.005");
  await dialog.getByRole("button", { name: "Save" }).click();
  await row(page, "priced").getByText("$3.005 out").waitFor();
  const { body } = await house.ask("GET", "/console/api/models", { cookie });
  const found = body.data.find(({ id }: { id: string }) => id === "priced");
  assert.deepEqual(found.prices, { ...prices, output: 3_005 });

  await dialog.waitFor({ state: "detached" });
  await row(page, "keyed").getByText("...abcd").waitFor();
  await page.getByRole("button", { name: "Change keyed" }).click();
  await dialog.getByLabel("Forget its key").check();
  await dialog.getByRole("button", { name: "Save" }).click();
  // A message in the corner is no dialog that shortcuts wait for.
  await page.getByText("keyed can be asked").waitFor();
  await page.getByRole("dialog", { name: "Change keyed" }).waitFor({ state: "detached" });
  await row(page, "keyed").getByText("None").waitFor();
  await goKeys(page, "o");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  assert.deepEqual(session.problems, []);
});

test("nothing is added before it is known what there is", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const { promise: isTime, resolve: goOn } = Promise.withResolvers<void>();
  await page.route("**/console/api/upstreams", async (route) => {
    await isTime;
    await route.fallback();
  });
  const entries = page.waitForResponse("**/console/api/models");
  await page.goto(house.url + path);
  await (await entries).finished();
  await row(page, "sim-large").waitFor();
  assert.equal(await page.getByRole("button", { name: "Add a model" }).count(), 0);
  goOn();
  await page.getByRole("button", { name: "Add an upstream" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("busy");
  await page.getByRole("dialog").getByLabel("Address").fill(busy.url);
  await page.getByRole("button", { name: "Add the upstream" }).click();
  await page.getByText("There is an upstream busy already").waitFor();
  assert.deepEqual(session.problems, []);
});

test("whoever may not change models reads them, and is offered nothing else", async () => {
  await house.world.db.tx((tx) =>
    tx.query({
      text: "update users set role = 'developer' where organization_id = $1",
      values: [house.organizations.other.organization_id],
    }),
  );
  await using session = await openOwnerSession(browser, house, {}, "other");
  const { page } = session;
  await open(page, house.url, path);
  await row(page, "sim-small").waitFor();
  assert.equal(await page.getByRole("button", { name: /Change|Add/ }).count(), 0);
  assert.equal(await inPage(page, 'document.querySelectorAll("table").length'), 1);
  assert.deepEqual(session.problems, []);
});

test("how each upstream fares is shown, and kept up with while the page is open", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  const table = page.getByRole("table", { name: "Upstreams" });
  const line = (name: string) => table.getByRole("row").filter({ hasText: name });
  await line("simulator").getByText("Works", { exact: true }).waitFor();
  await line("simulator")
    .getByText(/\d answers?, no failure in 30 minutes/)
    .waitFor();
  await line("simulator")
    .getByText(/Half begin within \d+ ms/)
    .waitFor();
  await line("idle").getByText("Not asked yet").waitFor();
  await line("busy").getByText("Failing").waitFor();
  await line("busy").getByText("It says it is overloaded (status 529).").waitFor();
  await line("busy").getByText("1 of 1 failed in 30 minutes (100%)").waitFor();
  await page.getByText("Their health is what this server saw.").waitFor();

  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: [],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  busy.answer = ({ reply }) => reply(200, JSON.stringify(message));
  assert.equal((await askOf("house-busy")).status, 200);
  await line("busy").getByText("Works", { exact: true }).waitFor();
  await line("busy").getByText("1 of 2 failed in 30 minutes (50%)").waitFor();
  await line("busy")
    .getByText(/Last failure .*: it says it is overloaded/)
    .waitFor();
  assert.deepEqual(session.problems, []);
});
