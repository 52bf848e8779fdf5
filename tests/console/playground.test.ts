// The playground in a real browser: run, stream, stop, fall back, call tools, refuse, fail, copy.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { openHouse, type House } from "../house.ts";
import { testTimeoutMs } from "../test-timeout.ts";
import { goKeys, openBrowser, type Browsers, type Look } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  inPage,
  open,
  openOwnerSession,
  picture,
  select,
} from "./person.ts";
import { queryPosted } from "../posted.ts";

let house: House;
let browser: Browsers;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const path = "/console/playground";
const answer = (page: Page) => page.getByRole("region", { name: "Answer", exact: true });
const state = (page: Page, words: string) => answer(page).getByRole("status").getByText(words);

/** What is pressed before it can be run is lost. */
const canRun = (page: Page) =>
  page.getByRole("button", { name: "Run", exact: true, disabled: false }).waitFor();

async function ask(page: Page, text: string): Promise<void> {
  await page.getByLabel("Text of turn 1").fill(text);
  await canRun(page);
  await page.keyboard.press("Control+Enter");
}

const looks: Look[] = [
  { width: 1280, scheme: "light" },
  { width: 1280, scheme: "dark" },
  { width: 390, height: 844, scheme: "light" },
  { width: 390, height: 844, scheme: "dark" },
];

for (const look of looks) {
  test(`a fallback in mid-answer at ${look.width} pixels, ${look.scheme}: its boundary stands between the models`, async () => {
    await using session = await openOwnerSession(browser, house, look);
    const { page } = session;
    const name = `${look.width}-${look.scheme}`;
    const settings = page
      .getByRole("complementary", { name: "Settings" })
      .getByText("Settings", { exact: true });
    await open(page, house.url, `${path}?model=sim-large`);
    await picture(page, `playground-${name}`);
    await expectFits(page);
    await expectAccessible(page);
    if (look.width === 390) await settings.click();
    await select(page.getByLabel("When it refuses"), "default");
    await select(page.getByLabel("Thinking"), "adaptive");
    if (look.width === 390) {
      await picture(page, `playground-settings-${name}`);
      await expectAccessible(page);
      await settings.click();
    }
    await ask(
      page,
      `Hello from ${name} [[tokens 40]] [[refuse category=cyber after=70]] [[think 50]]`,
    );
    await state(page, "Done").waitFor();
    const boundary = answer(page).getByRole("note", {
      name: "Fallback from sim-large to sim-medium",
    });
    assert.match(await boundary.innerText(), /cyber/);
    assert.match(await answer(page).innerText(), /Answered by\s*sim-medium/);
    assert.match(await answer(page).innerText(), /Price\s*\$0\.\d{6}/);
    assert.match(await answer(page).innerText(), /sim-large: \d+ in, \d+ out/);
    await boundary.scrollIntoViewIfNeeded();
    await picture(page, `playground-fallback-${name}`);
    await expectFits(page);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await answer(page).getByText("straight to sim-medium").waitFor();
    await answer(page).getByRole("tab", { name: "Raw events" }).click();
    await answer(page).getByText("message_stop").waitFor();
    await picture(page, `playground-events-${name}`);
    await expectFits(page);
    await expectAccessible(page);
    assert.deepEqual(session.problems, []);
  });
}

test("an answer is shown while it comes, and Esc stops it on the server too", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  await ask(page, "[[tokens 2000]] [[rate 50]]");
  await page.getByRole("button", { name: "Stop" }).waitFor();
  const text = answer(page).getByRole("tabpanel").locator("p").first();
  await text.filter({ hasText: /\w{4}/ }).waitFor();
  const first = await text.innerText();
  await text.filter({ hasNotText: new RegExp(`^${escaped(first)}$`) }).waitFor();
  await page.keyboard.press("Escape");
  await state(page, "Stopped").waitFor();
  const rows = async () =>
    queryPosted<{ estimated: boolean; output_tokens: number }>(house.world.db, {
      text: "select estimated, output_tokens::int from ledger where outcome = 'cut'",
      values: [],
    });
  const end = performance.now() + testTimeoutMs;
  while ((await rows()).length === 0) assert.ok(performance.now() < end, "nothing was cut");
  assert.ok(((await rows())[0]?.output_tokens ?? 9_999) < 1_000);
  assert.deepEqual(session.problems, []);
});

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

test("a call of a tool is answered by hand, and the conversation goes on", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  await page.getByRole("button", { name: "Insert an example" }).click();
  await ask(page, 'How is it? [[tool get_weather {"place":"Oslo"}]]');
  await page.getByLabel("Result of get_weather").fill("Snow, minus four.");
  assert.match(await answer(page).innerText(), /"place": "Oslo"/);
  await picture(page, "playground-tool-1280-light");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Send the result" }).click();
  await answer(page).getByText("end_turn").waitFor();
  assert.match(await answer(page).innerText(), /minus four/);
  assert.equal(await page.getByRole("list", { name: "Turns" }).getByRole("listitem").count(), 3);
  await answer(page).getByRole("button", { name: "Reply to this" }).click();
  assert.equal(await page.getByRole("list", { name: "Turns" }).getByRole("listitem").count(), 5);
  await page.keyboard.type("Thank you");
  await page.keyboard.press("Control+Enter");
  await state(page, "Done").waitFor();
  assert.deepEqual(session.problems, []);
});

test("a refusal says its category, a failure its sentence and the number of the request", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  await page.getByLabel("Stream the answer").uncheck();
  await ask(page, "[[refuse category=bio]]");
  await answer(page).getByRole("note", { name: "Refusal" }).getByText("bio").waitFor();
  await ask(page, "[[fail status=529 times=9]]");
  await answer(page)
    .getByText(/req_\w+/)
    .waitFor();
  await state(page, "Failed").waitFor();
  await picture(page, "playground-failed-1280-light");
  await expectAccessible(page);
  await page.getByLabel("Max tokens").fill("0");
  await page.getByText("A whole number from 1 to 128,000.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Run", exact: true }).isDisabled(), true);
  await page.getByLabel("Max tokens").fill("64");
  await page.getByLabel("Tools", { exact: true }).fill("[{");
  await page.getByText("This is no JSON").waitFor();
  await session.expect(/status of 529/);
  assert.deepEqual(session.problems, []);
});

test("what broke off tells no count; what was refused or cut off in a call is nothing to go on from", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  await ask(page, "[[tokens 50]] [[fail status=500 after=10]]");
  await state(page, "Failed").waitFor();
  house.expectErrors();
  assert.match(await answer(page).innerText(), /Output\s*Not told\n/);
  const reply = answer(page).getByRole("button", { name: "Reply to this" });
  await ask(page, "[[refuse category=cyber after=20]] [[tokens 60]]");
  await answer(page).getByRole("note", { name: "Refusal" }).waitFor();
  await state(page, "Refused").waitFor();
  assert.equal(await reply.count(), 0);
  await page.getByRole("button", { name: "Insert an example" }).click();
  await page.getByLabel("Max tokens").fill("4");
  await ask(page, '[[tool get_weather {"place":"a place with a very long name"}]]');
  await answer(page).getByText("ends in the middle of a call").waitFor();
  assert.equal(await reply.count(), 0);
  assert.deepEqual(session.problems, []);
});

test("of 30,000 events the first and the last are shown, and all are copied", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  await page.getByLabel("Max tokens").fill("64000");
  await ask(page, "[[tokens 30000]]");
  await state(page, "Done").waitFor();
  await answer(page).getByRole("tab", { name: "Raw events" }).click();
  const shown = answer(page).getByRole("region", { name: "Raw events" });
  await shown.getByText(/message_start[^]*28,00\d events between[^]*message_stop/).waitFor();
  assert.ok((await shown.innerText()).split("\n").length < 2_010);
  await expectFits(page);
  await answer(page).getByRole("button", { name: "Copy all events" }).click();
  await answer(page).getByRole("button", { name: "Copied" }).waitFor();
  const copied = await inPage<string>(page, "navigator.clipboard.readText()");
  assert.ok(copied.split("\n").length > 30_000);
  assert.deepEqual(session.problems, []);
});

test("behind a dialog nothing is run", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  await page.getByLabel("Text of turn 1").fill("Hello");
  await page.getByRole("button", { name: "Copy as code" }).click();
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Control+Enter");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal(await answer(page).count(), 0);
  await page.keyboard.press("Control+Enter");
  await state(page, "Done").waitFor();
  assert.deepEqual(session.problems, []);
});

test("settings follow the model; the address holds its name and never what was written", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  await select(page.getByLabel("Effort"), "xhigh");
  await select(page.getByLabel("Model"), "sim-small");
  assert.equal(await page.getByLabel("Effort").isDisabled(), true);
  await page.getByLabel("System prompt").fill("You keep a secret garden.");
  await ask(page, "A private question");
  await state(page, "Done").waitFor();
  assert.equal(new URL(page.url()).search, "?model=sim-small");
  const told = await inPage<string>(
    page,
    "JSON.stringify([location.href, { ...sessionStorage }, history.state])",
  );
  assert.doesNotMatch(told, /private|secret garden/);
  assert.deepEqual(session.problems, []);
});

test("what another person of the organization wrote is gone once it is known who is here", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/account");
  const { organization_id: own } = house.organizations.platform;
  const names = [`kept ${own} user_other playground`, "kept org_other user_x playground", "more"];
  for (const name of names) await inPage(page, `localStorage.setItem("${name}", "{}")`);
  await open(page, house.url, "/console/account");
  const left = await inPage<string[]>(page, "Object.keys(localStorage)");
  assert.deepEqual(
    names.filter((name) => left.includes(name)),
    names.slice(1),
  );
});

test("with the keyboard alone: there, asked, stopped, asked again", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const { keyboard } = page;
  await open(page, house.url, "/console/");
  await goKeys(page, "p");
  await page.getByRole("heading", { name: "Playground" }).waitFor();
  const typed = page.getByLabel("Text of turn 1");
  await typed.waitFor();
  // Past every page of the navigation.
  for (let presses = 0; presses < 60; presses += 1) {
    if (await typed.evaluate((element) => element.matches(":focus"))) break;
    await keyboard.press("Tab");
  }
  await keyboard.type("[[tokens 3000]] [[rate 20]]");
  await canRun(page);
  await keyboard.press("Control+Enter");
  await page.getByRole("button", { name: "Stop" }).waitFor();
  await keyboard.press("Escape");
  await state(page, "Stopped").waitFor();
  await keyboard.press("Control+a");
  await keyboard.type("Once more");
  // Past what attaches files and what adds a turn.
  for (let presses = 0; presses < 3; presses += 1) await keyboard.press("Tab");
  assert.equal(await inPage(page, "document.activeElement?.textContent"), "Run");
  await keyboard.press("Enter");
  await state(page, "Done").waitFor();
  assert.deepEqual(session.problems, []);
});

test("the request is copied as code that holds this server and no key", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  await select(page.getByLabel("When it refuses"), "list");
  await page.getByLabel("sim-medium").check();
  await page.getByLabel("Text of turn 1").fill("It's a test");
  await page.getByRole("button", { name: "Copy as code" }).click();
  const dialog = page.getByRole("dialog");
  for (const tab of ["TypeScript", "Python", "CLI", "curl"]) {
    await dialog.getByRole("tab", { name: tab }).click();
    const panel = dialog.getByRole("tabpanel", { name: tab, exact: true });
    const code = await panel.locator("code").innerText();
    assert.ok(code.includes(house.url) && code.includes("PLINTH_API_KEY"), code);
    await picture(page, `playground-code-${tab}-1280-light`);
  }
  await expectAccessible(page);
  await dialog
    .getByRole("tabpanel", { name: "curl" })
    .getByRole("button", { name: "Copy" })
    .click();
  await dialog.getByRole("button", { name: "Copied" }).waitFor();
  const copied = await inPage<string>(page, "navigator.clipboard.readText()");
  assert.match(copied, /anthropic-beta: server-side-fallback-2026-07-01/);
  await expectWorks(copied);
  assert.deepEqual(session.problems, []);
});

/** What was copied answers in a shell as it stands. */
async function expectWorks(command: string): Promise<void> {
  const { execFile } = await import("node:child_process");
  const { promisify } = await import("node:util");
  const { stdout } = await promisify(execFile)("sh", ["-c", command], {
    env: { PATH: process.env["PATH"], PLINTH_API_KEY: house.organizations.platform.api_key },
  });
  assert.match(stdout, /message_stop/);
}
