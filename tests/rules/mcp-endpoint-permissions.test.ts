// What a credential may not do by the API, it may not do through /mcp either.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { accessRecorderOf } from "../../server/audit/module.ts";
import { openHouse, type House } from "../house.ts";
import { mcpClient, refusedWith, type Fields } from "./mcp-endpoint-client.ts";
import { mcpProgramOf } from "./authorizations-mcp-house.ts";
import { personIn, programIn } from "./tokens-house.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const ask = mcpClient(() => ({ url: house.url, key: "" }));

async function tokenWith(scope: string): Promise<string> {
  const { platform } = house.organizations;
  const userId = await personIn(house, platform, "admin");
  const program = await programIn(house, platform, {
    userId,
    scopes: [scope],
    workspaceId: platform.workspace_id,
  });
  return program.access_token;
}

test("[MCE19] [AUT23] a token for models alone reads, writes and runs nothing of its workspace", async () => {
  const { api_key } = house.organizations.platform;
  const made = await house.ask("POST", "/v1/memory_stores", {
    key: api_key,
    headers: { "anthropic-beta": "agent-memory-2026-07-22" },
    body: { name: "Kept" },
  });
  const memory_store_id = String(made.body["id"]);
  const memory = { memory_store_id, path: "/a.md" };
  await ask(
    "tools/call",
    { name: "write_memory", arguments: { ...memory, content: "ours" } },
    { key: api_key },
  );
  const key = await tokenWith("workspace:inference");
  const call = async (name: string, input: object, given: string): Promise<Fields> =>
    (await ask("tools/call", { name, arguments: input }, { key: given })).result;
  const calls: [name: string, input: object, permission: string][] = [
    ["list_memory_stores", {}, "memory:use"],
    ["list_memories", { memory_store_id }, "memory:use"],
    ["read_memory", memory, "memory:use"],
    ["write_memory", { ...memory, content: "theirs" }, "memory:use"],
    ["delete_memory", memory, "memory:use"],
    ["search_memories", { query: "ours" }, "memory:use"],
    ["list_agents", {}, "agents:use"],
    ["list_files", {}, "files:use"],
    ["read_file", { file_id: "file_1" }, "files:use"],
    ["upload_file", { filename: "a.txt", text: "theirs" }, "files:use"],
    ["delete_file", { file_id: "file_1" }, "files:use"],
    ["run_agent", { agent: "agent_1", environment_id: "env_1", message: "Hi" }, "sessions:use"],
    ["send_to_session", { session_id: "sesn_1", message: "Hi" }, "sessions:use"],
    ["get_session", { session_id: "sesn_1" }, "sessions:use"],
    ["usage", {}, "sessions:use"],
    ["show_session", { session_id: "sesn_1" }, "sessions:use"],
    ["run_deployment", { deployment_id: "depl_1" }, "deployments:use"],
  ];
  for (const [name, input, permission] of calls) {
    const refused = await call(name, input, key);
    assert.equal(refused["isError"], true, name);
    assert.match(refused["content"][0].text, new RegExp(`^permission_error: .*${permission}\\.$`));
  }
  const { status, challenge } = await mcpProgramOf(() => house).mcp(key, "tools/call", {
    name: "list_files",
    arguments: {},
  });
  assert.deepEqual([status, challenge], [200, ""]);
  const answered = await call("ask_model", { model: "sim-small", prompt: "Good morning" }, key);
  assert.equal(answered["isError"], undefined, JSON.stringify(answered));
  // Each tool is in the list above or is one for models.
  const { result } = await ask("tools/list", {}, { key });
  assert.deepEqual(
    result["tools"].map((tool: Fields) => tool["name"] as string).toSorted(),
    [...calls.map(([name]) => name), "ask_model", "list_models"].toSorted(),
  );
  const uri = `plinth://memory_stores/${memory_store_id}/memories/a.md`;
  assert.match(refusedWith(await ask("resources/read", { uri }, { key }), -32602), /memory:use/);
  assert.deepEqual(await everyResource(key), []);
  assert.deepEqual((await ask("prompts/list", {}, { key })).result["prompts"], []);
  const developer = await tokenWith("workspace:developer");
  assert.equal((await call("read_memory", memory, developer))["content"][0].text, "ours");
  assert.deepEqual(
    (await everyResource(developer)).map((each) => each["uri"]),
    [uri],
  );
});

test("[MCE45] what was asked for and is not allowed is in the audit log, what a list leaves out is not", async () => {
  const key = await tokenWith("workspace:inference");
  const denied = async () => {
    await accessRecorderOf(house.world).flush();
    const { cookie } = house.organizations.platform;
    const query = "limit=100&action=request.denied";
    const { body } = await house.ask("GET", `/console/api/audit?${query}`, { cookie });
    return (body.data as Fields[]).map(({ target, details }) => [
      target.id,
      details.status,
      details.error,
      details.count,
    ]);
  };
  const before = (await denied()).length;
  await everyResource(key);
  await ask("prompts/list", {}, { key });
  assert.equal((await denied()).length, before);
  const memory = { memory_store_id: "memstore_1", path: "/a.md" };
  for (const name of ["read_memory", "read_memory", "list_agents"])
    await ask("tools/call", { name, arguments: name === "list_agents" ? {} : memory }, { key });
  await ask("resources/read", { uri: "plinth://files/file_1" }, { key });
  const told = (await denied())
    .slice(0, -before || undefined)
    .toSorted(([one], [other]) => String(one).localeCompare(String(other)));
  assert.deepEqual(told, [
    ["agents.list", 403, "permission_error", 1],
    ["files.retrieve_metadata", 403, "permission_error", 1],
    ["memory_stores.memories.list", 403, "permission_error", 2],
  ]);
});

async function everyResource(key: string): Promise<Fields[]> {
  const first = (await ask("resources/list", {}, { key })).result;
  const cursor = String(first["nextCursor"]);
  const second = (await ask("resources/list", { cursor }, { key })).result;
  const [page, ...others] = first["resources"] as Fields[];
  assert.equal(page?.["uri"], "ui://plinth/session-timeline", "it is everybody's");
  return [...others, ...(second["resources"] as Fields[])];
}
