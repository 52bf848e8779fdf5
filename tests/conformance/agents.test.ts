// The official client against agents: create, read at a version, update, list, archive, versions.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { openHouse, type House } from "../house.ts";
import { failing, listeningClient } from "./messages-client.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

/** With the retries that everybody has: what is final must not be asked again. */
const connect = (options = {}) => listeningClient(house, { maxRetries: 2, ...options });

async function gathered<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of pages) all.push(item);
  return all;
}

test("agents: create, retrieve, update, list, archive", async () => {
  const { client, seen } = connect({ apiKey: house.organizations.other.api_key });
  const { agents } = client.beta;
  const made = await agents.create({
    model: "claude-opus-5-5",
    name: "My First Agent",
    system: "Be brief.",
    metadata: { team: "red" },
  });
  assert.match(made.id, /^agent_/);
  assert.deepEqual(
    [made.type, made.version, made.model, made.system, made.archived_at],
    [
      "agent",
      1,
      { id: "claude-opus-5-5", effort: { type: "xhigh" }, speed: "standard" },
      "Be brief.",
      null,
    ],
  );
  assert.deepEqual(await agents.retrieve(made.id), made);
  const changed = await agents.update(made.id, {
    version: made.version,
    description: "What it does",
    model: { id: "claude-opus-5-5", effort: "low" },
    metadata: { team: null, year: "2026" },
  });
  assert.deepEqual(
    [changed.version, changed.name, changed.description, changed.metadata, changed.model.effort],
    [2, "My First Agent", "What it does", { year: "2026" }, { type: "low" }],
  );
  assert.deepEqual(await agents.update(made.id, { description: "What it does" }), changed);
  assert.deepEqual(await agents.retrieve(made.id, { version: 1 }), made);
  const others = await Promise.all(
    [1, 2, 3].map((at) => agents.create({ name: `${at}`, model: "sim-small" })),
  );
  assert.deepEqual(
    (await gathered(agents.list({ limit: 1 }))).map(({ id }) => id).toSorted(),
    [made, ...others].map(({ id }) => id).toSorted(),
  );
  assert.notEqual((await agents.archive(made.id)).archived_at, null);
  assert.equal((await gathered(agents.list())).length, 3);
  assert.equal((await gathered(agents.list({ include_archived: true }))).length, 4);
  const early = await agents.list({ "created_at[lte]": "2020-01-01T00:00:00Z" });
  assert.deepEqual([early.data, early.next_page], [[], null]);
  for (const { headers } of seen)
    assert.equal(headers.get("anthropic-beta"), "managed-agents-2026-04-01");
});

test("agents: every kind of tool comes back whole", async () => {
  const { client } = connect();
  const made = await client.beta.agents.create({
    model: { id: "sim-large", effort: { type: "high" }, speed: "standard", inference_geo: null },
    name: "Everything",
    mcp_servers: [{ type: "url", name: "docs", url: "https://docs.example/mcp" }],
    tools: [
      {
        type: "agent_toolset_20260401",
        default_config: { permission_policy: { type: "auto" } },
        configs: [
          { name: "bash", enabled: false },
          {
            name: "web_search",
            allowed_domains: ["example.com"],
            user_location: { type: "approximate", country: "DE" },
          },
          {
            name: "web_fetch",
            max_content_tokens: 1_000,
            url_sources: {
              user_input: "none",
              client_tool_results: {
                type: "only",
                tools: [{ type: "tool_reference", name: "look_up" }],
              },
            },
          },
        ],
      },
      { type: "mcp_toolset", mcp_server_name: "docs", configs: [{ name: "find", enabled: null }] },
      {
        type: "custom",
        name: "look_up",
        description: "Looks it up",
        input_schema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
      },
    ],
  });
  const [own, mcp, custom] = made.tools;
  assert.ok(own?.type === "agent_toolset_20260401" && mcp?.type === "mcp_toolset");
  const auto = { type: "auto" };
  const location = { type: "approximate", city: null, country: "DE", region: null, timezone: null };
  assert.deepEqual(own.configs, [
    { name: "bash", type: "bash", enabled: false, permission_policy: auto },
    {
      name: "web_search",
      type: "web_search",
      enabled: true,
      permission_policy: auto,
      allowed_domains: ["example.com"],
      user_location: location,
    },
    {
      name: "web_fetch",
      type: "web_fetch",
      enabled: true,
      permission_policy: auto,
      max_content_tokens: 1_000,
      url_sources: {
        user_input: { type: "none" },
        client_tool_results: {
          type: "only",
          tools: [{ type: "tool_reference", name: "look_up" }],
        },
        server_tool_results: null,
      },
    },
  ]);
  assert.deepEqual(mcp.configs, [
    { name: "find", enabled: true, permission_policy: { type: "always_ask" } },
  ]);
  assert.equal(custom?.type, "custom");
  const { tools, mcp_servers, model, multiagent, execution_identity } = made;
  const same = { tools, mcp_servers, model, multiagent, execution_identity };
  assert.deepEqual(
    await client.beta.agents.update(made.id, same),
    made,
    "what was read is sent back",
  );
});

test("agents: both forms of multiagent", async () => {
  const { client } = connect();
  const { agents } = client.beta;
  const helper = await agents.create({ model: "sim-small", name: "Helper" });
  const coordinator = await agents.create({
    model: "sim-large",
    name: "Coordinator",
    multiagent: {
      type: "coordinator",
      agents: [helper.id, { type: "self" }, { type: "advisor", model: "sim-medium" }],
    },
  });
  assert.deepEqual(coordinator.multiagent, {
    type: "coordinator",
    agents: [
      { type: "agent", id: helper.id, version: 1 },
      { type: "agent", id: coordinator.id, version: 1 },
      { type: "advisor", model: "sim-medium" },
    ],
  });
  const newer = await agents.update(coordinator.id, {
    multiagent: {
      type: "multiagent_20261001",
      workflows: { type: "disabled" },
      subagents: { type: "enabled", predefined_agents: [{ type: "agent", id: helper.id }] },
    },
  });
  assert.deepEqual(newer.multiagent, {
    type: "multiagent_20261001",
    subagents: {
      type: "enabled",
      inline_agents: { type: "enabled" },
      predefined_agents: [{ type: "agent", id: helper.id, version: 1 }],
    },
    workflows: { type: "disabled" },
    advisor: { type: "disabled" },
  });
});

test("agents.versions: list", async () => {
  const { client } = connect();
  const { agents } = client.beta;
  const { id } = await agents.create({ model: "sim-small", name: "0" });
  for (const name of ["1", "2", "3", "4"]) await agents.update(id, { name });
  const versions = await gathered(agents.versions.list(id, { limit: 2 }));
  assert.deepEqual(
    versions.map(({ version, name, type }) => [version, name, type]),
    [5, 4, 3, 2, 1].map((version) => [version, `${version - 1}`, "agent"]),
  );
  assert.deepEqual(versions[0], await agents.retrieve(id));
});

test("what is refused for good is asked once, and has its class", async () => {
  const { client, seen } = connect();
  const { agents } = client.beta;
  const { id } = await agents.create({ model: "sim-small", name: "a" });
  const once = async <E extends abstract new (...from: never[]) => unknown>(
    kind: E,
    call: () => PromiseLike<unknown>,
  ) => {
    const before = seen.length;
    const error = await failing(kind, call());
    assert.equal(seen.length, before + 1, "the client asked again");
    return error;
  };
  await agents.update(id, { name: "b" });
  const stale = await once(Anthropic.ConflictError, () =>
    agents.update(id, { version: 1, name: "c" }),
  );
  assert.match(stale.message, /is at version 2 by now, not 1/);
  await once(Anthropic.NotFoundError, () => agents.retrieve("agent_none"));
  await once(Anthropic.NotFoundError, () => agents.retrieve(id, { version: 3 }));
  await once(Anthropic.NotFoundError, () => agents.versions.list("agent_none"));
  await once(Anthropic.BadRequestError, () => agents.create({ model: "none", name: "a" }));
  await agents.archive(id);
  const closed = await once(Anthropic.BadRequestError, () => agents.update(id, { name: "c" }));
  assert.match(closed.message, /is archived/);
});
