// Configurations that nobody thought of: what is made whole stays as it is, and what was read changes nothing when it
// is sent back.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { completeConfig } from "../../server/agents/config/config.ts";
import type { AgentConfig, ConfigInput } from "../../server/agents/config/schema.ts";
import { agentsOf } from "../rules/agents-house.ts";
import { openHouse, type House } from "../house.ts";
import { contextOf } from "../simulation/caller.ts";

const isLong = process.env["PLINTH_TEST_LONG"] !== undefined;

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

/** Each field is there or not, or null where null is taken. */
const some = <T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>;
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });

const text = (maxLength: number) =>
  fc.string({ unit: "binary", maxLength }).filter((found) => !found.includes("\u0000"));
/** A body that has it is refused, wherever it stands (HTP5). */
const refused = "__proto__";
const word = fc.stringMatching(/^[a-zA-Z0-9_-]{1,12}$/).filter((found) => found !== refused);
const json = fc
  .jsonValue({ maxDepth: 2 })
  .filter((found) => !JSON.stringify(found).includes(refused));
const host = fc.stringMatching(/^[a-z]{1,9}(\.[a-z0-9]{1,9}){0,3}$/);

const policy = orNull(fc.record({ type: fc.constantFrom("always_allow", "always_ask", "auto") }));
const behaviour = { enabled: orNull(fc.boolean()), permission_policy: policy };
const domains = orNull(fc.array(host, { minLength: 1, maxLength: 3 }));
const oneList = fc.oneof(
  some({ allowed_domains: domains }),
  fc.record({ blocked_domains: domains }),
);
const plainTool = fc.constantFrom("bash", "edit", "read", "write", "glob", "grep");
const searchTool = fc
  .tuple(
    oneList,
    some({
      ...behaviour,
      type: fc.constant("web_search"),
      user_location: orNull(
        some({ city: orNull(fc.constant("Ulm")), country: orNull(fc.constant("DE")) }).map(
          (known) => ({ type: "approximate", ...known }),
        ),
      ),
    }),
  )
  .map(([list, more]) => ({ name: "web_search", ...list, ...more }));
const source = fc.constantFrom("all", { type: "all" }, { type: "none" }, null);
const serverSource = fc.oneof(
  source,
  fc.constant({ type: "except", tools: [{ type: "tool_reference", name: "web_search" }] }),
);
const fetchTool = fc
  .tuple(
    oneList,
    some({
      ...behaviour,
      max_content_tokens: orNull(fc.integer({ min: 1, max: 10_000_000 })),
      url_sources: orNull(
        some({
          user_input: fc.constantFrom("all", { type: "all" }, null),
          client_tool_results: fc.oneof(source, fc.constant("none")),
          server_tool_results: serverSource,
        }),
      ),
    }),
  )
  .map(([list, more]) => ({ name: "web_fetch", ...list, ...more }));
const plainConfig = fc.tuple(plainTool, some(behaviour)).map(([name, more]) => ({ name, ...more }));
const configs = fc.uniqueArray(fc.oneof(plainConfig, searchTool, fetchTool), {
  selector: ({ name }) => name,
});
const agentToolset = some({ default_config: orNull(some(behaviour)), configs }).map((more) => ({
  type: "agent_toolset_20260401",
  ...more,
}));
const mcpToolset = some({
  default_config: orNull(some(behaviour)),
  configs: fc.uniqueArray(
    fc.tuple(word, some(behaviour)).map(([name, more]) => ({ name, ...more })),
    { selector: ({ name }) => name, maxLength: 3 },
  ),
});
const custom = fc
  .tuple(
    text(20),
    fc.dictionary(text(5), json, { maxKeys: 4 }),
    fc.dictionary(text(5), json, { maxKeys: 2 }),
  )
  .map(([description, properties, more]) => ({
    type: "custom",
    description,
    input_schema: { ...more, type: "object", properties, required: null },
  }));

/** Servers and custom tools get names of their own: that none comes twice is tested elsewhere. */
const tools = fc
  .tuple(
    fc.option(agentToolset),
    fc.array(mcpToolset, { maxLength: 2 }),
    fc.array(custom, { maxLength: 2 }),
  )
  .map(([own, servers, customs]) => ({
    tools: [
      ...(own === null ? [] : [own]),
      ...servers.map((more, at) => ({
        type: "mcp_toolset",
        mcp_server_name: `server ${at}`,
        ...more,
      })),
      ...customs.map((tool, at) => ({ ...tool, name: `custom_${at}` })),
    ],
    mcp_servers: servers.map((_, at) => ({
      type: "url",
      name: `server ${at}`,
      url: `https://s${at}.example/mcp`,
    })),
  }));

const level = fc.constantFrom("low", "medium", "high", "max", null, { type: "low" });
const model = fc.oneof(
  fc.constantFrom("sim-large", "sim-small", "claude-opus-5-5"),
  fc.record(
    {
      id: fc.constantFrom("sim-large", "sim-medium", "claude-sonnet-5-5"),
      effort: level,
      speed: fc.constantFrom("standard", "fast", null),
      inference_geo: fc.constantFrom("us", "global", null),
    },
    { requiredKeys: ["id"] },
  ),
);
const member = fc.constantFrom({ type: "self" });
const members = fc.constantFrom(
  null,
  { type: "disabled" },
  { type: "enabled" },
  { type: "enabled", inline_agents: { type: "disabled" }, predefined_agents: [{ type: "self" }] },
  { type: "enabled", inline_agents: null, predefined_agents: null },
);
const advisor = fc.constantFrom(
  null,
  { type: "disabled" },
  { type: "enabled", model: "sim-small" },
);
const multiagent = fc.oneof(
  fc.constant(null),
  fc.tuple(member, fc.boolean()).map(([self, isAdvised]) => ({
    type: "coordinator",
    agents: [self, ...(isAdvised ? [{ type: "advisor", model: "sim-large" }] : [])],
  })),
  some({ subagents: members, workflows: members, advisor }).map((more) => ({
    type: "multiagent_20261001",
    ...more,
  })),
);

/** As a client may send it, to make an agent. */
const sent = fc
  .tuple(
    fc.record({ name: word, model }),
    tools,
    some({
      description: orNull(text(40)),
      system: orNull(text(40)),
      metadata: orNull(fc.dictionary(word, text(10), { maxKeys: 16 })),
      skills: fc.constantFrom([], null),
      multiagent,
      execution_identity: fc.constantFrom(
        null,
        { type: "service_account" },
        { type: "aws_role", role_arn: "arn:aws:iam::123456789012:role/runner" },
      ),
    }),
  )
  .map(([must, ofTools, may]) => ({ ...must, ...ofTools, ...may }) as unknown as ConfigInput);

test("[AGT20] what has its defaults stays as it is: completing it again changes nothing", async () => {
  const actor = contextOf(house.world, "wrkspc_1");
  const complete = (given: ConfigInput, before: AgentConfig | null = null) =>
    completeConfig({ actor, on: house.world.db, agentId: null }, given, before);
  const property = fc.asyncProperty(sent, async (given) => {
    // The workspace is none that there is: it allows every region.
    const config = await complete(given);
    assert.deepEqual(await complete(config), config);
    assert.deepEqual(await complete(config, config), config);
    assert.deepEqual(await complete({}, config), config);
  });
  await fc.assert(property, { numRuns: isLong ? 5_000 : 150 });
});

test("[AGT7] what was read of an agent and is sent back makes no version, in either dialect", async () => {
  const { good } = agentsOf(() => house);
  const property = fc.asyncProperty(
    sent,
    fc.constantFrom("2023-06-01", "2026-10-21"),
    async (body, version) => {
      const headers = { "vendor-version": version };
      const made = await good<Record<string, unknown>>("POST", "", { headers, body });
      const path = `/${String(made["id"])}`;
      const read = await good<Record<string, unknown>>("GET", path, { headers });
      assert.deepEqual(read, made);
      const { id: _, type: __, created_at, updated_at, archived_at, ...same } = read;
      assert.deepEqual([created_at, archived_at], [updated_at, null]);
      assert.deepEqual(await good("POST", path, { headers, body: same }), read);
      assert.deepEqual(await good("POST", path, { headers, body: {} }), read);
    },
  );
  await fc.assert(property, { numRuns: isLong ? 1_000 : 40, endOnFailure: !isLong });
});
