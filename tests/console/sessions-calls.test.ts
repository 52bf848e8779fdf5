// Calls that wait for a person, on the page of their session and in the inbox: allowed, denied, answered.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { openHouse, type House } from "../house.ts";
import { computer, custom, said } from "../rules/sessions-house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { open, openOwnerSession, select } from "./person.ts";
import { settled } from "./settled.ts";
import { button, path, sessionCalls, statusOf, talk, transcript } from "./sessions.ts";

let house: House;
let browser: Browsers;
const calls = sessionCalls(() => house);
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const careful = { name: "Careful", tools: [computer("always_ask"), custom("ask_me")] };
const list = '[[tool bash {"command":"ls"}]]';
const ask = '[[tool ask_me {"question":"How many?"}]]';

test("a call that asks is allowed, and answered in place of a worker; another is denied with a reason", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const { id } = await calls.make(careful);
  await open(page, house.url, `${path}/${id}`);
  await talk(page, `Look around ${list}`);
  const shown = transcript(page);
  await shown.getByText("Waits to be allowed").waitFor();
  // Heard as words, and known as soon as the page of the session knows it.
  await inbox(page, "Inbox 1 session waits").waitFor();
  await shown.getByRole("region", { name: "Input of bash" }).getByText('"ls"').waitFor();
  await button(page, "Allow bash").click();
  await shown.getByText("Waits for a worker").waitFor();
  await inbox(page, "Inbox").waitFor();
  await shown.getByText("Answer in its place").click();
  await page.getByLabel("Result of bash").fill("notes.txt");
  await button(page, "Send the result").click();
  await shown.getByText("Done", { exact: true }).waitFor();
  await statusOf(page, "Idle").waitFor();

  await talk(page, `And again ${list}`);
  await button(page, "Deny bash").click();
  await page.getByLabel("Why not").fill("Not on a Friday");
  await button(page, "Deny the call").click();
  await shown.getByText("Denied", { exact: true }).waitFor();
  const { deny_message: why } = await calls
    .events(id)
    .then((all) => all.findLast(({ type }) => type === "user.tool_confirmation") ?? assert.fail());
  assert.equal(why, "Not on a Friday");
  await shown.getByText("Idle: the turn is done.").nth(1).waitFor();
  assert.deepEqual(session.problems, []);
});

test("a tool of one's own is answered with text or JSON, and what is no JSON is not sent", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const { id } = await calls.make(careful);
  await open(page, house.url, `${path}/${id}`);
  await talk(page, `Find out ${ask}`);
  const field = page.getByLabel("Result of ask_me");
  await field.fill('{"count": 3');
  await select(page.getByLabel("Form of the result"), "As JSON");
  await button(page, "Send the result").click();
  await page.getByRole("alert").getByText("This is no JSON").waitFor();
  await field.fill('{"count": 3}');
  await button(page, "Send the result").click();
  await transcript(page).getByText("Done", { exact: true }).waitFor();
  const events = await calls.idle(id);
  const result = events.find(({ type }) => type === "user.custom_tool_result");
  assert.deepEqual(result?.["content"], [{ type: "text", text: '{"count": 3}' }]);
  assert.deepEqual(session.problems, []);
});

const inbox = (page: Page, name: string) => page.getByRole("link", { name, exact: true });
const waiting = (page: Page, id: string) => page.getByRole("region", { name: `Session ${id}` });

test("the navigation of every page counts what waits, and does not ask for it all the time", async () => {
  await using session = await openOwnerSession(browser, house, { width: 390, height: 844 });
  const { page } = session;
  const made: string[] = [];
  for (let at = 0; at < 21; at += 1) {
    const { id } = await calls.make(careful, { initial_events: [said(ask)] });
    made.push(id);
  }
  for (const id of made) await calls.idle(id);
  let asks = 0;
  page.on("request", (request) => {
    if (request.url().includes("/sessions/waiting")) asks += 1;
  });
  await page.clock.install();
  await open(page, house.url, "/console/models");
  await button(page, "Open the navigation").click();
  // One look has room for twenty of them.
  await inbox(page, "Inbox 20 sessions wait or more").getByText("20+", { exact: true }).waitFor();
  for (const id of made.slice(1)) await calls.archive(id);
  await page.clock.runFor(31_000);
  await inbox(page, "Inbox 1 session waits").waitFor();
  // A hundred seconds, and those that the machine takes for it.
  const before = asks;
  for (let at = 0; at < 10; at += 1) {
    await page.clock.runFor(10_000);
    await settled(page);
  }
  assert.ok(asks - before <= 6, `asked ${asks - before} times`);
  await calls.archive(made[0] ?? assert.fail());
  assert.deepEqual(session.problems, []);
});

test("the inbox has what waits for a person, answers it in place, and is empty in the end", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const make = (title: string, text: string) =>
    calls.make(careful, { title, initial_events: [said(text)] });
  const asking = await make("Looks around", list);
  const answering = await make("Counts", ask);
  for (const { id } of [asking, answering]) await calls.idle(id);
  await open(page, house.url, "/console/inbox");
  await page.getByText("2 sessions", { exact: true }).waitFor();
  await inbox(page, "Inbox 2 sessions wait").waitFor();
  await waiting(page, asking.id).getByText("asks whether it may run").waitFor();
  await waiting(page, asking.id).getByText('"command": "ls"').waitFor();
  await button(page, "Deny bash").click();
  await page.getByLabel("Why not").fill("Ask me first");
  await button(page, "Deny the call").click();
  await waiting(page, asking.id).waitFor({ state: "detached" });
  await page.getByLabel("Result of ask_me").fill("three");
  await button(page, "Send the result").click();
  await page.getByText("Nothing waits for you").waitFor();
  await inbox(page, "Inbox").waitFor();
  const denied = (await calls.events(asking.id)).find(
    ({ type }) => type === "user.tool_confirmation",
  );
  assert.deepEqual([denied?.["result"], denied?.["deny_message"]], ["deny", "Ask me first"]);
  await calls.idle(answering.id);

  // What begins to wait comes by itself, and leads to its session.
  const another = await make("Counts again", ask);
  await waiting(page, another.id).getByRole("link", { name: "Counts again" }).click();
  await transcript(page).getByText("Waits for its result").waitFor();
  assert.deepEqual(session.problems, []);
});
