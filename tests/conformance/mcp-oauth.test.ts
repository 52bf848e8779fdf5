// Clients of MCP that know the address of /mcp alone sign a person in: both official kits, and the official suite.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientProvider,
} from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { freePort } from "../free-port.ts";
import { openHouse, type House } from "../house.ts";
import { personOf } from "../rules/authorizations-house.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const redirectUrl = "http://localhost:49152/oauth/callback";

/** What a program keeps, and the address that it opened the browser with. */
function makeProvider() {
  const kept: Record<string, unknown> = {};
  const provider = {
    redirectUrl,
    clientMetadata: { client_name: "Tests", redirect_uris: [redirectUrl] },
    state: () => "of the program",
    clientInformation: () => kept["client"],
    saveClientInformation: (client: unknown) => (kept["client"] = client),
    tokens: () => kept["tokens"],
    saveTokens: (tokens: unknown) => (kept["tokens"] = tokens),
    redirectToAuthorization: (url: URL) => (kept["opened"] = url),
    saveCodeVerifier: (verifier: string) => (kept["verifier"] = verifier),
    codeVerifier: () => kept["verifier"],
    discoveryState: () => kept["discovery"],
    invalidateCredentials: (which: string) => delete kept[which],
    saveDiscoveryState: (discovery: unknown) => (kept["discovery"] = discovery),
  } as unknown as OAuthClientProvider;
  return { kept, provider };
}

/** As the page does it: what it does not know it leaves out, and the person chooses a workspace. */
async function decide(opened: URL, act: "/approve" | "/deny"): Promise<URLSearchParams> {
  assert.equal(`${opened.origin}${opened.pathname}`, `${house.url}/authorize`);
  const { platform } = house.organizations;
  const person = personOf(() => house, platform);
  const { prompt: _, ...ask } = Object.fromEntries(opened.searchParams);
  const shown = await person.authorize("", ask);
  assert.equal(shown.body.type, "authorization_prompt", JSON.stringify(shown.body));
  const { body: me } = await house.ask("GET", "/console/api/me", { cookie: platform.cookie });
  const workspace_id = me.workspaces[0].id as string;
  const { body } = await person.authorize(act, { ...ask, workspace_id });
  return new URL(body.redirect_to as string).searchParams;
}

const address = () => new URL("/mcp", house.url);
const expectTools = async (client: Pick<Client, "listTools">) =>
  assert.ok((await client.listTools()).tools.some(({ name }) => name === "ask_model"));

test("the client of the revision 2026-07-28: from a 401 to tools, refreshed, ended", async () => {
  const { kept, provider } = makeProvider();
  const connect = async () => {
    const transport = new StreamableHTTPClientTransport(address(), { authProvider: provider });
    const client = new Client(
      { name: "tests", version: "1" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    await client.connect(transport);
    return { client, transport };
  };
  // What the server is it says without a credential; the first question after that is refused.
  const { client, transport } = await connect();
  await assert.rejects(client.listTools(), UnauthorizedError);
  const answer = await decide(kept["opened"] as URL, "/approve");
  assert.equal(answer.get("state"), "of the program");
  await transport.finishAuth(answer);
  await expectTools(client);
  const first = kept["tokens"] as { access_token: string; refresh_token: string; scope: string };
  assert.equal(first.scope, "mcp");

  // An access token that is good no more is renewed without the person.
  kept["tokens"] = { ...first, access_token: `${first.access_token}x` };
  await expectTools((await connect()).client);
  const second = kept["tokens"] as typeof first;
  assert.notEqual(second.access_token, first.access_token);

  await house.ask("POST", "/v1/oauth/revoke", { body: { token: second.refresh_token } });
  delete kept["opened"];
  await assert.rejects(connect(), UnauthorizedError);
  assert.ok(kept["opened"] instanceof URL, "the person is asked again");
  await client.close();
});

test("an answer of another server is none for it", async () => {
  const { kept, provider } = makeProvider();
  const transport = new StreamableHTTPClientTransport(address(), { authProvider: provider });
  const client = new Client(
    { name: "tests", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  await client.connect(transport);
  await assert.rejects(client.listTools(), UnauthorizedError);
  const answer = await decide(kept["opened"] as URL, "/approve");
  answer.set("iss", "https://elsewhere.example");
  await assert.rejects(transport.finishAuth(answer), /iss/i);
  const refused = await decide(kept["opened"] as URL, "/deny");
  assert.deepEqual([refused.get("error"), refused.get("iss")], ["access_denied", house.url]);
  await assert.rejects(transport.finishAuth(refused));
  await client.close();
});

test("the older kit signs in in the same way", async () => {
  const { kept, provider } = makeProvider();
  const options = { authProvider: provider as never };
  const transport = new OldTransport(address(), options);
  const client = new OldClient({ name: "tests", version: "1" });
  await assert.rejects(client.connect(transport), /Unauthorized/);
  const answer = await decide(kept["opened"] as URL, "/approve");
  await transport.finishAuth(answer.get("code") ?? "");
  const next = new OldClient({ name: "tests", version: "1" });
  await next.connect(new OldTransport(address(), options));
  await expectTools(next as never);
  await next.close();
});

/** The suite's program, and the browser that it asks a person to open. */
async function runSuite(clientId: string, port: number) {
  const index = "../../node_modules/@modelcontextprotocol/conformance/dist/index.js";
  const told = {
    "--url": house.url,
    "--client-id": clientId,
    "--port": String(port),
    "--resource": `${house.url}/mcp`,
  };
  const args = [join(import.meta.dirname, index), "authorization", ...Object.entries(told).flat()];
  const program = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const errors = text(program.stderr);
  let said = "";
  let browser: Promise<unknown> | undefined;
  program.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    said += chunk;
    // It prints the address before it listens for what comes back.
    const opened = /^http\S+\/authorize\?\S+$/m.exec(said)?.[0];
    if (opened === undefined || !said.includes("Callback server started")) return;
    browser ??= decide(new URL(opened), "/approve")
      .then((answer) => fetch(`http://127.0.0.1:${port}/callback?${answer.toString()}`))
      .catch((error: unknown) => {
        program.kill();
        throw new Error(said, { cause: error });
      });
    browser.catch(() => {}); // it is awaited below
  });
  const [code] = (await once(program, "close")) as [number];
  await browser;
  return { code, said: `${said}${await errors}` };
}

test("the suite for servers that give tokens: both scenarios", async () => {
  const { body } = await house.ask("POST", "/v1/oauth/register", {
    body: { client_name: "Suite", redirect_uris: ["http://127.0.0.1/callback"] },
  });
  const { code, said } = await runSuite(String(body["client_id"]), await freePort());
  assert.equal(code, 0, said);
  for (const scenario of ["authorization-server-metadata-endpoint", "authorization-code-grant"])
    assert.ok(said.includes(scenario), said);
  assert.doesNotMatch(said, /[1-9]\d* failed/, said);
});
