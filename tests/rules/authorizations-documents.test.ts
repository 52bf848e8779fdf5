// Rule AUT21: clients whose id is the address of a document.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { makeManualClock, type ManualClock } from "../../kernel/base/clock.ts";
import { openHouse, type House } from "../house.ts";
import { codeIn, codeRequest, personOf, programOf } from "./authorizations-house.ts";
import { mcpProgramOf } from "./authorizations-mcp-house.ts";
import { localNetwork } from "./federation-house.ts";
import { minutes, sentenceOf } from "./support.ts";

let house: House;
let clock: ManualClock;
let site: Server;
let origin: string;
/** What the site answers by path, and how often it was asked. */
const pages = new Map<string, { status?: number; body: string; location?: string }>();
let asked = 0;
before(async () => {
  clock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
  house = await openHouse({ clock, sections: localNetwork });
  site = createServer(({ url = "" }, response) => {
    asked++;
    const { status = 200, body, location } = pages.get(url) ?? { status: 404, body: "" };
    response.writeHead(status, {
      "content-type": "application/json",
      ...(location !== undefined && { location }),
    });
    response.end(body);
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});
after(async () => {
  site.close();
  site.closeAllConnections();
  await house[Symbol.asyncDispose]();
});

const { resource, workspaceOf, mcp } = mcpProgramOf(() => house);
const owner = () => personOf(() => house, house.organizations.platform);

function serve(path: string, more: object = {}): string {
  const client_id = `${origin}${path}`;
  const document = {
    client_id,
    client_name: "Paper",
    redirect_uris: ["http://127.0.0.1/callback"],
  };
  pages.set(path, { body: JSON.stringify({ ...document, ...more }) });
  return client_id;
}

const requestOf = (client_id: string, more: object = {}) =>
  codeRequest({ client_id, scope: "mcp", resource: resource(), ...more });

test("[AUT21] a document is read once in ten minutes, and its client signs in", async () => {
  const client_id = serve("/paper.json");
  const { ask, redemption } = requestOf(client_id);
  const { id: workspace_id } = await workspaceOf(house.organizations.platform);
  const before = asked;
  const shown = await owner().authorize("", ask);
  assert.deepEqual(
    [shown.body.client, shown.body.is_verified],
    [`Paper (${new URL(origin).host})`, false],
  );
  const code = codeIn(await owner().authorize("/approve", { ...ask, workspace_id }));
  assert.equal(asked, before + 1);
  const { body } = await programOf(() => house).token({ ...redemption(code), client_id });
  assert.equal((await mcp(body.access_token)).status, 200, JSON.stringify(body));
  const { body: list } = await house.ask("GET", "/console/api/program_sign_ins", {
    cookie: house.organizations.platform.cookie,
  });
  assert.equal(list.data[0].client, `Paper (${new URL(origin).host})`);

  // What it says later counts, from then on.
  serve("/paper.json", { redirect_uris: ["http://127.0.0.1/elsewhere"] });
  clock.advance(minutes(10) - 1);
  assert.equal((await owner().authorize("", ask)).status, 200);
  clock.advance(1);
  assert.equal((await owner().authorize("", ask)).status, 403);
});

test("[AUT21] what is no document of this client is refused, and nothing goes back", async () => {
  pages.set("/moved", { status: 302, body: "", location: `${origin}/paper.json` });
  pages.set("/text", { body: "no JSON" });
  pages.set("/list", { body: "[]" });
  const wrong: [string, RegExp][] = [
    [serve("/other", { client_id: `${origin}/paper.json` }), /the document of another/],
    [serve("/secret", { client_secret: "x" }), /with a secret/],
    [serve("/method", { token_endpoint_auth_method: "client_secret_post" }), /with a secret/],
    [serve("/none", { redirect_uris: undefined }), /does not fit: redirect_uris/],
    [serve("/script", { redirect_uris: ["javascript:x"] }), /begins with javascript:/],
    [serve("/large", { more: "x".repeat(16 * 1024) }), /more than 16384 bytes/],
    [`${origin}/moved`, /redirect/],
    [`${origin}/text`, /no JSON object/],
    [`${origin}/list`, /no JSON object/],
    [`${origin}/absent`, /the status 404/],
    [origin, /no address of a document/],
    [`${origin}/`, /no address of a document/],
    [`${origin}/a/../paper.json`, /no address of a document/],
    ["http://93.184.216.34/paper.json", /must begin with https/],
    ["https://10.0.0.1/paper.json", /10\.0\.0\.1/],
  ];
  for (const [client_id, sentence] of wrong)
    assert.match(sentenceOf(await owner().authorize("", requestOf(client_id).ask), 400), sentence);
});
