// Sessions in a real browser: listed, begun, talked to, interrupted, archived and deleted.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import { said, slowly } from "../rules/sessions-house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { open, openOwnerSession, pick, select } from "./person.ts";
import {
  button,
  dialogOn,
  path,
  row,
  sessionCalls,
  statusOf,
  talk,
  transcript,
} from "./sessions.ts";

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

test("a session is begun in a form, talked to, and found in the list by its first words", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const { id: agent } = await calls.agent({ name: "Porter" });
  await calls.environment();
  await open(page, house.url, "/console/");
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "New session" }).click();
  await page.waitForURL(/\/console\/sessions\/new/);
  await open(page, house.url, `${path}/new?agent=${agent}`);
  await page.getByLabel("First message").fill('Good morning [[say "Good day to you."]]');
  await page.getByLabel("Budget in dollars").fill("2.50");
  await button(page, "Begin the session").click();
  await page.waitForURL(/\/console\/sessions\/sesn_/);
  await transcript(page).getByText("Good day to you.", { exact: true }).waitFor();
  await transcript(page).getByText("Idle: the turn is done.").waitFor();
  await statusOf(page, "Idle").waitFor();
  await page.getByText("of $2.50").waitFor();

  await talk(page, 'Once more [[say "And again."]]');
  await transcript(page).getByText("And again.", { exact: true }).waitFor();
  await transcript(page).getByText("Idle: the turn is done.").nth(1).waitFor();

  await page.getByRole("link", { name: "All sessions" }).click();
  await row(page, "Good morning").getByText("Porter").waitFor();
  await row(page, "Good morning").getByText("Idle").waitFor();
  assert.deepEqual(session.problems, []);
});

test("an agent is tried from its page: a message, a press, and the answer is seen being written", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const body = await calls.bodyOf({ name: "Novelist" });
  // In the environment of its last session, not in the newest one.
  await calls.begin({ ...body, title: "Once before" });
  await calls.environment();
  await open(page, house.url, `/console/agents/${body.agent}`);
  await button(page, "Try it").click();
  await page.waitForURL(/\/sessions\/new\?.*agent=agent_/);
  await page.getByRole("combobox", { name: "Agent" }).getByText("Novelist").waitFor();
  const message = page.getByLabel("First message");
  await message.waitFor();
  await page.keyboard.type(`A long story ${slowly}`);
  await button(page, "Begin the session").click();
  await transcript(page).getByText("Writing", { exact: true }).waitFor();
  await transcript(page).getByText("A long story", { exact: false }).waitFor();
  const [, id = ""] = /sessions\/(sesn_\w+)/.exec(page.url()) ?? [];
  assert.equal((await calls.read(id)).environment_id, body.environment_id);
  // It is sent once, also where the page is left and opened again.
  await page.reload();
  await statusOf(page, "Running").waitFor();
  await button(page, "Interrupt").click();
  await statusOf(page, "Idle").waitFor();
  const asked = (await calls.events(id)).filter(({ type }) => type === "user.message");
  assert.equal(asked.length, 1);
  assert.deepEqual(session.problems, []);
});

test("a first message that the server refuses stands in the session that was begun", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const { agent } = await calls.bodyOf({ name: "Listener" });
  await open(page, house.url, `${path}/new?agent=${agent}`);
  await page.getByLabel("First message").fill("Hear me");
  await page.route(/\/events$/, (route) => route.fulfill({ status: 503, body: "{}" }));
  await button(page, "Begin the session").click();
  await page.getByRole("alert").waitFor();
  assert.equal(await page.getByLabel("Message to the agent").inputValue(), "Hear me");
  await page.unroute(/\/events$/);
  await button(page, "Send").click();
  await transcript(page).getByText("Idle: the turn is done.").waitFor();
  await session.expect(/503/);
  assert.deepEqual(session.problems, []);
});

test("the list follows what runs and what begins elsewhere, and its filters stand in the address", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const body = await calls.bodyOf({ name: "Walker" });
  const begun = await calls.begin({ ...body, title: "The long walk" });
  await open(page, house.url, `${path}?agent=${body.agent}`);
  await row(page, "The long walk").getByText("Idle", { exact: true }).waitFor();
  await calls.send(begun.id, said(slowly));
  await row(page, "The long walk").getByText("Running", { exact: true }).waitFor();
  await page.getByText("1 session, 1 running").waitFor();
  await calls.begin({ ...body, title: "A short one" });
  await row(page, "A short one").waitFor();
  await calls.send(begun.id, { type: "user.interrupt" });
  await row(page, "The long walk").getByText("Idle", { exact: true }).waitFor();

  await calls.archive(begun.id);
  await row(page, "The long walk").waitFor({ state: "detached" });
  await page.getByLabel("Show archived").check();
  await row(page, "The long walk").getByText("Archived").waitFor();
  await select(page.getByLabel("Status", { exact: true }), "Terminated");
  await row(page, "A short one").waitFor({ state: "detached" });
  await row(page, "The long walk").getByText("Terminated").waitFor();
  assert.match(page.url(), /archived=shown/);
  assert.match(page.url(), /status=terminated/);
  await page.reload();
  await row(page, "The long walk").waitFor();
  assert.equal(await row(page, "A short one").count(), 0);
  assert.deepEqual(session.problems, []);
});

test("an answer is shown while it is written, and an interrupt ends it", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const { id } = await calls.make();
  await open(page, house.url, `${path}/${id}`);
  await talk(page, `Tell me all ${slowly}`);
  await statusOf(page, "Running").waitFor();
  await transcript(page).getByText("Writing", { exact: true }).waitFor();
  await page.getByLabel("Message to the agent").fill("Later");
  await page.getByLabel("Message to the agent").press("Enter");
  await transcript(page).getByText("Waits for its turn").waitFor();
  await button(page, "Interrupt").click();
  await transcript(page).getByText("Interrupted.").waitFor();
  await statusOf(page, "Idle").waitFor();
  await transcript(page).getByText("Writing", { exact: true }).waitFor({ state: "detached" });
  assert.equal(await button(page, "Interrupt").count(), 0);
  assert.deepEqual(session.problems, []);
});

test("a session is archived with a warning and takes no more; one that is deleted is gone", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const { id } = await calls.make({}, { title: "To be ended" });
  await open(page, house.url, `${path}/${id}`);
  await pick(button(page, "More for this session"), "Archive");
  await dialogOn(page).getByText("what runs in it is stopped").waitFor();
  await button(page, "Archive the session").click();
  await page.getByText("it takes no more messages", { exact: false }).first().waitFor();
  await statusOf(page, "Terminated").waitFor();
  assert.equal(await page.getByLabel("Message to the agent").count(), 0);
  await dialogOn(page).waitFor({ state: "detached" });
  await pick(button(page, "More for this session"), "Delete");
  await button(page, "Delete the session").click();
  await page.getByRole("heading", { name: "Sessions", exact: true }).waitFor();
  await page.getByLabel("Show archived").check();
  await row(page, "To be ended").waitFor({ state: "detached" });
  assert.deepEqual(session.problems, []);
});

test("whoever may not use sessions is offered neither sessions nor an inbox", async () => {
  await house.world.db.query(sql`
    update users set role = 'membership_admin'
    where organization_id = ${house.organizations.enterprise.organization_id}`);
  await using session = await openOwnerSession(browser, house, {}, "enterprise");
  const { page } = session;
  await open(page, house.url, "/console/");
  for (const name of ["Sessions", "Inbox"])
    assert.equal(await page.getByRole("link", { name, exact: true }).count(), 0, name);
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "Overview" }).waitFor();
  assert.equal(await page.getByRole("option", { name: /session|inbox/i }).count(), 0);
  assert.deepEqual(session.problems, []);
});
