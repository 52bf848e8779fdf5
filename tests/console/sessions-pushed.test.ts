// What MCP servers of older revisions ask over an open call: on the page of the session and in the inbox.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { call, resultsOf, toLoopback, withServers } from "../rules/mcp-house.ts";
import { openMcpServer, words, type Tools } from "../rules/mcp-server.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { expectAccessible, expectFits, looks, open, openOwnerSession, picture } from "./person.ts";
import { settled } from "./settled.ts";
import { button, path, sessionCalls, statusOf, transcript } from "./sessions.ts";

let house: House;
let browser: Browsers;
const calls = sessionCalls(() => house);
before(async () => {
  [house, browser] = await Promise.all([
    openHouse({ sections: { network: toLoopback } }),
    openBrowser(),
  ]);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const form = (message: string) => ({
  message,
  requestedSchema: {
    type: "object",
    properties: { name: { type: "string", title: "Name", minLength: 2 } },
    required: ["name"],
  },
});
const address = {
  mode: "url",
  message: "Pay the deposit.",
  url: "https://pay.example.com/42",
  elicitationId: "deposit",
};
/** Settles the address once the test says so. */
const paid = Promise.withResolvers<void>();
const tools: Tools = {
  book: {
    call: async (_input, _signal, { ask }) => {
      const first = await ask("elicitation/create", form("For whom?"));
      const second = await ask("elicitation/create", form("And who comes along?"));
      return words(JSON.stringify([first, second]));
    },
  },
  pay: {
    call: async (_input, _signal, { ask, complete }) => {
      const answer = ask("elicitation/create", address);
      await paid.promise;
      await complete("deposit");
      return words(JSON.stringify(await answer));
    },
  },
};

async function asking(url: string, tool: string): Promise<string> {
  const initial_events = [call(`mcp__docs__${tool}`)];
  const { id } = await calls.make(withServers({ url }), { initial_events });
  await calls.idle(id);
  return id;
}

async function given(id: string): Promise<unknown> {
  const result = await calls.seen(id, "agent.mcp_tool_result");
  return JSON.parse(resultsOf([result])[0] ?? "");
}

for (const { width, scheme } of looks)
  test(`[MCP45] questions over a call are answered one after the other at ${width} pixels, ${scheme}`, async () => {
    await using server = await openMcpServer(tools, "legacy");
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    const id = await asking(server.url, "book");
    await open(page, house.url, `${path}/${id}`);
    const shown = transcript(page);
    await shown.getByText("docs asks: book", { exact: true }).waitFor();
    const first = page.getByRole("region", { name: "For whom?" });
    await first.waitFor();
    await picture(page, `session-pushed-question-${width}-${scheme}`);
    await expectFits(page);
    await expectAccessible(page);
    await button(page, "Accept").click();
    await page.getByRole("alert").getByText("This is required.").waitFor();
    await first.getByLabel("Name", { exact: true }).fill("Ada");
    await button(page, "Accept").click();
    const second = page.getByRole("region", { name: "And who comes along?" });
    await second.waitFor();
    await first.waitFor({ state: "detached" });
    assert.equal(await second.getByLabel("Name", { exact: true }).inputValue(), "");
    await button(page, "Decline").click();
    assert.deepEqual(await given(id), [
      { action: "accept", content: { name: "Ada" } },
      { action: "decline" },
    ]);
    await statusOf(page, "Idle").waitFor();
    await shown.getByText("docs: book", { exact: true }).waitFor();
    await settled(page);
    assert.equal(await shown.getByText("Waits for your answer").count(), 0);
    assert.deepEqual(session.problems, []);
  });

test("[MCP45] [MCP47] a question is cancelled in the inbox; an address that its server is done with goes by itself", async () => {
  await using server = await openMcpServer(tools, "legacy");
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const cancelled = await asking(server.url, "book");
  await open(page, house.url, "/console/inbox");
  await page.getByText("For whom?", { exact: true }).waitFor();
  await button(page, "Cancel").click();
  await page.getByText("And who comes along?", { exact: true }).waitFor();
  await button(page, "Cancel").click();
  const cancel = { action: "cancel" };
  assert.deepEqual(await given(cancelled), [cancel, cancel]);

  const id = await asking(server.url, "pay");
  await open(page, house.url, `${path}/${id}`);
  const link = page.getByRole("link", { name: "Open pay.example.com", exact: true });
  await link.waitFor();
  paid.resolve();
  await link.waitFor({ state: "detached" });
  assert.deepEqual(await given(id), { action: "accept" });
  await statusOf(page, "Idle").waitFor();
  await settled(page);
  const shown = transcript(page);
  await shown.getByText("Done", { exact: true }).waitFor();
  assert.deepEqual(session.problems, []);
});
