// The official clients of MCP, of both kits and revisions, against /mcp.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { toFile } from "@anthropic-ai/sdk";
import { openHouse, type House } from "../house.ts";
import { document } from "../rules/skills-house.ts";
import { listeningClient } from "./messages-client.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const toolNames = [
  "ask_model",
  "delete_file",
  "delete_memory",
  "get_session",
  "list_agents",
  "list_files",
  "list_memories",
  "list_memory_stores",
  "list_models",
  "read_file",
  "read_memory",
  "run_agent",
  "run_deployment",
  "search_memories",
  "send_to_session",
  "show_session",
  "upload_file",
  "usage",
  "write_memory",
];

const headers = () => ({ authorization: `Bearer ${house.organizations.platform.api_key}` });
const address = () => new URL("/mcp", house.url);

type Connected = Awaited<ReturnType<typeof connect>>;

async function connect(mode: "modern" | "auto" | "legacy") {
  const client = new Client(
    { name: "tests", version: "1" },
    {
      versionNegotiation: mode === "modern" ? { mode: { pin: "2026-07-28" } } : { mode },
    },
  );
  await client.connect(
    new StreamableHTTPClientTransport(address(), { requestInit: { headers: headers() } }),
  );
  return client;
}

async function connectOld() {
  const client = new OldClient({ name: "tests", version: "1" });
  const transport = new OldTransport(address(), { requestInit: { headers: headers() } });
  await client.connect(transport);
  return client as unknown as Connected;
}

async function storeNamed(name: string): Promise<string> {
  const { body } = await house.ask("POST", "/v1/memory_stores", {
    key: house.organizations.platform.api_key,
    headers: { "anthropic-beta": "agent-memory-2026-07-22" },
    body: { name },
  });
  return String(body["id"]);
}

const makers = {
  "2026-07-28": () => connect("modern"),
  "whichever the server has": () => connect("auto"),
  "2025-11-25": () => connect("legacy"),
  "the older kit": connectOld,
};

for (const [name, make] of Object.entries(makers))
  test(`a client of ${name} writes, reads, finds and deletes a memory`, async () => {
    const client = await make();
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name).toSorted(), toolNames);
    const store = await storeNamed(`Notes ${name}`);
    const call = async (tool: string, input: object) => {
      const result = await client.callTool({
        name: tool,
        arguments: { memory_store_id: store, ...input },
      });
      const [first] = result.content as { text: string }[];
      return {
        text: first?.text ?? "",
        isError: result.isError === true,
        fields: result.structuredContent as Record<string, unknown>,
      };
    };
    const path = "/plans/trip.md";
    const made = await call("write_memory", { path, content: "Go by bicycle." });
    assert.match(made.text, /^Created \/plans\/trip\.md \(14 bytes\)/);
    const read = await call("read_memory", { path });
    assert.deepEqual(
      [read.text, read.fields["content_sha256"]],
      ["Go by bicycle.", made.fields["content_sha256"]],
    );
    const stale = await call("write_memory", {
      path,
      content: "x",
      content_sha256: "0".repeat(64),
    });
    assert.equal(stale.isError, true);
    assert.match(stale.text, /^memory_precondition_failed_error: /);
    const found = await call("search_memories", { query: "bicycle" });
    assert.match(found.text, /trip\.md/);
    assert.equal((await call("delete_memory", { path })).text, "Deleted /plans/trip.md.");
    assert.match(
      (await call("read_memory", { path })).text,
      /^not_found_error: There is no memory at/,
    );
    await client.close();
  });

for (const [name, make] of Object.entries(makers))
  test(`a client of ${name} reads resources and prompts, and completes an address`, async () => {
    const client = await make();
    const { client: api } = listeningClient(house);
    const store = await storeNamed(`Read by ${name}`);
    await api.beta.memoryStores.memories.create(store, { path: "/plans/sea.md", content: "Swim." });
    const skill = await api.beta.skills.create({
      files: [await toFile(Buffer.from(document("swim", "Swims.", "Swim well.")), "swim/SKILL.md")],
    });
    const { resourceTemplates } = await client.listResourceTemplates();
    const template = resourceTemplates.find((each) => each.name === "memory")?.uriTemplate ?? "";
    const { completion } = await client.complete({
      ref: { type: "ref/resource", uri: template },
      argument: { name: "path", value: "/pl" },
      context: { arguments: { memory_store_id: store } },
    });
    assert.deepEqual(completion.values, ["/plans/sea.md"]);
    const uri = `plinth://memory_stores/${store}/memories/plans/sea.md`;
    const listed: string[] = [];
    for (let cursor: string | undefined, pages = 0; pages < 50; pages++) {
      const page = await client.listResources(cursor === undefined ? {} : { cursor });
      listed.push(...page.resources.map((each) => each.uri));
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
    assert.ok(listed.includes(uri), listed.join());
    const { contents } = await client.readResource({ uri });
    assert.deepEqual(
      contents.map((each) => [each.uri, each.mimeType, "text" in each && each.text]),
      [[uri, "text/markdown", "Swim."]],
    );
    const none = `${uri}.none`;
    await assert.rejects(client.readResource({ uri: none }), (error: unknown) => {
      const { code, data } = error as { code: number; data: unknown };
      assert.deepEqual([code, data], [-32602, { uri: none }]);
      return true;
    });
    const { prompts } = await client.listPrompts();
    const prompt = prompts.find((each) => each.name === `swim.${skill.id}`);
    assert.equal(prompt?.description, "Swims.");
    const { messages } = await client.getPrompt({
      name: prompt?.name ?? "",
      arguments: { request: "A mile." },
    });
    assert.deepEqual(messages, [
      { role: "user", content: { type: "text", text: "Swim well.\n\nA mile." } },
    ]);
    await client.close();
  });

test("an agent runs, says how far it is, and is told more", async () => {
  const { client: api } = listeningClient(house);
  const agent = await api.beta.agents.create({ name: "Echo", model: "sim-small" });
  const environment = await api.beta.environments.create({
    name: "here",
    config: { type: "cloud" },
  });
  const client = await connect("modern");
  const progress: number[] = [];
  const run = await client.callTool(
    {
      name: "run_agent",
      arguments: { agent: agent.id, environment_id: environment.id, message: "One [[say first]]" },
    },
    { onprogress: ({ progress: done }) => progress.push(done) },
  );
  const { session_id, stop_reason } = run.structuredContent as Record<string, string>;
  assert.equal(stop_reason, "end_turn", JSON.stringify(run));
  assert.ok(progress.length > 0, "no progress was told");
  assert.ok(progress.every((done, at) => done > (progress[at - 1] ?? 0)));
  const session = await api.beta.sessions.retrieve(String(session_id));
  assert.equal(session.status, "idle");
  const again = await client.callTool({
    name: "send_to_session",
    arguments: { session_id, message: "Two" },
  });
  const [text] = again.content as { text: string }[];
  assert.match(text?.text ?? "", /Two/);
  assert.doesNotMatch(text?.text ?? "", /One/);
  await client.close();
});

/** Whose one tool is run by its clients. */
async function weatherAgent() {
  const { client: api } = listeningClient(house);
  const weather = {
    type: "custom" as const,
    name: "weather",
    description: "The weather.",
    input_schema: { type: "object" as const },
  };
  const agent = await api.beta.agents.create({
    name: "Asker",
    model: "sim-small",
    tools: [weather],
  });
  const environment = await api.beta.environments.create({
    name: "there",
    config: { type: "cloud" },
  });
  const message = "[[tool weather {}]]";
  return { agent: agent.id, environment_id: environment.id, message };
}

test("a client that has a person answers what a session waits for, in one call", async () => {
  const client = new Client(
    { name: "tests", version: "1" },
    {
      versionNegotiation: { mode: { pin: "2026-07-28" } },
      capabilities: { elicitation: { form: {} } },
    },
  );
  const asked: string[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params.message);
    return { action: "accept", content: { result: "sunny" } };
  });
  await client.connect(
    new StreamableHTTPClientTransport(address(), { requestInit: { headers: headers() } }),
  );
  const run = await client.callTool({ name: "run_agent", arguments: await weatherAgent() });
  assert.equal(run.isError, undefined, JSON.stringify(run));
  assert.match(JSON.stringify(run.content), /sunny/);
  assert.equal(asked.length, 1);
  assert.match(asked[0] ?? "", /calls weather/);
  await client.close();
});

test("a client of the older kit is asked in the midst of a call", async () => {
  const client = new OldClient(
    { name: "tests", version: "1" },
    { capabilities: { elicitation: { form: {} } } },
  );
  const asked: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message);
    return { action: "accept", content: { result: "cloudy" } };
  });
  const transport = new OldTransport(address(), { requestInit: { headers: headers() } });
  await client.connect(transport);
  assert.match(transport.sessionId ?? "", /^mcpsess_/);
  const run = await client.callTool({ name: "run_agent", arguments: await weatherAgent() });
  assert.match(JSON.stringify(run.content), /cloudy/);
  assert.equal(asked.length, 1);
  await transport.terminateSession();
  await client.close();
});
