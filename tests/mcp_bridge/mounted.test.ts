// Older MCP servers behind /mcp/bridges/{name} of a server: for whom they are, and what they are sent.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { loadServerSettings } from "../../server/commands/settings.ts";
import { openHouse, type House } from "../house.ts";
import { calling, newClient, textOf } from "./clients.ts";
import { statefulServer } from "./stateful.ts";

let behind: Awaited<ReturnType<typeof statefulServer>>;
let house: House;
before(async () => {
  behind = await statefulServer();
  const { url } = behind;
  const headers = { authorization: "Bearer of-the-server-behind" };
  house = await openHouse({
    sections: { mcp_bridges: { tools: { url, headers }, theirs: { url, workspaces: [] } } },
  });
});
after(async () => {
  await house[Symbol.asyncDispose]();
  assert.equal(behind.sessions.size, 0, "[MCB21] sessions end with their process");
  behind[Symbol.dispose]();
});

async function connect(key: string, { name = "tools", capabilities = {} } = {}) {
  const client = newClient(capabilities);
  const url = new URL(`/mcp/bridges/${name}`, house.url);
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return client;
}

const keyOf = (organization: "platform" | "enterprise" = "platform") =>
  house.organizations[organization].api_key;

test("[MCB21] a key of a workspace reaches the tools, and the server behind is sent what the settings say", async () => {
  const client = await connect(keyOf());
  const session = await calling(client, "session");
  assert.equal(await calling(client, "session"), session);
  const other = await connect(keyOf("enterprise"));
  assert.notEqual(await calling(other, "session"), session);
  assert.deepEqual([...behind.seen.authorizations], ["Bearer of-the-server-behind"]);
  await client.close();
  await other.close();
});

test("[MCB21] the server behind is told that its clients cannot be asked", async () => {
  const client = await connect(keyOf(), { capabilities: { elicitation: { form: {} } } });
  const result = await client.callTool({ name: "ask" });
  assert.match(textOf(result) ?? "", /does not support form elicitation/);
  await client.close();
});

const post = (name: string, headers: Record<string, string>, http = "POST") =>
  fetch(new URL(`/mcp/bridges/${name}`, house.url), {
    method: http,
    headers: { "content-type": "application/json", ...headers },
    ...(http === "POST" && {
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    }),
  });

test("[MCB22] without a key it is 401, and what is not for the workspace is not there", async () => {
  const { api_key, admin_api_key } = house.organizations.platform;
  const statuses = await Promise.all([
    post("tools", {}),
    post("tools", { "x-api-key": "wrong" }),
    post("tools", { "x-api-key": admin_api_key }),
    post("none", { "x-api-key": api_key }),
    post("toString", { "x-api-key": api_key }),
    post("theirs", { "x-api-key": api_key }),
    post("tools", { "x-api-key": api_key, origin: "http://evil.example" }),
    post("tools", { "x-api-key": api_key }, "GET"),
  ]);
  assert.deepEqual(
    statuses.map(({ status }) => status),
    [401, 401, 403, 404, 404, 404, 403, 405],
  );
  const before = house.world.sections;
  const { url } = behind;
  const workspaces = [house.organizations.platform.workspace_id];
  Object.assign(house.world, {
    sections: { ...before, mcp_bridges: { theirs: { url, workspaces } } },
  });
  try {
    const client = await connect(api_key, { name: "theirs" });
    assert.ok(await calling(client, "session"));
    await client.close();
    const refused = await post("theirs", { "x-api-key": keyOf("enterprise") });
    assert.equal(refused.status, 404);
  } finally {
    Object.assign(house.world, { sections: before });
  }
});

test("[MCB23] the settings file names them, and what it cannot have is refused", () => {
  const directory = mkdtempSync(join(tmpdir(), "plinth-bridges-"));
  const load = (content: object) => {
    const config = join(directory, "plinth.config.json");
    writeFileSync(config, JSON.stringify(content));
    return loadServerSettings({ config }).sections;
  };
  const hosts = ["plinth.example"];
  const bridges = { tools: { url: "https://old.example.com/mcp", headers: { a: "b" } } };
  const read = load({ mcp_bridges: bridges, mcp_endpoint: { hosts } });
  assert.deepEqual([read["mcp_bridges"], read["mcp_endpoint"]], [bridges, { hosts }]);
  const refused: [object, RegExp][] = [
    [{ tools: { command: "npx" } }, /mcp_bridges\.tools\.command in .* must be array/],
    [{ tools: {} }, /mcp_bridges\.tools must have an url or a command, and not both/],
    [{ tools: { url: "https://a.example", command: ["npx"] } }, /not both/],
    [{ tools: { command: ["npx"], headers: {} } }, /mcp_bridges\.tools\.headers goes with an url/],
    [{ tools: { url: "https://a.example", hosts: [] } }, /tools\.hosts goes with a command/],
    [
      { tools: { command: ["npx"], folders: ["here"] } },
      /folders\[0\] in .* must be an absolute path/,
    ],
    [
      { tools: { command: ["npx"], hosts: ["http://a"] } },
      /hosts\[0\] in .* must be the name of a host/,
    ],
    [{ tools: { url: "ftp://old.example.com" } }, /mcp_bridges\.tools\.url/],
    [{ "a/b": { url: "https://old.example.com" } }, /mcp_bridges/],
    [{ tools: { url: "https://old.example.com", sessions_max: 0 } }, /sessions_max/],
  ];
  for (const [mcp_bridges, words] of refused) assert.throws(() => load({ mcp_bridges }), words);
  rmSync(directory, { recursive: true });
});
