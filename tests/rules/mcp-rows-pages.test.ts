// Pages of the tools of a workspace's MCP servers (Apps): how they are read, and the frame for them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { toLoopback } from "./mcp-house.ts";
import { mcpRowsOf } from "./mcp-rows-house.ts";
import { openMcpServer, words, type TestServer, type Tools } from "./mcp-server.ts";

let house: House;
let server: TestServer;
const html = "<!doctype html><p>Here</p>";
const tools: Tools = {
  seats: {
    isReading: true,
    page: {
      html,
      csp: {
        connectDomains: ["https://api.example.com", "http://plain.example.com", "*", 1],
        resourceDomains: ["https://*.cdn.example.com", "https://a.example.com; script-src *"],
      },
    },
    call: () => ({ ...words("two"), structuredContent: { seats: 2 } }),
  },
  flat: { meta: { "ui/resourceUri": "ui://test/seats", ui: { visibility: ["model"] } } },
  file: { meta: { ui: { resourceUri: "file:///etc/passwd" } } },
  odd: { page: { html, mimeType: "text/html" } },
  long: { page: { html: "x".repeat(1_000_001) } },
  plain: { call: () => ({ ...words("much"), structuredContent: { all: "x".repeat(1_000_001) } }) },
};
before(async () => {
  [house, server] = await Promise.all([
    openHouse({ sections: { network: toLoopback } }),
    openMcpServer(tools),
  ]);
});
after(async () => {
  await house?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});
const rows = mcpRowsOf(() => house);

test("[MSV20] a tool says which page it has, and whether pages may call it", async () => {
  const { id } = await rows.make({ url: server.url });
  const told = (await rows.tools(id)).tools.map((tool) => [
    tool.name,
    tool.page_uri,
    tool.is_reading,
    tool.is_for_pages,
  ]);
  assert.deepEqual(told, [
    ["seats", "ui://test/seats", true, true],
    ["flat", "ui://test/seats", false, false],
    ["file", null, false, true],
    ["odd", "ui://test/odd", false, true],
    ["long", "ui://test/long", false, true],
    ["plain", null, false, true],
  ]);
  const result = await rows.run(id, { name: "seats" });
  assert.deepEqual(result.structured_content, { seats: 2 });
  assert.equal((await rows.run(id, { name: "plain" })).structured_content, null);
  assert.equal((await rows.run(id, { name: "odd" })).structured_content, null);
});

test("[MSV20] the page of a listed tool is read, and nothing else of the server", async () => {
  const { id } = await rows.make({ url: server.url });
  const page = await rows.page(id, "seats");
  assert.deepEqual([page.status, page.error, page.html], ["connected", null, html]);
  assert.deepEqual(page.connects, ["https://api.example.com"]);
  assert.deepEqual(page.loads, ["https://*.cdn.example.com"]);
  assert.equal((await rows.page(id, "flat")).html, html);
  for (const [name, why] of [
    ["file", /has no tool "file" with a page/],
    ["none", /has no tool "none" with a page/],
    ["odd", /has no page of the type text\/html;profile=mcp-app/],
    ["long", /a page of 1000001 characters; at most 1000000/],
  ] as const) {
    const refused = await rows.page(id, name);
    assert.deepEqual([refused.status, refused.html], ["failed", null], name);
    assert.match(String(refused.error), why);
  }
  const read = server.asked.filter(({ method }) => method === "resources/read");
  assert.equal(read.length, 4, "file and none ask for no resource");
  const key = house.organizations.other.api_key;
  const hidden = await rows.call("POST", `/${id}/page`, { key, body: { name: "seats" } });
  assert.equal(hidden.status, 404);
});

test("[MSV21] the frame reaches what is declared, and nothing of this server", async () => {
  const policyOf = async (query: string) => {
    const response = await fetch(new URL(`/mcp-tool-page${query}`, house.url));
    assert.equal(response.status, 200);
    const policy = response.headers.get("content-security-policy") ?? "";
    return new Map(policy.split("; ").map((each) => [each.split(" ")[0], each]));
  };
  const bare = await policyOf("");
  assert.equal(bare.get("sandbox"), "sandbox allow-scripts");
  assert.equal(bare.get("default-src"), "default-src 'none'");
  assert.equal(bare.get("connect-src"), "connect-src 'none'");
  assert.equal(bare.get("script-src"), "script-src 'unsafe-inline'");
  assert.equal(bare.get("form-action"), "form-action 'none'");
  assert.equal(bare.get("frame-ancestors"), "frame-ancestors 'self'");
  const bad = ["http://a.example.com", "*", "'self'", "https://localhost", "https://127.0.0.1"];
  const query = new URLSearchParams({
    connects: `wss://a.example.com:8443 ${bad.join(" ")} https://b.example.com;sandbox`,
    loads: `https://c.example.com ${bad.join(" ")}`,
  });
  const wide = await policyOf(`?${query.toString()}`);
  assert.equal(wide.get("connect-src"), "connect-src wss://a.example.com:8443");
  assert.equal(wide.get("script-src"), "script-src 'unsafe-inline' https://c.example.com");
  assert.equal(wide.get("img-src"), "img-src data: blob: https://c.example.com");
  assert.equal(wide.get("sandbox"), "sandbox allow-scripts");
});
