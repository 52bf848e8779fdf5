// The page of show_session in a real browser, inside the official host of Apps (ext-apps, AppBridge).
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { openBrowser, type Browsers, type Look } from "../console/browser.ts";
import { inPage, until } from "../console/person.ts";
import { openHouse, type House } from "../house.ts";
import { mcpClient } from "../rules/mcp-endpoint-client.ts";
import { bundled } from "./mcp-apps/bundle.ts";

let house: House;
let browser: Browsers;
let host: Server;
before(async () => {
  const [opened, browsers, script] = await Promise.all([
    openHouse(),
    openBrowser(),
    bundled("host.js"),
  ]);
  house = opened;
  browser = browsers;
  host = await serveHost(script);
});
after(async () => {
  host?.closeAllConnections();
  host?.close();
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const key = () => house.organizations.platform.api_key;
const ask = mcpClient(() => ({ url: house.url, key: key() }));

const markup = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Host</title>
<body><script type="module" src="/host.js"></script></body></html>`;

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>;
}

/** The host's own server: it alone has the key, as a client's has. */
async function serveHost(script: string): Promise<Server> {
  const page = async () => {
    const { result } = await ask("resources/read", { uri: "ui://plinth/session-timeline" });
    return { html: result["contents"][0].text };
  };
  const answerOf = async (request: IncomingMessage) => {
    const body = await bodyOf(request);
    return request.url === "/page" ? page() : (await ask("tools/call", body)).result;
  };
  const server = createServer((request, response) => {
    const end = (type: string, text: string) =>
      void response.writeHead(200, { "content-type": type }).end(text);
    if (request.url === "/host.js") end("text/javascript", script);
    else if (request.method === "GET") end("text/html", markup);
    else void answerOf(request).then((answer) => end("application/json", JSON.stringify(answer)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

const at = () => `http://127.0.0.1:${(host.address() as AddressInfo).port}/`;

async function make(path: string, body: object): Promise<string> {
  const headers = { "anthropic-beta": "managed-agents-2026-04-01" };
  const made = await house.ask("POST", path, { key: key(), headers, body });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  return String(made.body["id"]);
}

const call = async (name: string, input: object) =>
  (await ask("tools/call", { name, arguments: input })).result["structuredContent"];

async function sessionTold(message: string): Promise<string> {
  const weather = { type: "custom", name: "weather", description: "" };
  const tools = [{ ...weather, input_schema: { type: "object" } }];
  const agent = await make("/v1/agents", { name: "Teller", model: "sim-small", tools });
  const config = { type: "cloud" };
  const environment_id = await make("/v1/environments", { name: `at ${agent}`, config });
  return String((await call("run_agent", { agent, environment_id, message }))["session_id"]);
}

async function openApp(session_id: string, look: Look = {}) {
  const session = await browser.openSession(look);
  const { page } = session;
  await page.goto(at());
  await until(page, "globalThis.openApp !== undefined");
  const given = { name: "show_session", input: { session_id }, theme: look.scheme ?? "light" };
  await inPage(page, `void openApp(${JSON.stringify(given)})`);
  return { session, page, app: page.frameLocator("iframe") };
}

const hostile = "<img src=x onerror=\"document.title='run'\"><script>document.title='run'</script>";

test("[MCE44] the page draws the session, tells its height, and shows words as words", async () => {
  const id = await sessionTold(`${hostile} [[tool weather {"city": "Ulm"}]]`);
  const { session, page, app } = await openApp(id);
  await using _ = session;
  await app.getByText("Teller, idle (requires_action).").waitFor();
  await app.getByText(/Waits for an answer: Agent calls weather.*"city":"Ulm"/).waitFor();
  const people = app.getByRole("group", { name: "People" });
  await people.getByRole("button", { name: /^User, / }).click();
  const details = app.getByRole("region", { name: "Details" });
  await details.getByText(hostile).waitFor();
  await app.getByRole("group", { name: "Tools" }).getByRole("button").click();
  await details.getByText("not ended").waitFor();
  await until(page, "heard.sizes.some(({ height }) => height > 200)");
  assert.equal(await app.locator("img, iframe").count(), 0);
  const frame = page.frames()[1];
  assert.equal(await frame?.evaluate("document.title"), "Timeline of a session");
  assert.equal(await inPage(page, "heard.initialized"), 1);
  assert.deepEqual(session.problems, []);
});

test("[MCE44] Refresh asks by the host, and what goes wrong is said", async () => {
  const id = await sessionTold("The first.");
  const { session, page, app } = await openApp(id);
  await using _ = session;
  const people = app.getByRole("group", { name: "People" }).getByRole("button");
  await people.first().waitFor();
  assert.equal(await people.count(), 1);
  await call("send_to_session", { session_id: id, message: "The second." });
  await app.getByRole("button", { name: "Refresh" }).click();
  await people.nth(1).waitFor();
  const calls = await inPage<unknown>(page, "heard.calls");
  assert.deepEqual(calls, [{ name: "show_session", arguments: { session_id: id } }]);
  const archived = await house.ask("DELETE", `/v1/sessions/${id}`, {
    key: key(),
    headers: { "anthropic-beta": "managed-agents-2026-04-01" },
  });
  assert.equal(archived.status, 200, JSON.stringify(archived.body));
  await app.getByRole("button", { name: "Refresh" }).click();
  await app
    .getByRole("status")
    .getByText(/^not_found_error: /)
    .waitFor();
  assert.deepEqual(session.problems, []);
});

test("[MCE44] the page wears the host's theme, and hears its host alone", async () => {
  const id = await sessionTold("Hello.");
  const { session, page, app } = await openApp(id, { scheme: "dark", width: 390, height: 800 });
  await using _ = session;
  await app.getByText("Teller, idle").waitFor();
  const frame = page.frames()[1];
  const ground = () => frame?.evaluate("getComputedStyle(document.body).backgroundColor");
  assert.equal(await ground(), "rgb(27, 27, 26)");
  await inPage(page, 'bridge.setHostContext({ theme: "light" })');
  await app.locator("html[data-theme=light]").waitFor();
  assert.equal(await ground(), "rgb(255, 255, 255)");
  // From a window that is not around it: the page itself, as a frame in it would.
  await frame?.evaluate(
    `postMessage({ jsonrpc: "2.0", method: "ui/notifications/tool-cancelled" }, "*")`,
  );
  await inPage(page, "bridge.teardownResource({})");
  assert.equal(await app.getByText("The call was cancelled.").count(), 0);
  const fits = "document.documentElement.scrollWidth <= innerWidth";
  assert.equal(await frame?.evaluate(fits), true, "the page is wider than its frame");
});
