// MCP servers in a real browser: added, asked, what changed of them, a tool tried, edited, deleted.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { toLoopback } from "../rules/mcp-house.ts";
import { mcpRowsOf } from "../rules/mcp-rows-house.ts";
import { openMcpServer, words, type TestServer } from "../rules/mcp-server.ts";
import { vaultsOf } from "../rules/vaults-house.ts";
import { button, dialogOn, heading } from "./agents.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  looks,
  open,
  openOwnerSession,
  pick,
  picture,
  select,
} from "./person.ts";
import { settled } from "./settled.ts";

let house: House;
let browser: Browsers;
let server: TestServer;
/** What `search` was given. */
const given: unknown[] = [];
const dot =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const search = {
  description: "Searches the handbook.",
  schema: {
    type: "object",
    required: ["query", "order"],
    properties: {
      query: { type: "string", description: "Words to look for." },
      order: { enum: ["newest", "best"] },
      most: { type: "integer" },
      exact: { type: "boolean" },
      tags: { type: "array", items: { type: "string" } },
    },
  },
  call: (input: unknown) => {
    given.push(input);
    return {
      content: [
        { type: "text" as const, text: '{"found":["Limits"]}' },
        { type: "image" as const, data: dot, mimeType: "image/png" },
      ],
    };
  },
};
const broken = { call: () => ({ ...words("no such page"), isError: true }) };
before(async () => {
  [house, browser, server] = await Promise.all([
    openHouse({ sections: { network: toLoopback } }),
    openBrowser(),
    openMcpServer({ search, broken, old: {} }),
  ]);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});
const rows = mcpRowsOf(() => house);
const vaults = vaultsOf(() => house);

test("a server is added, shows its tools and what has changed, and is deleted", async () => {
  server.tools = { search, broken, old: {} };
  await vaults.make({ display_name: "Handbook" });
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const dialog = dialogOn(page);
  await open(page, house.url, "/console/mcp-servers");
  await page.keyboard.press("n");
  await dialog.getByLabel("Name", { exact: true }).fill("docs");
  await dialog.getByLabel("Address").fill("http://192.168.1.1/mcp");
  await select(dialog.getByLabel("Vault"), "Handbook");
  await button(page, "Add server").last().click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel("Address").fill(server.url);
  await button(page, "Add server").last().click();
  await dialog.waitFor({ state: "detached" });
  await heading(page, "docs").waitFor();
  const tools = page.getByRole("list", { name: "Tools", exact: true });
  await tools.getByText("Searches the handbook.").waitFor();
  const input = page.getByRole("list", { name: "Input of search" });
  await input.getByText("text, required: Words to look for.").waitFor();
  await page.getByText("test 1, MCP 2026-07-28").waitFor();
  await page.getByRole("link", { name: "Handbook" }).waitFor();
  await page.getByRole("list", { name: "Versions seen" }).getByText("test 1").waitFor();

  server.tools = { search: { ...search, description: "Searches more." }, broken, fresh: {} };
  await button(page, "Ask again").click();
  await tools.getByText("Searches more.").waitFor();
  const changes = await page.locator("dl[aria-label^=Changes]").innerText();
  assert.deepEqual(changes.split(/\s+/), ["New", "fresh", "Changed", "search", "Gone", "old"]);

  server.before = (_request, response) => {
    response.writeHead(500);
    response.end();
    return true;
  };
  await settled(page);
  await button(page, "Ask again").click();
  await page.getByRole("alert").getByText("answered with the status 500").waitFor();
  server.before = () => false;
  await page.getByRole("link", { name: "All MCP servers" }).click();
  await page.getByRole("table").getByText("Fails", { exact: true }).waitFor();

  await pick(button(page, "Change docs"), "Delete");
  await button(page, "Delete the server").click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("heading", { name: "No MCP servers yet" }).waitFor();
  // The address that was refused.
  assert.equal(session.problems.length, 1);
  assert.match(String(session.problems[0]), /status of 400 .*\/v1\/mcp_servers\)/);
});

test("a tool is tried by a form of its schema, and its answer is shown", async () => {
  server.tools = { search, broken };
  const { id } = await rows.make({ name: "tried", url: server.url });
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const dialog = dialogOn(page);
  await open(page, house.url, `/console/mcp-servers/${id}`);
  await button(page, "Try search").click();
  await button(page, "Run the tool").click();
  await dialog.getByText("The tool must be given this.").waitFor();
  assert.deepEqual(given, []);
  await dialog.getByLabel("query").fill("limits");
  await select(dialog.getByLabel("order"), '"best"');
  await dialog.getByLabel("most").fill("3");
  await select(dialog.getByLabel("exact"), "true");
  await dialog.getByLabel("tags").fill('["a"]');
  await button(page, "Run the tool").click();
  await dialog.getByText("The tool answered").waitFor();
  assert.deepEqual(given, [{ query: "limits", order: "best", most: 3, exact: true, tags: ["a"] }]);
  await dialog.getByText(/"found": \["Limits"\]/).waitFor();
  await dialog.getByRole("img", { name: "A picture" }).waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });

  await button(page, "Try broken").click();
  await button(page, "Run the tool").click();
  await dialog.getByText("The tool failed").waitFor();
  await dialog.getByText("no such page").waitFor();
  assert.deepEqual(session.problems, []);
});

for (const { width, scheme } of looks)
  test(`the pages of MCP servers at ${width} pixels, ${scheme}`, async () => {
    server.tools = { search, broken };
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    const look = async (name: string) => {
      await picture(page, `${name}-${width}-${scheme}`);
      await expectFits(page);
      await expectAccessible(page);
    };
    await open(page, house.url, "/console/mcp-servers");
    await page.getByRole("link", { name: "tried" }).waitFor();
    await look("mcp-servers");
    await page.getByRole("link", { name: "tried" }).click();
    await page.getByText("Searches the handbook.").waitFor();
    await look("mcp-server");
    await button(page, "Try search").click();
    await dialogOn(page).getByLabel("query").waitFor();
    await look("mcp-server-try");
  });
