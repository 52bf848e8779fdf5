// A session whose log is longer than a page: the newest is there first, older events come as they are asked for.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { openHouse, type House } from "../house.ts";
import { custom, interrupt, said } from "../rules/sessions-house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { inPage, open, openOwnerSession, until } from "./person.ts";
import { button, path, sessionCalls, statusOf, transcript } from "./sessions.ts";

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

/** Questions that were sent long before their turns: 50 at a time. */
async function makeLong(): Promise<string> {
  const { id } = await calls.make();
  for (const batch of [0, 1])
    await calls.turn(
      id,
      ...Array.from({ length: 50 }, (_, at) =>
        said(`Question ${batch * 50 + at + 1} [[tokens 1]]`),
      ),
    );
  return id;
}

const question = (page: Page, number: number) =>
  transcript(page).getByText(`Question ${number} [[tokens 1]]`, { exact: true });
/** The address of each list of events that the page asks for. */
function asksOf(page: Page): URLSearchParams[] {
  const asks: URLSearchParams[] = [];
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith("/events") && request.method() === "GET") asks.push(searchParams);
  });
  return asks;
}

test("the newest events are there first, with what they answer; older ones come while one scrolls up", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const id = await makeLong();
  const { length } = await calls.events(id);
  assert.ok(length > 700, `${length} events are no long log`);
  const asks = asksOf(page);
  await open(page, house.url, `${path}/${id}`);
  await question(page, 100).waitFor();
  const pages = asks.filter((query) => !query.has("types[]"));
  assert.deepEqual(
    pages.map((query) => [query.get("order"), query.get("limit")]),
    [["desc", "200"]],
  );
  await page.getByText(/^the last \d+ events, there are older ones$/).waitFor();
  // The answers of these turns are among the newest events; the questions were sent long before.
  const shown = await transcript(page).getByText("Idle: the turn is done.").count();
  assert.ok(shown > 10, `${shown} turns`);
  assert.equal(
    await transcript(page)
      .getByText(/^Question \d+ /)
      .count(),
    shown,
  );
  assert.equal(await question(page, 1).count(), 0);

  // What one reads stays where it is while older events come to stand above it.
  const held = Promise.withResolvers<void>();
  await page.route(/events\?.*page=/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await inPage(page, "window.scrollTo(0, 0)");
  await page.getByText("Loading…").waitFor();
  const first = transcript(page)
    .getByText(/^Question \d+ /)
    .first();
  const read = transcript(page).getByText(await first.innerText(), { exact: true });
  const before = (await read.boundingBox()) ?? assert.fail("it is not drawn");
  held.resolve();
  await page.getByText(/^the last 500 events of \d+ so far$/).waitFor();
  const after = (await read.boundingBox()) ?? assert.fail("it is not drawn any more");
  assert.ok(Math.abs(after.y - before.y) < 100, `what was read is at ${after.y}, not ${before.y}`);
  await page.getByRole("tab", { name: "Raw events" }).click();
  await page.getByText(/^\d+ events so far$/).waitFor();
  await inPage(page, "window.scrollTo(0, 0)");
  await page.getByText(`${length} events`, { exact: true }).waitFor();
  await inPage(page, "window.scrollTo(0, 0)");
  await question(page, 1).waitFor();
  assert.deepEqual(session.problems, []);
});

test("an address leads to an event that is far back, and the timeline says that there is more", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const id = await makeLong();
  const events = await calls.events(id);
  const first = events.find(({ type }) => type === "user.message")?.id ?? assert.fail();
  await open(page, house.url, `${path}/${id}?event=${first}`);
  const current = page.locator("[data-item][aria-current]");
  await current.getByText("Question 1 ").waitFor();
  await until(
    page,
    `(() => {
      const { top, bottom } = document.querySelector("[data-item][aria-current]").getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    })()`,
  );
  await page.getByText(`the last 500 events of ${events.length.toLocaleString("en")}`).waitFor();

  // By the keyboard, without scrolling: from the timeline.
  await open(page, house.url, `${path}/${id}`);
  const timeline = page.getByRole("region", { name: "Timeline" });
  const bars = timeline.getByRole("toolbar").getByRole("button");
  const before = await bars.count();
  await timeline.getByRole("button", { name: "Load older events" }).press("Enter");
  await until(page, `document.querySelectorAll("[role=toolbar] button").length > ${before}`);
  assert.equal(await bars.count(), 500);
  assert.deepEqual(session.problems, []);
});

test("a call that waits is answered, however much was sent after it; where older events fail to come, they are asked for again", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const { id } = await calls.make({ tools: [custom("ask_me")] });
  for (let at = 0; at < 40; at += 1) await calls.turn(id, said(`Chat ${at}`));
  await calls.turn(id, said('[[tool ask_me {"question":"How many?"}]]'));
  for (let batch = 0; batch < 5; batch += 1)
    await calls.send(id, ...Array.from({ length: 50 }, () => said("Meanwhile [[tokens 1]]")));
  await page.route(/events\?.*page=/, (route) => route.fulfill({ status: 400, body: "{}" }));
  await open(page, house.url, `${path}/${id}`);
  await page.getByText("Waits for its turn").first().waitFor();
  await inPage(page, "window.scrollTo(0, 0)");
  await transcript(page).getByText("Waits for its result").waitFor();
  await page.getByRole("alert").waitFor();
  await page.unroute(/events\?.*page=/);
  await button(page, "Try again").click();
  await page.getByText("the last 500 events of 578").waitFor();
  await page.getByRole("button", { name: /^Agent custom tool use/ }).click();
  await page.getByLabel("Result of ask_me").fill("three");
  await button(page, "Send the result").click();
  await transcript(page).getByText("Done", { exact: true }).waitFor();
  await calls.send(id, interrupt);
  await statusOf(page, "Idle").waitFor();
  await session.expect(/status of 400/);
  assert.deepEqual(session.problems, []);
});
