// A client of MCP in a browser, on a page of another origin: the official one, as a bundler makes it for pages.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { openForeignPages, type ForeignPages } from "./foreign-pages.ts";
import { inPage } from "./person.ts";

let house: House;
let browser: Browsers;
let pages: ForeignPages;
before(async () => {
  [house, browser, pages] = await Promise.all([
    openHouse(),
    openBrowser(),
    openForeignPages("@modelcontextprotocol/client"),
  ]);
  const origins = [pages.originOf("inspector")];
  Object.assign(house.world, { sections: { ...house.world.sections, mcp_endpoint: { origins } } });
});
after(async () => {
  await pages[Symbol.asyncDispose]();
  await browser[Symbol.asyncDispose]();
  await house[Symbol.asyncDispose]();
});

const address = () => JSON.stringify(`${house.url}/mcp`);
const authorization = () => `"Bearer ${house.organizations.platform.api_key}"`;

/** In the page: a client of one revision calls a tool, and is told of a change where it can be. */
const clientIn = (mode: string) => `(async () => {
  const { Client, StreamableHTTPClientTransport } = globalThis.client;
  const client = new Client({ name: "page", version: "1" }, { versionNegotiation: { mode: ${mode} } });
  const headers = { authorization: ${authorization()} };
  await client.connect(new StreamableHTTPClientTransport(new URL(${address()}), { requestInit: { headers } }));
  const { tools } = await client.listTools();
  const called = await client.callTool({ name: "list_agents", arguments: {} });
  const listening = ${mode} === "legacy" ? undefined : await client.listen({ promptsListChanged: true });
  await listening?.close();
  await client.close();
  return { tools: tools.length, called: called.structuredContent, honored: listening?.honoredFilter };
})()`;

test("[MCE38] the official client works on a page whose origin the settings name", async () => {
  await using session = await browser.openSession();
  const { page } = session;
  await pages.open(page, "inspector");
  for (const mode of ['{ pin: "2026-07-28" }', '"auto"', '"legacy"']) {
    const { tools, called, honored } = await inPage<{
      tools: number;
      called: object;
      honored?: object;
    }>(page, clientIn(mode));
    assert.ok(tools > 10, mode);
    assert.deepEqual(called, { data: [], next_page: null });
    assert.deepEqual(honored, mode === '"legacy"' ? undefined : { promptsListChanged: true });
  }
});

/** In the page: the status, and what of the answer may be read. */
const fetchIn = (path: string, options: object, header: string) => `(async () => {
  try {
    const answer = await fetch(${JSON.stringify(house.url + path)}, ${JSON.stringify(options)});
    return [answer.status, answer.headers.get("${header}"), (await answer.text()).slice(0, 2_000)];
  } catch (error) {
    return [error.name];
  }
})()`;

const json = { "content-type": "application/json", "mcp-protocol-version": "2026-07-28" };
const asking = { method: "POST", headers: { ...json, "mcp-method": "tools/list" }, body: "{}" };

test("[AUT22] such a page finds the way to a token, from the challenge on", async () => {
  await using session = await browser.openSession();
  const { page } = session;
  await pages.open(page, "inspector");
  const read = (path: string, options: object = {}, header = "content-type") =>
    inPage<[number, string, string]>(page, fetchIn(path, options, header));
  const [status, challenge] = await read("/mcp", asking, "www-authenticate");
  assert.equal(status, 401);
  assert.match(challenge, /resource_metadata="/);
  for (const path of ["oauth-protected-resource/mcp", "oauth-authorization-server"]) {
    const [found, , text] = await read(`/.well-known/${path}`, { headers: json });
    assert.equal(found, 200);
    assert.match(text, /"(issuer|resource)":/);
  }
  const client = {
    client_name: "Page",
    redirect_uris: [`${pages.originOf("inspector")}/back`.replace("inspector.", "")],
  };
  const registering = { method: "POST", headers: json, body: JSON.stringify(client) };
  const [registered, , text] = await read("/v1/oauth/register", registering);
  assert.equal(registered, 201, text);
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const trading = {
    method: "POST",
    headers: form,
    body: "grant_type=refresh_token&refresh_token=none",
  };
  const [refused, , why] = await read("/v1/oauth/token", trading);
  assert.equal(refused, 400);
  assert.match(why, /"error":/);
  await session.expect(/status of 40[01]/);
});

test("[MCE38] a page of another origin reads nothing, and neither do other paths", async () => {
  await using session = await browser.openSession();
  const { page } = session;
  await pages.open(page, "elsewhere");
  for (const path of ["/mcp", "/.well-known/oauth-authorization-server", "/v1/oauth/register"])
    assert.deepEqual(
      await inPage(page, fetchIn(path, asking, "content-type")),
      ["TypeError"],
      path,
    );
  // Without a question beforehand: it is refused where it comes in.
  const simple = { method: "POST", body: "{}", headers: { "content-type": "text/plain" } };
  assert.deepEqual(await inPage(page, fetchIn("/mcp", simple, "content-type")), ["TypeError"]);
  await pages.open(page, "inspector");
  for (const path of ["/v1/models", "/console/api/keys", "/mcpx"])
    assert.deepEqual(
      await inPage(page, fetchIn(path, asking, "content-type")),
      ["TypeError"],
      path,
    );
  // Cookies are not sent along: the browser refuses an answer that does not allow them.
  const cookies = { ...asking, credentials: "include" };
  assert.deepEqual(await inPage(page, fetchIn("/mcp", cookies, "content-type")), ["TypeError"]);
  await session.expect(/CORS|Failed to load/);
});
