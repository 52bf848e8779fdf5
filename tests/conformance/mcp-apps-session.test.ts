// A page of a tool at a call of it in a session: made with the official class of Apps (ext-apps), shown when asked for.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openBrowser, type Browsers } from "../console/browser.ts";
import {
  expectAccessible,
  expectFits,
  inPage,
  looks,
  open,
  openOwnerSession,
  picture,
} from "../console/person.ts";
import { path, sessionCalls, transcript } from "../console/sessions.ts";
import { openHouse, type House } from "../house.ts";
import { call, toLoopback, withServers } from "../rules/mcp-house.ts";
import { mcpRowsOf } from "../rules/mcp-rows-house.ts";
import { openMcpServer, words, type TestServer, type Tools } from "../rules/mcp-server.ts";
import { bundled, pageWith } from "./mcp-apps/bundle.ts";

let house: House;
let browser: Browsers;
let tools: Tools;
/** The tools that ran, in their order. */
const ran: string[] = [];
const sessions = sessionCalls(() => house);
const rows = mcpRowsOf(() => house);
before(async () => {
  const told = (name: string) => () => {
    ran.push(name);
    return { ...words(name), structuredContent: { name, left: 2 } };
  };
  const schema = { type: "object", properties: { row: { type: "integer" } } };
  const [app, opened, lent] = await Promise.all([
    bundled("app.js"),
    openHouse({ sections: { network: toLoopback } }),
    openBrowser(),
  ]);
  [house, browser] = [opened, lent];
  tools = {
    seats: { schema, page: { html: pageWith(app) }, call: told("seats") },
    look: { isReading: true, call: told("look") },
  };
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

/** A session whose agent has called both tools. */
async function called({ url }: TestServer): Promise<string> {
  const { id } = await sessions.make(withServers({ url }));
  await sessions.turn(id, call("mcp__docs__seats", { row: 3 }));
  await sessions.turn(id, call("mcp__docs__look"));
  return id;
}

const show = { name: /^Show the page of/ };

for (const { width, scheme } of looks)
  test(`[MSV31] the page at a call has what the events say at ${width} pixels, ${scheme}`, async () => {
    await using server = await openMcpServer({ ...tools });
    await rows.make({ name: `docs ${width} ${scheme}`, url: server.url });
    const id = await called(server);
    ran.length = 0;
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    const asked = server.asked.length;
    await open(page, house.url, `${path}/${id}`);
    const button = transcript(page).getByRole("button", show);
    await button.waitFor();
    // The other tool has no page.
    assert.equal(await button.count(), 1);
    assert.equal(server.asked.length, asked, "nothing is asked before");
    await picture(page, `session-call-page-${width}-${scheme}`);
    await button.press("Enter");
    const app = page.frameLocator('iframe[title="Page of seats"]');
    await app.getByText(`Host: plinth-console, ${scheme}`).waitFor();
    await app.getByText('Input: {"row":3}').waitFor();
    await app.getByText('Result: {"name":"seats","left":2}').waitFor();
    assert.deepEqual(ran, [], "showing runs nothing");
    const question = page.getByRole("dialog").getByRole("alert");
    await app.getByRole("button", { name: "Look" }).click();
    await question.getByText("The page wants to run look of").waitFor();
    assert.deepEqual(ran, []);
    await question.getByRole("button", { name: "Allow" }).click();
    await app.getByText(/^Look: .*"left":2/).waitFor();
    assert.deepEqual(ran, ["look"]);
    await inPage(page, 'document.querySelector("iframe").scrollIntoView()');
    await picture(page, `session-page-of-tool-${width}-${scheme}`);
    await expectFits(page);
    await expectAccessible(page);
    // The validator of the class looks whether it may make programs.
    session.allow(/unsafe-eval/);
    // And axe looks into frames.
    session.allow(/'postMessage' on 'DOMWindow': The target origin/);
    assert.deepEqual(session.problems, []);
  });

test("[MSV31] a call of a server at another address than those of the workspace offers no page", async () => {
  await using server = await openMcpServer({ ...tools });
  const { id: row } = await rows.make({ name: "elsewhere", url: "https://docs.example.com/mcp" });
  const id = await called(server);
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}/${id}`);
  await transcript(page).getByText("docs: seats", { exact: true }).waitFor();
  assert.equal(await page.getByRole("button", show).count(), 0);
  await rows.update(row, { url: server.url });
  await open(page, house.url, `${path}/${id}`);
  const button = page.getByRole("button", show);
  await button.waitFor();
  server.tools["seats"] = { ...tools["seats"], page: undefined as never };
  await button.press("Enter");
  await page.getByText("The server has no page for this tool any more.").waitFor();
  assert.deepEqual(session.problems, []);
});
