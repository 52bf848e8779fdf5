// The events of a session in a real browser: over a connection that breaks, by their addresses, of other threads.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { said } from "../rules/sessions-house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { openCutProxy } from "./cut-proxy.ts";
import { inPage, open, openOwnerSession, select, until } from "./person.ts";
import { path, sessionCalls, talk, transcript } from "./sessions.ts";

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

test("after a connection that broke, what happened meanwhile is there, and nothing twice", async () => {
  await using way = await openCutProxy(house.url);
  await using session = await openOwnerSession(browser, { ...house, url: way.url });
  const { page } = session;
  const { id } = await calls.make();
  await open(page, way.url, `${path}/${id}`);
  await talk(page, 'One [[say "First answer."]]');
  await transcript(page).getByText("First answer.", { exact: true }).waitFor();
  await transcript(page).getByText("Idle: the turn is done.").waitFor();
  way.cut();
  await page.getByText("The connection is lost.").waitFor();
  await calls.turn(id, said('Two [[say "Second answer."]]'));
  way.mend();
  await transcript(page).getByText("Second answer.", { exact: true }).waitFor();
  await page.getByText("The connection is lost.").waitFor({ state: "detached" });
  await talk(page, 'Three [[say "Third answer."]]');
  await transcript(page).getByText("Third answer.", { exact: true }).waitFor();
  await transcript(page).getByText("Idle: the turn is done.").nth(2).waitFor();
  for (const text of ["First answer.", "Second answer.", "Third answer."])
    assert.equal(await transcript(page).getByText(text, { exact: true }).count(), 1, text);
  const { length } = await calls.events(id);
  await page.getByRole("tab", { name: "Raw events" }).click();
  await page.getByText(`${length} events`, { exact: true }).waitFor();
  await session.expect(/ERR_/);
  assert.deepEqual(session.problems, []);
});

test("an address leads to its event in a long session, and a press on the timeline to another one", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const many = Array.from({ length: 50 }, (_, at) => said(`Question ${at + 1} [[tokens 1]]`));
  const { id } = await calls.make({}, { initial_events: many });
  const events = await calls.idle(id);
  // Not among those that are seen or drawn at first.
  const asked = events.filter(({ type }) => type === "user.message")[19]?.id ?? assert.fail();
  await open(page, house.url, `${path}/${id}?event=${asked}`);
  const current = page.locator("[data-item][aria-current]");
  await current.getByText("Question 20 ").waitFor();
  const isSeen = `(() => {
    const { top, bottom } = document.querySelector("[data-item][aria-current]").getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  })()`;
  await until(page, isSeen);

  await page
    .getByRole("button", { name: /^User message/ })
    .last()
    .click();
  await current.getByText("Question 50 ").waitFor();
  await until(page, isSeen);
  assert.doesNotMatch(page.url(), new RegExp(asked));

  // Raw, of one type, each as the API gives it.
  await page.getByRole("tab", { name: "Raw events" }).click();
  await select(page.getByLabel("Type of events"), "user.message");
  await page.getByText("50 events", { exact: true }).waitFor();
  const raw = page.getByRole("region", { name: "Raw events", exact: true });
  await raw.getByText("user.message", { exact: true }).first().click();
  await raw.getByText('"Question 1 [[tokens 1]]"').waitFor();
  await raw.getByRole("button", { name: "Show it in the transcript" }).first().click();
  await current.getByText("Question 1 ").waitFor();
  assert.ok((await inPage<number>(page, "document.querySelectorAll('[data-item]').length")) > 0);
  assert.deepEqual(session.problems, []);
});

test("the thread of another agent is shown beside the session's own, and leads back", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const reader = await calls.agent({ name: "Reader" });
  const { id } = await calls.make({
    name: "Boss",
    multiagent: { type: "coordinator", agents: [reader.id] },
  });
  await open(page, house.url, `${path}/${id}`);
  await page
    .getByLabel("Message to the agent")
    .fill('[[tool send_to_agent {"agent":"Reader","message":"Read this aloud"}]]');
  await page.getByLabel("Message to the agent").press("Enter");
  await transcript(page).getByText("To Reader").waitFor();
  await transcript(page).getByText("From Reader").waitFor();
  await transcript(page).getByRole("button", { name: "Show its thread" }).first().click();
  await transcript(page).getByText("From Reader").waitFor({ state: "detached" });
  await transcript(page).getByText("Read this aloud").first().waitFor();
  assert.match(page.url(), /thread=sthr_/);
  assert.equal(await page.getByLabel("Message to the agent").count(), 0);
  await page.goBack();
  await transcript(page).getByText("From Reader").waitFor();
  assert.deepEqual(session.problems, []);
});
