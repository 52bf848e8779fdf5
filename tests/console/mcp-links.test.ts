// Rule MSV32: from agents and sessions to the MCP servers of the workspace that they name, and back.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { toLoopback, withServers } from "../rules/mcp-house.ts";
import { mcpRowsOf } from "../rules/mcp-rows-house.ts";
import { openMcpServer, type TestServer } from "../rules/mcp-server.ts";
import { said } from "../rules/sessions-house.ts";
import { heading } from "./agents.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { expectAccessible, expectFits, looks, open, openOwnerSession, picture } from "./person.ts";
import { path, sessionCalls } from "./sessions.ts";

let house: House;
let browser: Browsers;
let server: TestServer;
before(async () => {
  [house, browser, server] = await Promise.all([
    openHouse({ sections: { network: toLoopback } }),
    openBrowser(),
    openMcpServer({ search: {} }),
  ]);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});
const rows = mcpRowsOf(() => house);
const sessions = sessionCalls(() => house);

for (const { width, scheme } of looks)
  test(`[MSV32] agents, versions and sessions lead to a server, and it to agents at ${width} pixels, ${scheme}`, async () => {
    const name = `Handbook ${width} ${scheme}`;
    const { id: row } = await rows.make({ name, url: server.url });
    const other = { name: "away", url: "https://away.example.com/mcp" };
    const both = withServers({ url: server.url }, other);
    const reader = { name: `Reader ${width} ${scheme}`, ...both };
    const bodies = await sessions.bodyOf(reader);
    const { id: past, version } = await sessions.agent({ ...reader, name: "No longer" });
    await sessions.askGood("POST", `/v1/agents/${past}`, {
      body: { version, ...withServers(other) },
    });
    const { id } = await sessions.begin(bodies);
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;

    server.before = (_request, response) => {
      response.writeHead(500).end();
      return true;
    };
    await sessions.turn(id, said("Go on"));
    server.before = () => false;
    await open(page, house.url, `${path}/${id}`);
    const troubles = page.getByRole("note", { name: "Error" });
    await troubles.getByText("An MCP server could not be reached: away").waitFor();
    await troubles.getByRole("link", { name: "docs", exact: true }).waitFor();
    assert.equal(await troubles.getByRole("link").count(), 1);
    await expectAccessible(page);
    const named = page.getByRole("list", { name: "MCP servers" });
    await named.getByText("away", { exact: true }).waitFor();
    assert.equal(await named.getByRole("link").count(), 1);
    await picture(page, `session-mcp-servers-${width}-${scheme}`);
    await named.getByRole("link", { name: "docs", exact: true }).click();
    await heading(page, name).waitFor();

    const agents = page.getByRole("list", { name: "Agents", exact: true });
    const link = agents.getByRole("link", { name: reader.name, exact: true });
    await link.waitFor();
    assert.equal(await agents.getByText("No longer").count(), 0);
    await expectFits(page);
    await expectAccessible(page);
    await picture(page, `mcp-server-agents-${width}-${scheme}`);
    await link.click();
    await heading(page, reader.name).waitFor();
    const tools = page.getByRole("list", { name: "Tools", exact: true });
    await tools.getByRole("link", { name: "docs", exact: true }).waitFor();
    assert.equal(await tools.getByRole("link").count(), 1);
    await picture(page, `agent-mcp-link-${width}-${scheme}`);

    await open(page, house.url, `/console/agents/${past}?version=1`);
    await page.getByRole("status").getByText("Version 1 of 2").waitFor();
    await tools.getByRole("link", { name: "docs", exact: true }).click();
    await page.waitForURL(new RegExp(`/mcp-servers/${row}`));
    await heading(page, name).waitFor();
    assert.deepEqual(session.problems, []);
  });
