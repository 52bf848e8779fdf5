// The pages of sessions in light and dark, on a desk and on a phone: axe finds nothing, nothing sticks out.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { computer, custom, said, slowly } from "../rules/sessions-house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  inPage,
  looks,
  open,
  openMenu,
  openOwnerSession,
  pick,
  picture,
} from "./person.ts";
import { button, dialogOn, path, row, sessionCalls, transcript } from "./sessions.ts";

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

const long = "It has been a long time coming, and it goes on for longer than a line. ".repeat(4);

/** One with something of each kind in it, which waits for a person in the end. */
async function makeVaried(name: string): Promise<string> {
  const reader = await calls.agent({ name: "Reader" });
  const { id } = await calls.make(
    {
      name,
      tools: [computer("always_ask"), custom("ask_me")],
      multiagent: { type: "coordinator", agents: [reader.id] },
    },
    {
      initial_events: [
        said(`Tell me [[say "${long}"]]`),
        said('[[tool send_to_agent {"agent":"Reader","message":"Read it aloud"}]]'),
        said("[[refuse category=cyber]] [[fail status=400]]"),
      ],
      budget: { type: "limit", max_list_cost: { amount: "500", currency: "USD" } },
    },
  );
  await calls.idle(id);
  const asked = await calls.turn(id, said('[[tool ask_me {"question":"How many?"}]]'));
  const call = asked.find(({ type }) => type === "agent.custom_tool_use")?.id ?? assert.fail();
  await calls.turn(id, {
    type: "user.custom_tool_result",
    custom_tool_use_id: call,
    content: [{ type: "text", text: "three" }],
  });
  await calls.turn(id, said('[[tool bash {"command":"ls -la /mnt/memory | sort"}]]'));
  return id;
}

for (const { width, scheme } of looks) {
  test(`sessions at ${width} pixels, ${scheme}`, async () => {
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    const look = async (name: string) => {
      await picture(page, `${name}-${width}-${scheme}`);
      await expectFits(page);
      await expectAccessible(page);
    };
    const id = await makeVaried(`Support ${width}`);
    const running = await calls.make({}, { title: `Counts at ${width}` });
    await calls.send(running.id, said(slowly));
    await open(page, house.url, path);
    await row(page, `Counts at ${width}`).getByText("Running").waitFor();
    await row(page, "Tell me").first().waitFor();
    await look("sessions");

    await open(page, house.url, `${path}/${running.id}`);
    // What is being written is shown to those who saw it begin.
    await page.getByText("At work…").waitFor();
    await look("session-running");
    await calls.send(running.id, { type: "user.interrupt" });

    await open(page, house.url, `${path}/${id}`);
    await transcript(page).getByText("Waits to be allowed").waitFor();
    await look("session");
    await button(page, "Deny bash").click();
    await page.getByLabel("Why not").waitFor();
    await look("session-deny");
    await page
      .getByRole("button", { name: /^User message/ })
      .first()
      .click();
    await page.locator("[data-item][aria-current]").waitFor();
    await look("session-event");
    await page.getByRole("tab", { name: "Raw events" }).click();
    await page.getByText("session.status_idle", { exact: true }).first().click();
    await look("session-raw");
    await openMenu(button(page, "More for this session"));
    await page.getByRole("menuitem", { name: "Archive" }).waitFor();
    await look("session-acts");
    await page.keyboard.press("Escape");

    await open(page, house.url, "/console/inbox");
    await page.getByText("asks whether it may run").first().waitFor();
    await look("inbox");

    await open(page, house.url, `${path}/new`);
    await button(page, "Begin the session").click();
    await page.getByText("Choose an agent.").waitFor();
    await look("session-new");
    assert.equal(await dialogOn(page).count(), 0);
    assert.deepEqual(session.problems, []);
  });

  test(`a session that is tried, changed, and longer than a page at ${width} pixels, ${scheme}`, async () => {
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    const look = async (name: string) => {
      await picture(page, `${name}-${width}-${scheme}`);
      await expectFits(page);
      await expectAccessible(page);
    };
    const body = await calls.bodyOf({ name: "Novelist", tools: [custom("ask_me")] });
    await open(page, house.url, `/console/agents/${body.agent}`);
    await button(page, "Try it").waitFor();
    await look("agent-try");
    await button(page, "Try it").click();
    await page.getByLabel("First message").waitFor();
    await look("session-try");

    const many = Array.from({ length: 49 }, (_, at) => said(`Question ${at + 1}`));
    const { id } = await calls.begin({
      ...body,
      title: "The long conversation about everything",
      initial_events: [...many, said('[[tool ask_me {"question":"How many?"}]]')],
      budget: { type: "limit", max_list_cost: { amount: "500", currency: "USD" } },
    });
    await calls.idle(id);
    const held = Promise.withResolvers<void>();
    await page.route(/events\?.*page=/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await open(page, house.url, `${path}/${id}`);
    await transcript(page).getByText("Waits for its result").waitFor();
    await look("session-long-end");
    await inPage(page, "window.scrollTo(0, 0)");
    await page.getByText("Loading…").waitFor();
    await look("session-long");
    held.resolve();
    await pick(button(page, "More for this session"), "Rename");
    await dialogOn(page).getByLabel("Title").waitFor();
    await look("session-rename");
    await page.keyboard.press("Escape");
    await pick(button(page, "More for this session"), "Change the budget");
    await page.getByLabel("Budget in dollars").fill("0");
    await button(page, "Save").click();
    await dialogOn(page).getByRole("alert").first().waitFor();
    await look("session-budget");
    await button(page, "Cancel").click();
    await pick(button(page, "More for this session"), "Remove the budget");
    await look("session-budget-removed");
    await button(page, "Keep it").click();
    const menu = button(page, "Open the navigation");
    if (await menu.isVisible()) await menu.click();
    await page.getByRole("link", { name: /^Inbox \d+ sessions? waits?$/ }).waitFor();
    await look("inbox-count");
    assert.deepEqual(session.problems, []);
  });

  test(`no sessions yet at ${width} pixels, ${scheme}`, async () => {
    const look = { width, height: 844, scheme };
    await using session = await openOwnerSession(browser, house, look, "enterprise");
    const { page } = session;
    for (const [name, at, words] of [
      ["sessions-none", path, "No sessions yet"],
      ["inbox-none", "/console/inbox", "Nothing waits for you"],
      ["session-new-none", `${path}/new`, "There is no agent yet."],
    ] as const) {
      await open(page, house.url, at);
      await page.getByText(words).waitFor();
      await picture(page, `${name}-${width}-${scheme}`);
      await expectFits(page);
      await expectAccessible(page);
    }
    assert.deepEqual(session.problems, []);
  });
}
