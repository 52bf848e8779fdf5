// What an MCP server asks in a session: a form on its page and in the inbox, addresses to open, and answers to each.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inputRequired } from "@modelcontextprotocol/server";
import { openHouse, type House } from "../house.ts";
import { call, resultsOf, toLoopback, withServers } from "../rules/mcp-house.ts";
import { asksFirst } from "../rules/mcp-questions-house.ts";
import { openMcpServer, type Tools } from "../rules/mcp-server.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { expectAccessible, expectFits, open, openOwnerSession, select } from "./person.ts";
import { button, path, sessionCalls, transcript } from "./sessions.ts";

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

const form = {
  type: "object" as const,
  properties: {
    name: { type: "string" as const, title: "Name", description: "As on the door", minLength: 2 },
    seats: { type: "integer" as const, title: "Seats", minimum: 1 },
    room: { type: "string" as const, title: "Room", enum: ["hall", "garden"] },
    dishes: {
      type: "array" as const,
      title: "Dishes",
      items: { type: "string" as const, enum: ["soup", "fish", "cake"] },
    },
    quiet: { type: "boolean" as const, title: "A quiet place", default: true },
  },
  required: ["name", "room"],
};
const who = inputRequired.elicit({ message: "For whom is the table?", requestedSchema: form });
const page = inputRequired.elicitUrl({ message: "Pay.", url: "https://pay.example.com/a?b=1" });
const tools: Tools = {
  book: asksFirst({ who }, (answers) => answers["who"]),
  pay: asksFirst({ page, who }),
};

async function asking(url: string, tool: string): Promise<string> {
  const initial_events = [call(`mcp__docs__${tool}`)];
  const { id } = await calls.make(withServers({ url }), { initial_events });
  await calls.idle(id);
  return id;
}

/** What the server was given, once the turn is done. */
async function given(id: string): Promise<unknown> {
  const result = await calls.seen(id, "agent.mcp_tool_result");
  return JSON.parse(resultsOf([result])[0] ?? "");
}

test("a form is filled in on the page of the session, held against its fields, and sent", async () => {
  await using server = await openMcpServer(tools);
  await using session = await openOwnerSession(browser, house);
  const seen = session.page;
  const id = await asking(server.url, "book");
  await open(seen, house.url, `${path}/${id}`);
  const shown = transcript(seen);
  await shown.getByText("docs asks: book", { exact: true }).waitFor();
  await shown.getByText("Waits for your answer", { exact: true }).waitFor();
  assert.equal(await shown.getByText("Not run", { exact: true }).count(), 0, "its call waits, too");
  await shown.getByText("For whom is the table?", { exact: true }).waitFor();
  await expectAccessible(seen);
  await button(seen, "Accept").click();
  await seen.getByRole("alert").getByText("This is required.").first().waitFor();
  await seen.getByLabel("Name", { exact: true }).fill("A");
  await seen.getByLabel("Seats (optional)").fill("four");
  await select(seen.getByLabel("Room", { exact: true }), "garden");
  await seen.getByLabel("fish").check();
  await seen.getByLabel("A quiet place").uncheck();
  await button(seen, "Accept").click();
  await seen.getByRole("alert").getByText("This must be a number.").waitFor();
  await seen.getByLabel("Seats (optional)").fill("4");
  await button(seen, "Accept").click();
  // The server of Plinth knows the rest of the rules, and the form stays as it is.
  await seen.getByText("who.content.name: must have at least 2 characters").waitFor();
  await seen.getByLabel("Name", { exact: true }).fill("Ada");
  await button(seen, "Accept").click();
  assert.deepEqual(await given(id), {
    action: "accept",
    content: { name: "Ada", seats: 4, room: "garden", dishes: ["fish"], quiet: false },
  });
  await shown.getByText("Done", { exact: true }).nth(1).waitFor();
  const [refused = "", ...problems] = session.problems;
  assert.match(refused, /status of 400/);
  assert.deepEqual(problems, []);
});

test("a form is declined in the inbox; of several questions each has its answer", async () => {
  await using server = await openMcpServer(tools);
  await using session = await openOwnerSession(browser, house, {
    width: 390,
    height: 844,
    scheme: "dark",
  });
  const seen = session.page;
  const declined = await asking(server.url, "book");
  await open(seen, house.url, "/console/inbox");
  await seen.getByText("waits for your answer").waitFor();
  await button(seen, "Decline").click();
  assert.deepEqual(await given(declined), { action: "decline" });
  const id = await asking(server.url, "pay");
  await open(seen, house.url, `${path}/${id}`);
  const link = seen.getByRole("link", { name: "Open pay.example.com", exact: true });
  assert.equal(await link.getAttribute("href"), "https://pay.example.com/a?b=1");
  await expectFits(seen);
  assert.equal(await link.getAttribute("rel"), "noopener noreferrer");
  await select(seen.getByLabel("Answer to For whom is the table?"), "cancel");
  await seen.getByLabel("Name", { exact: true }).waitFor({ state: "detached" });
  await button(seen, "Send the answers").click();
  assert.deepEqual(await given(id), { page: { action: "accept" }, who: { action: "cancel" } });
  assert.deepEqual(session.problems, []);
});
