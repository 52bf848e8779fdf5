// Pages of tools in the console: one made with the official class of Apps (ext-apps), and one that wants out.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { button, dialogOn } from "../console/agents.ts";
import { openBrowser, type Browsers, type Look } from "../console/browser.ts";
import { expectAccessible, inPage, open, openOwnerSession, until } from "../console/person.ts";
import { openHouse, type House } from "../house.ts";
import { toLoopback } from "../rules/mcp-house.ts";
import { mcpRowsOf } from "../rules/mcp-rows-house.ts";
import { openMcpServer, words, type TestServer } from "../rules/mcp-server.ts";
import { bundled, pageWith } from "./mcp-apps/bundle.ts";

let house: House;
let browser: Browsers;
let server: TestServer;
/** The tools that ran, in their order. */
let ran: string[] = [];
const flood = `for (let at = 0; at < 5000; at++)
  parent.postMessage({ jsonrpc: "2.0", id: at, method: "ping" }, "*");`;
before(async () => {
  const [app, hostile] = await Promise.all([bundled("app.js"), bundled("hostile.js")]);
  const told = (name: string) => () => {
    ran.push(name);
    return { ...words(name), structuredContent: { name, left: 2 } };
  };
  const schema = { type: "object", properties: { row: { type: "integer" } } };
  [house, browser, server] = await Promise.all([
    openHouse({ sections: { network: toLoopback } }),
    openBrowser(),
    openMcpServer({
      seats: { schema, page: { html: pageWith(app) }, call: told("seats") },
      look: { isReading: true, call: told("look") },
      book: { call: told("book") },
      hidden: { meta: { ui: { visibility: ["model"] } }, call: told("hidden") },
      hostile: { schema, page: { html: pageWith(hostile) }, call: told("hostile") },
      flood: { schema, page: { html: pageWith(flood) }, call: told("flood") },
    }),
  ]);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});
const rows = mcpRowsOf(() => house);

async function tryTool(name: string, look?: Look) {
  ran = [];
  const { id } = await rows.make({ url: server.url });
  const session = await openOwnerSession(browser, house, look);
  const { page } = session;
  await open(page, house.url, `/console/mcp-servers/${id}`);
  await button(page, `Try ${name}`).click();
  await dialogOn(page).getByLabel("row").fill("3");
  await button(page, "Run the tool").click();
  return { session, page, dialog: dialogOn(page), app: frameIn(page, name) };
}

const frameIn = (page: Page, name: string) => page.frameLocator(`iframe[title="Page of ${name}"]`);

test("[MSV22] the page has what the tool was given and answered, and wears the theme", async () => {
  const { session, page, dialog, app } = await tryTool("seats", { scheme: "dark" });
  await using _ = session;
  await app.getByText("Host: plinth-console, dark").waitFor();
  await app.getByText('Input: {"row":3}').waitFor();
  await app.getByText('Result: {"name":"seats","left":2}').waitFor();
  await until(page, 'document.querySelector("iframe").offsetHeight !== 240');
  await app.getByRole("button", { name: "Say" }).click();
  await app.getByText("Say: {}").waitFor();
  await dialog.getByText("<b>Two seats</b>").waitFor();
  await inPage(page, 'document.querySelector("iframe").scrollIntoView()');
  await expectAccessible(page);
  // The validator of the class looks whether it may make programs.
  session.allow(/unsafe-eval/);
  // And axe looks into frames.
  session.allow(/'postMessage' on 'DOMWindow': The target origin/);
  assert.deepEqual(session.problems, []);
});

test("[MSV23] the page runs tools of its server, when the person says so", async () => {
  const { session, dialog, app } = await tryTool("seats");
  await using _ = session;
  const question = dialog.getByRole("alert");
  const ask = async (name: string, answer: string) => {
    await app.getByRole("button", { name }).click();
    await question.getByText(`The page wants to run ${name.toLowerCase()} of`).waitFor();
    await question.getByText('"from": "page"').waitFor();
    await question.getByRole("button", { name: answer }).click();
    await question.waitFor({ state: "detached" });
  };
  await ask("Look", "Refuse");
  await app.getByText("Look failed:").waitFor();
  assert.deepEqual(ran, ["seats"]);
  await ask("Look", "Allow");
  await app.getByText(/^Look: .*"left":2/).waitFor();
  await app.getByRole("button", { name: "Look" }).click();
  await app
    .getByText(/^Look: .*"left":2/)
    .nth(1)
    .waitFor();
  await ask("Book", "Allow");
  await app.getByText(/^Book: /).waitFor();
  await ask("Book", "Refuse");
  await app.getByText("Book failed:").waitFor();
  await app.getByRole("button", { name: "Hidden" }).click();
  await app.getByText(/^Hidden failed: .*has no tool hidden for its pages/).waitFor();
  assert.deepEqual(ran, ["seats", "look", "look", "book"]);
  assert.equal(await question.count(), 0);
});

test("[MSV24] a link is opened by the person alone, and one question is open at a time", async () => {
  const { session, page, dialog, app } = await tryTool("seats");
  await using _ = session;
  const opened: string[] = [];
  await session.context.route("https://example.com/**", (route) => {
    opened.push(route.request().url());
    return route.fulfill({ body: "Seats" });
  });
  const question = dialog.getByRole("alert");
  await app.getByRole("button", { name: "Open" }).click();
  await question.getByText("The page wants to open example.com").waitFor();
  await app.getByRole("button", { name: "Book" }).click();
  await app.getByText("Book failed:").waitFor();
  assert.equal(await question.count(), 1);
  await question.getByRole("button", { name: "Refuse" }).click();
  await app.getByText('Open: {"isError":true}').waitFor();
  assert.deepEqual(opened, []);
  await app.getByRole("button", { name: "Open" }).click();
  const next = page.context().waitForEvent("page");
  await question.getByRole("button", { name: "Allow" }).click();
  const other = await next;
  await other.waitForURL("https://example.com/seats");
  assert.equal(await inPage(other, "opener === null"), true);
  assert.deepEqual(ran, ["seats"]);
});

test("[MSV21] [MSV22] a page that wants out reaches nothing, and the console goes on", async () => {
  const { session, page, dialog } = await tryTool("hostile");
  await using _ = session;
  const before = page.url();
  const said = dialog.getByText(/^parent document:/);
  await said.waitFor();
  assert.deepEqual((await said.innerText()).split("\n"), [
    "parent document: threw SecurityError",
    "cookie: threw SecurityError",
    "storage: threw SecurityError",
    "console API: threw TypeError",
    "outside: threw TypeError",
    "top window: threw SecurityError",
    "popup: got null",
    "unlisted tool: refused -32000",
    "hidden tool: refused -32000",
    "script address: refused -32000",
    "plain address: refused -32000",
    "resources/read: refused -32601",
    "sampling/createMessage: refused -32601",
  ]);
  await until(page, 'document.querySelector("iframe").offsetHeight === 40');
  assert.deepEqual(ran, ["hostile"]);
  assert.equal(page.url(), before);
  assert.equal(page.context().pages().length, 1);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await button(page, "Try look").waitFor();
});

test("[MSV22] a page that sends without end is closed, and the console goes on", async () => {
  const { session, page, dialog } = await tryTool("flood");
  await using _ = session;
  await dialog.getByText("The page of flood was closed. It sent too many messages.").waitFor();
  assert.equal(await page.locator("iframe").count(), 0);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await button(page, "Try look").waitFor();
  assert.deepEqual(session.problems, []);
});
