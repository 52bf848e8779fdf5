// Rules AGT15 to AGT20, over HTTP: MCP servers, toolsets and custom tools.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import {
  configured,
  custom,
  openAgentHouse,
  server,
  toolset,
  toolsetOf,
  type AgentHouse,
} from "./agents-house.ts";
import { sentenceOf } from "./support.ts";

let a: AgentHouse;
before(async () => {
  a = await openAgentHouse();
});
after(() => a[Symbol.asyncDispose]());

const allow = { type: "always_allow" };
const ask = { type: "always_ask" };
const names = (count: number) => Array.from({ length: count }, (_, at) => `name-${at}`);
/** Servers, each with its toolset. */
const withServers = (...all: string[]) => ({
  mcp_servers: all.map(server),
  tools: all.map(toolsetOf),
});

test("[AGT15] there are at most 20 servers, each with a name of its own", async () => {
  const made = await a.make(withServers(...names(20)));
  assert.equal((await a.read(made.id)).mcp_servers.length, 20);
  const named = (name: string) => ({
    mcp_servers: [{ ...server("docs"), name }],
    tools: [toolsetOf(name)],
  });
  await a.make(named("😀".repeat(255)));
  await a.refuses([
    [withServers(...names(21)), /^mcp_servers: must have at most 20 items/],
    [named("n".repeat(256)), /^mcp_servers\.0\.name: .*255 characters/],
    [named(""), /^mcp_servers\.0\.name: must not be empty/],
    [
      { ...withServers("docs"), mcp_servers: [server("docs"), server("docs")] },
      /^mcp_servers\.1\.name: "docs" is the name of mcp_servers\.0 too/,
    ],
    [
      { mcp_servers: [{ ...server("docs"), type: "stdio" }] },
      /^mcp_servers\.0\.type: must be "url"/,
    ],
  ]);
});

test("[AGT16] the address of a server is one of the web, without a secret in it", async () => {
  const at = (url: string) => ({
    ...withServers("docs"),
    mcp_servers: [{ ...server("docs"), url }],
  });
  const longest = `https://docs.example/${"p".repeat(2_027)}`;
  assert.equal(longest.length, 2_048);
  for (const url of [longest, "http://127.0.0.1:9/mcp", "https://[::1]/?a=b"]) {
    const { mcp_servers } = await a.make(at(url));
    assert.equal(mcp_servers[0]?.url, url);
  }
  await a.refuses([
    [at(`${longest}p`), /^mcp_servers\.0\.url: .*2048 characters/],
    [at("docs.example"), /^mcp_servers\.0\.url: must be an address such as https:/],
    [at("ftp://docs.example"), /^mcp_servers\.0\.url: must be an address/],
    [
      at("https://ada:secret@docs.example"),
      /^mcp_servers\.0\.url: must not hold a user name or a pas/,
    ],
    [at("https://token@docs.example"), /^mcp_servers\.0\.url: must not hold a user name/],
    [at("https://docs.example/mcp#a"), /^mcp_servers\.0\.url: must not have a part behind #/],
    [at("https://docs.example/mcp#"), /^mcp_servers\.0\.url: must not have a part behind #/],
  ]);
});

test("[AGT16] an address from before a part behind # was refused can be sent back", async () => {
  const { id } = await a.make(withServers("docs"));
  await a.house.world.db.tx(async (tx) => {
    // What forbids it is left out: there was a time before the rule.
    await tx.query(sql`set local session_replication_role = replica`);
    await tx.query(
      sql`update agent_versions set config = replace(config::text, ${server("docs").url}, 'https://docs.example/mcp#a')::json where agent_id = ${id}`,
    );
  });
  const read = await a.read(id);
  assert.equal(read.mcp_servers[0]?.url, "https://docs.example/mcp#a");
  assert.deepEqual(await a.change(id, { ...read }), read);
});

test("[AGT17] servers and their toolsets go together, also after an update", async () => {
  await a.refuses([
    [{ mcp_servers: [server("docs")] }, /^mcp_servers\.0: no mcp_toolset of tools names "docs"/],
    [
      { tools: [toolsetOf("docs")] },
      /^tools\.0\.mcp_server_name: "docs" must be the name of one of mcp/,
    ],
  ]);
  const { id } = await a.make(withServers("docs"));
  const refused = async (body: object) => sentenceOf(await a.update(id, body), 400);
  assert.match(await refused({ tools: null }), /^mcp_servers\.0: no mcp_toolset/);
  assert.match(await refused({ mcp_servers: [] }), /^tools\.0\.mcp_server_name: /);
  assert.match(await refused({ mcp_servers: [server("other")] }), /^tools\.0\.mcp_server_name: /);
  await a.change(id, { mcp_servers: [], tools: [] });
});

test("[AGT18] there are at most 256 tools over all toolsets", async () => {
  const customs = (count: number) => names(count).map((name) => custom(name));
  await a.make({ tools: customs(256) });
  await a.make({ tools: [{ type: toolset }, ...customs(248)] });
  const configs = names(10).map((name) => ({ name }));
  const servers = { mcp_servers: [server("docs")] };
  const [docs] = [toolsetOf("docs")];
  await a.make({ ...servers, tools: [{ ...docs, configs }, ...customs(246)] });
  await a.refuses([
    [{ tools: customs(257) }, /^tools: must have at most 256 items/],
    [{ tools: [{ type: toolset }, ...customs(249)] }, /^tools: must have at most 256 .* are 257/],
    [{ ...servers, tools: [{ ...docs, configs }, ...customs(247)] }, /^tools: .*these are 257/],
  ]);
});

test("[AGT19] custom tools are kept as they were written, in the order of their schema", async () => {
  const properties = { zebra: { type: "string" }, a: { type: "number", maximum: 1e21 } };
  const input_schema = {
    type: "object",
    properties,
    required: ["zebra"],
    "x-more": [{ b: 1, a: 2 }],
  };
  const tool = custom("n".repeat(128), { description: "d".repeat(16_384), input_schema });
  const { id } = await a.make({ tools: [tool, custom("a-B_9")] });
  const [kept] = (await a.read(id)).tools;
  assert.equal(JSON.stringify(kept), JSON.stringify(tool));
  await a.refuses([
    [{ tools: [custom("n".repeat(129))] }, /^tools\.0\.name: must have 1 to 128 letters, digits/],
    [{ tools: [custom("")] }, /^tools\.0\.name: must have 1 to 128 letters/],
    [{ tools: [custom("a b")] }, /^tools\.0\.name: must have 1 to 128 letters/],
    [
      { tools: [custom("a", { description: "d".repeat(16_385) })] },
      /^tools\.0\.description: .*16384/,
    ],
    [{ tools: [{ type: "custom", name: "a" }] }, /^tools\.0\.\w+: is required/],
    [
      { tools: [custom("a", { input_schema: { type: "array" } })] },
      /^tools\.0\.input_schema\.type: /,
    ],
    [{ tools: [custom("a", { strict: true })] }, /^tools\.0\.strict: is not known here/],
    [{ tools: [{ type: "bash_20250124", name: "bash" }] }, /^tools\.0\.type: must be one of/],
    [{ tools: [{ name: "a" }] }, /^tools\.0\.type: is required/],
  ]);
});

test("[AGT19] no name and no toolset comes twice", async () => {
  const docs = { mcp_servers: [server("docs")] };
  const twice = [{ name: "read" }, { name: "read", enabled: false }];
  await a.refuses([
    [
      { tools: [custom("a"), custom("a")] },
      /^tools\.1\.name: "a" is the name of a tool of tools\.0 too/,
    ],
    [
      { tools: [{ type: toolset }, custom("bash")] },
      /^tools\.1\.name: "bash" is the name of a tool/,
    ],
    [
      { tools: [custom("grep"), { type: toolset }] },
      /^tools\.1: brings a tool "grep", and so does tools\.0/,
    ],
    [{ tools: [{ type: toolset }, { type: toolset }] }, /^tools\.1: brings a tool "bash"/],
    [
      { ...docs, tools: [toolsetOf("docs"), toolsetOf("docs")] },
      /^tools\.1\.mcp_server_name: tools\.0 is the toolset of "docs" already/,
    ],
    [
      { tools: [{ type: toolset, configs: twice }] },
      /^tools\.0\.configs\.1\.name: "read" is configured twice/,
    ],
    [
      { ...docs, tools: [{ ...toolsetOf("docs"), configs: twice }] },
      /^tools\.0\.configs\.1\.name: "read" is configured twice/,
    ],
  ]);
  const { tools } = await a.make({ ...docs, tools: [custom("bash"), toolsetOf("docs")] });
  assert.equal(tools.length, 2, "without the agent's computer its names are free");
});

test("[AGT20] a toolset has its defaults, and what is configured has those of the toolset", async () => {
  const docs = { mcp_servers: [server("docs")] };
  const plain = await a.make({ ...docs, tools: [{ type: toolset }, toolsetOf("docs")] });
  assert.deepEqual(plain.tools, [
    { type: toolset, default_config: { enabled: true, permission_policy: allow }, configs: [] },
    {
      ...toolsetOf("docs"),
      default_config: { enabled: true, permission_policy: ask },
      configs: [],
    },
  ]);
  const configs = [
    { name: "bash" },
    { name: "write", enabled: true, type: "write" },
    { name: "grep", permission_policy: allow, enabled: null },
  ];
  const default_config = { enabled: false, permission_policy: { type: "auto" } };
  const { tools } = await a.make({ tools: [{ type: toolset, default_config, configs }] });
  const auto = { type: "auto" };
  assert.deepEqual(tools, [
    {
      type: toolset,
      default_config,
      configs: [
        { name: "bash", type: "bash", enabled: false, permission_policy: auto },
        { name: "write", type: "write", enabled: true, permission_policy: auto },
        { name: "grep", type: "grep", enabled: false, permission_policy: allow },
      ],
    },
  ]);
  const ofDocs = { ...toolsetOf("docs"), default_config: { enabled: false } };
  const search = { name: "search", enabled: true };
  const mcp = await a.make({ ...docs, tools: [{ ...ofDocs, configs: [search, { name: "x" }] }] });
  assert.deepEqual(mcp.tools, [
    {
      ...toolsetOf("docs"),
      default_config: { enabled: false, permission_policy: ask },
      configs: [
        { name: "search", enabled: true, permission_policy: ask },
        { name: "x", enabled: false, permission_policy: ask },
      ],
    },
  ]);
  const longest = { name: "n".repeat(128) };
  await a.make({ ...docs, tools: [{ ...toolsetOf("docs"), configs: [longest] }] });
  const tooLong = { ...toolsetOf("docs"), configs: [{ name: "n".repeat(129) }] };
  await a.refuses([
    [configured("computer"), /^tools\.0\.configs\.0\.name: must be one of "bash", "edit"/],
    [
      configured("bash", { type: "grep" }),
      /^tools\.0\.configs\.0\.type: must be "bash", as its name is/,
    ],
    [
      configured("bash", { permission_policy: { type: "never" } }),
      /\.permission_policy\.type: must be/,
    ],
    [configured("bash", { color: 1 }), /^tools\.0\.configs\.0\.color: is not known here/],
    [{ ...docs, tools: [tooLong] }, /^tools\.0\.configs\.0\.name: .*128 characters/],
  ]);
});

test("[AGT37] the database refuses to change a version", async () => {
  const { id } = await a.make();
  const change = a.house.world.db.tx((tx) =>
    tx.query(sql`update agent_versions set bytes = 0 where agent_id = ${id}`),
  );
  await assert.rejects(change, /a version of an agent is never changed/);
});
