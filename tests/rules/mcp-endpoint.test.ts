// /mcp over plain HTTP: who may ask, by which names, and what is refused.
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";

let house: House;
before(async () => {
  house = await openHouse({ sections: { mcp_endpoint: { hosts: ["plinth.example"] } } });
});
after(() => house[Symbol.asyncDispose]());

interface Sent {
  method?: string;
  params?: Record<string, unknown>;
  meta?: Record<string, unknown> | "short" | "beside";
  headers?: Record<string, string>;
  key?: string | undefined;
  body?: string;
  http?: string;
}

type Annotations = Record<"readOnlyHint" | "destructiveHint" | "openWorldHint", boolean>;

interface Message {
  jsonrpc: string;
  result: {
    supportedVersions: string[];
    ttlMs: number;
    cacheScope: string;
    tools: { name: string; inputSchema: object; annotations: Annotations }[];
    content: { type: string; text: string }[];
    structuredContent: Record<string, unknown>;
    isError?: boolean;
  };
  error: { code: number; message: string; data: { type: string } };
}

const long = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const later = { ...long, "io.modelcontextprotocol/protocolVersion": "2030-01-01" };
const short = {
  clientInfo: { name: "tests", version: "1" },
  capabilities: { extensions: { "io.modelcontextprotocol/tasks": "1.0" } },
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
};

async function send({ method = "tools/list", params = {}, meta = long, ...rest }: Sent) {
  const { headers = {}, key, http = "POST" } = rest;
  const told = meta === "short" ? { _meta: short } : meta === "beside" ? {} : { _meta: meta };
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method,
    params: { ...params, ...told },
    ...(meta === "beside" && { _meta: short }),
  };
  const name = params["name"];
  const response = await fetch(new URL("/mcp", house.url), {
    method: http,
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
      ...(key !== undefined && { "x-api-key": key }),
      ...headers,
    },
    ...(http === "POST" && { body: rest.body ?? JSON.stringify(message) }),
  });
  const text = await response.text();
  const body = (text === "" ? {} : JSON.parse(text)) as Message;
  return { status: response.status, headers: response.headers, body };
}

const apiKey = () => house.organizations.platform.api_key;

test("[MCE2] what a server is, is told without a credential, and all else is not", async () => {
  const discovered = await send({ method: "server/discover" });
  assert.equal(discovered.status, 200);
  const { supportedVersions, ttlMs, cacheScope } = discovered.body.result;
  assert.deepEqual([supportedVersions, ttlMs, cacheScope], [["2026-07-28"], 3_600_000, "public"]);
  for (const method of ["tools/list", "tools/call", "initialize"]) {
    const { status, headers, body } = await send({ method });
    assert.equal(status, 401);
    assert.match(headers.get("www-authenticate") ?? "", /^Bearer /);
    assert.match(body.error.message, /carries no credential/);
    assert.equal(body.jsonrpc, "2.0");
  }
  assert.equal((await send({ key: "sk-plinth-api-wrong" })).status, 401);
  assert.equal((await send({ method: "server/discover", key: "wrong" })).status, 401);
  assert.equal((await send({ key: house.organizations.platform.admin_api_key })).status, 403);
  const { cookie } = house.organizations.platform;
  assert.equal((await send({ headers: { cookie, origin: house.url } })).status, 403);
});

/** `fetch` sends the host of the address, whatever it is told. */
async function statusWith(
  headers: Record<string, string>,
  method = "POST",
  path = "/mcp",
): Promise<number> {
  const { port } = new URL(house.url);
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "server/discover",
    params: { _meta: long },
  });
  return await new Promise((resolve, reject) => {
    const asked = request({
      port,
      path,
      method,
      headers: {
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "server/discover",
        ...headers,
      },
    });
    asked.on("response", (response) => resolve(response.resume().statusCode ?? 0));
    asked.on("error", reject);
    asked.end(method === "POST" ? body : "");
  });
}

test("[MCE3] no page of another site comes in by a name that was pointed here", async () => {
  const cases: [Record<string, string>, number][] = [
    [{}, 200],
    [{ host: "localhost" }, 200],
    [{ host: "[::1]:8080" }, 200],
    [{ host: "plinth.example:444" }, 200],
    [{ host: "evil.example" }, 403],
    [{ host: "plinth.example.evil.example" }, 403],
    [{ origin: "http://evil.example" }, 403],
    [{ origin: "null" }, 403],
    [{ origin: "https://plinth.example" }, 200],
  ];
  for (const [headers, status] of cases)
    assert.equal(await statusWith(headers), status, JSON.stringify(headers));
  // Nor does it learn which keys are good.
  for (const key of ["sk-plinth-none", apiKey()])
    for (const elsewhere of [{ host: "evil.example" }, { origin: "http://evil.example" }])
      for (const [method, at] of [
        ["POST", "/mcp"],
        ["GET", "/mcp"],
        ["DELETE", "/mcp"],
        ["POST", "/mcp/bridges/docs"],
      ] as const)
        assert.equal(await statusWith({ ...elsewhere, "x-api-key": key }, method, at), 403, at);
});

test("[MCE4] other methods are 405, and lists may be kept", async () => {
  for (const [http, allow] of [
    ["GET", "POST"],
    ["DELETE", "POST"],
    ["PUT", "POST, GET, DELETE, HEAD"],
  ] as const) {
    const { status, headers } = await send({ http, key: apiKey() });
    assert.deepEqual([status, headers.get("allow")], [405, allow]);
  }
  const { body } = await send({ key: apiKey() });
  assert.deepEqual([body.result.ttlMs, body.result.cacheScope], [300_000, "public"]);
  const hinted = (hint: keyof Annotations) =>
    body.result.tools.filter((tool) => tool.annotations[hint]).map(({ name }) => name);
  const acting = "run_agent send_to_session run_deployment";
  assert.deepEqual(
    hinted("readOnlyHint").join(" "),
    "list_memory_stores list_memories read_memory search_memories list_models list_agents list_files read_file get_session usage show_session",
  );
  assert.equal(hinted("openWorldHint").join(" "), acting);
  assert.equal(
    hinted("destructiveHint").join(" "),
    `write_memory delete_memory ${acting} delete_file`,
  );
});

test("[MCE5] the short names of a request are read where no long one stands", async () => {
  for (const meta of ["short", "beside"] as const) {
    const { status, body } = await send({ meta, key: apiKey() });
    assert.equal(status, 200, JSON.stringify(body));
    assert.ok(body.result.tools.length > 5);
  }
  for (const _meta of [
    {},
    { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
  ]) {
    const little = { jsonrpc: "2.0", id: 1, method: "tools/list", _meta };
    const answered = await send({ body: JSON.stringify(little), key: apiKey() });
    assert.equal(answered.status, 200, JSON.stringify(answered.body));
  }
  const mixed = { ...short, "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
  const { status } = await send({ meta: mixed, key: apiKey() });
  assert.equal(status, 400, "a long name is there, and another long one is missing");
});

test("[MCE8] bad messages and bad input each have their own refusal", async () => {
  const key = apiKey();
  const cases: [Sent, number, number][] = [
    [{ body: "{" }, 400, -32700],
    [{ body: "" }, 400, -32700],
    [{ headers: { "content-type": "text/plain" } }, 415, -32700],
    [{ method: "tools/none" }, 404, -32601],
    [{ headers: { "mcp-method": "tools/call" } }, 400, -32020],
    [{ headers: { "mcp-protocol-version": "2030-01-01" } }, 400, -32020],
    [{ headers: { "mcp-protocol-version": "2030-01-01" }, meta: later }, 400, -32022],
  ];
  for (const [sent, status, code] of cases) {
    const answered = await send({ ...sent, key });
    assert.deepEqual(
      [answered.status, answered.body.error.code],
      [status, code],
      JSON.stringify(sent),
    );
  }
  const unknown = await send({
    key,
    method: "tools/call",
    params: { name: "none", arguments: {} },
  });
  assert.equal(unknown.body.error.code, -32602);
  const bad = await call("list_memories", { memory_store_id: 3, more: 1 });
  assert.equal(bad.isError, true);
  assert.match(bad.content[0]?.text ?? "", /^invalid_request_error: /);
});

async function call(name: string, input: object, key: string = apiKey()) {
  const { body } = await send({ key, method: "tools/call", params: { name, arguments: input } });
  return body.result;
}

test("[MCE6] what belongs to another workspace is not there", async () => {
  const made = await house.ask("POST", "/v1/memory_stores", {
    key: apiKey(),
    headers: { "anthropic-beta": "agent-memory-2026-07-22" },
    body: { name: "Ours" },
  });
  const at = { memory_store_id: String(made.body["id"]), path: "/a" };
  await call("write_memory", { ...at, content: "ours" });
  const stranger = house.organizations.other.api_key;
  for (const name of ["read_memory", "list_memories", "delete_memory"]) {
    const { memory_store_id } = at;
    const answered = await call(
      name,
      name === "list_memories" ? { memory_store_id } : at,
      stranger,
    );
    assert.match(answered.content[0]?.text ?? "", /^not_found_error: /, name);
  }
  const stores = await call("list_memory_stores", {}, stranger);
  assert.deepEqual(stores.structuredContent["data"], []);
});

test("[MCE1] any process answers, and each call is another request", async () => {
  await using second = await house.openSecondServer();
  const made = await house.ask("POST", "/v1/memory_stores", {
    key: apiKey(),
    headers: { "anthropic-beta": "agent-memory-2026-07-22" },
    body: { name: "Shared" },
  });
  const at = { memory_store_id: String(made.body["id"]), path: "/b" };
  await call("write_memory", { ...at, content: "here" });
  const old = await fetch(new URL("/mcp", second.url), {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "x-api-key": apiKey(),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 7,
      method: "tools/call",
      params: { name: "read_memory", arguments: at },
    }),
  });
  assert.equal(old.status, 200);
  assert.match(await old.text(), /"text":"here"/);
});

test("[MCE7] a memory is written where its content is still what was read", async () => {
  const made = await house.ask("POST", "/v1/memory_stores", {
    key: apiKey(),
    headers: { "anthropic-beta": "agent-memory-2026-07-22" },
    body: { name: "Guarded" },
  });
  const at = { memory_store_id: String(made.body["id"]), path: "/c" };
  const first = await call("write_memory", { ...at, content: "one" });
  const { content_sha256 } = first.structuredContent;
  const second = await call("write_memory", { ...at, content: "two", content_sha256 });
  assert.match(second.content[0]?.text ?? "", /^Updated \/c /);
  const third = await call("write_memory", { ...at, content: "three", content_sha256 });
  assert.equal(third.isError, true);
  const gone = await call("write_memory", { ...at, path: "/d", content: "x", content_sha256 });
  assert.match(gone.content[0]?.text ?? "", /^not_found_error: There is no memory at \/d/);
  assert.equal((await call("read_memory", at)).content[0]?.text, "two");
  const kept = await call("delete_memory", { ...at, content_sha256 });
  assert.equal(kept.isError, true);
});

test("[MCE9] a model is asked and charged as by the API", async () => {
  const answered = await call("ask_model", { model: "sim-small", prompt: "Good morning" });
  assert.ok((answered.content[0]?.text ?? "").length > 0);
  assert.equal(answered.structuredContent["model"], "sim-small");
  const refused = await call("ask_model", { model: "no-such-model", prompt: "Hello" });
  assert.match(refused.content[0]?.text ?? "", /^not_found_error: /);
  const none = await call("ask_model", { model: "sim-large", prompt: "Well? [[refuse]]" });
  assert.deepEqual(
    [none.isError, none.content[0]?.text, none.structuredContent["stop_reason"]],
    [true, "The model sim-large declines to answer.", "refusal"],
  );
  const blank = await call("ask_model", { model: "sim-small", prompt: " " });
  assert.match(blank.content[0]?.text ?? "", /^invalid_request_error: prompt: must not be empty/);
  const models = await call("list_models", {});
  assert.match(models.content[0]?.text ?? "", /sim-small/);
  for (const name of ["list_agents", "list_files"])
    assert.deepEqual((await call(name, {})).structuredContent["data"], []);
});

const beta = { "anthropic-beta": "managed-agents-2026-04-01" };

async function make(path: string, body: object): Promise<string> {
  const made = await house.ask("POST", path, { key: apiKey(), headers: beta, body });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  return String(made.body["id"]);
}

test("[MCE10] what an agent is told has a word in it", async () => {
  const at = { agent: "agent_x", environment_id: "env_x", session_id: "sesn_x" };
  for (const [name, fields] of [
    ["run_agent", ["agent", "environment_id"]],
    ["send_to_session", ["session_id"]],
  ] as const) {
    const given = Object.fromEntries(fields.map((field) => [field, at[field]]));
    const { content } = await call(name, { ...given, message: " " });
    const words = "invalid_request_error: message: must not be empty or blank.";
    assert.equal(content[0]?.text, words);
  }
});

test("[MCE10] a session that waits for a person says so, and one that fails says why", async () => {
  const weather = {
    type: "custom",
    name: "weather",
    description: "",
    input_schema: { type: "object" },
  };
  const agent = await make("/v1/agents", { name: "Asker", model: "sim-small", tools: [weather] });
  const environment_id = await make("/v1/environments", {
    name: "here",
    config: { type: "cloud" },
  });
  const message = "[[tool weather {}]] How is it?";
  const run = await call("run_agent", { agent, environment_id, message });
  assert.equal(run.isError, true);
  const { session_id, waiting_for } = run.structuredContent as Record<string, string[]>;
  assert.match(run.content[0]?.text ?? "", /^The session sesn_\w+ waits for a person/);
  assert.equal(waiting_for?.length, 1);
  const results = [
    { type: "user.custom_tool_result", custom_tool_use_id: waiting_for?.[0], content: [] },
  ];
  const path = `/v1/sessions/${String(session_id)}/events`;
  const body = { events: results };
  assert.equal((await house.ask("POST", path, { key: apiKey(), headers: beta, body })).status, 200);
  const told = await call("send_to_session", { session_id, message: "And now?" });
  assert.match(told.content[0]?.text ?? "", /And now/);
  const unknown = await call("run_agent", { agent: "agent_none", environment_id, message });
  assert.match(unknown.content[0]?.text ?? "", /^\w+_error: /);
  const stranger = house.organizations.other.api_key;
  const theirs = await call("send_to_session", { session_id, message }, stranger);
  assert.match(theirs.content[0]?.text ?? "", /^not_found_error: /);
});

test("[MCE10] a deployment is run by hand", async () => {
  const agent = await make("/v1/agents", { name: "Runner", model: "sim-small" });
  const environment_id = await make("/v1/environments", {
    name: "there",
    config: { type: "cloud" },
  });
  const content = [{ type: "text", text: "Go" }];
  const deployment_id = await make("/v1/deployments", {
    name: "Daily",
    agent,
    environment_id,
    initial_events: [{ type: "user.message", content }],
    schedule: { type: "cron", expression: "0 0 29 2 *", timezone: "UTC" },
  });
  const run = await call("run_deployment", { deployment_id });
  assert.match(run.content[0]?.text ?? "", /^Began the session sesn_\w+ \(run drun_\w+\)\.$/);
});
