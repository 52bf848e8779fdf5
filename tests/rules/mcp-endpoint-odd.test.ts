// Requests at /mcp that do not fit: each has an error of the protocol with a sentence, in both revisions.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Failure } from "../../kernel/base/failure.ts";
import { protocolErrorOf } from "../../server/mcp_endpoint/tasks.ts";
import { openHouse, type House } from "../house.ts";
import { newerMeta, postMcp, type Fields } from "./mcp-endpoint-client.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const newer = newerMeta();

async function send(body: unknown, headers: Record<string, string> = {}) {
  const place = { url: house.url, key: house.organizations.platform.api_key };
  const response = await postMcp(place, body, headers);
  const text = await response.text();
  const { status } = response;
  const json = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  const message = (json === "" ? {} : JSON.parse(json)) as Fields;
  return { status, headers: response.headers, message };
}

const headersOf = (method: string, { name, uri }: Fields) => {
  const named = (name ?? uri) as string | undefined;
  return {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(named !== undefined && { "mcp-name": named }),
  };
};

const ask = (method: string, params: Fields, id: unknown = 1) =>
  send(
    { jsonrpc: "2.0", id, method, params: { ...params, _meta: newer } },
    headersOf(method, params),
  );

async function begin(): Promise<Record<string, string>> {
  const clientInfo = { name: "tests", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const { headers } = await send({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  return {
    "mcp-session-id": headers.get("mcp-session-id") ?? "",
    "mcp-protocol-version": "2025-11-25",
  };
}

const noneOfList = /^cursor: is none of this list/;
const cases: [method: string, params: Fields, words: RegExp][] = [
  ["tools/list", { cursor: "x" }, noneOfList],
  ["resources/templates/list", { cursor: "x" }, noneOfList],
  ["resources/list", { cursor: "x" }, noneOfList],
  ["prompts/list", { cursor: "x" }, noneOfList],
  ["tools/list", { cursor: 5 }, /: cursor: must be a string/],
  ["resources/read", {}, /: uri: is required/],
  ["prompts/get", { name: "x", arguments: { a: 5 } }, /: arguments\.a: must be a string/],
  ["completion/complete", {}, /: ref: is required/],
  ["completion/complete", { ref: { type: "ref/none" } }, /: (ref|argument)/],
];

test("[MCE8] params that do not fit are told in a sentence, in both revisions", async () => {
  const session = await begin();
  for (const [method, params, words] of cases) {
    const answers = [
      await ask(method, params),
      await send({ jsonrpc: "2.0", id: 1, method, params }, session),
    ];
    for (const { message } of answers) {
      assert.deepEqual([message["error"].code, message["id"]], [-32602, 1], method);
      assert.match(message["error"].message, words);
      assert.doesNotMatch(message["error"].message, /[\n[]/);
    }
  }
});

test("[MCE8] arguments of another type are a result, and no object is an error", async () => {
  const session = await begin();
  const both = async (params: Fields) => [
    await ask("tools/call", params),
    await send({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, session),
  ];
  for (const { message } of await both({ name: "list_agents", arguments: { limit: "x" } }))
    assert.match(message["result"].content[0].text, /^invalid_request_error: limit: must be/);
  for (const given of ["x", [], 5, null])
    for (const { message } of await both({ name: "list_agents", arguments: given })) {
      assert.deepEqual([message["error"].code, message["id"]], [-32602, 1]);
      assert.match(message["error"].message, /: arguments: must be an object/);
    }
  for (const { message } of await both({ arguments: {} }))
    assert.match(
      message["error"].message,
      /^Invalid params for tools\/call: name: is required and must be a string/,
    );
  for (const { message } of await both({ name: "__proto__", arguments: {} }))
    assert.equal(message["error"].code, -32602);
});

test("[MCE8] an initialize that says too little is told what is missing, and begins nothing", async () => {
  const whole = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "tests", version: "1" },
  };
  for (const [given, words] of [
    [
      { protocolVersion: undefined },
      /^Invalid params for initialize: protocolVersion: is required/,
    ],
    [{ capabilities: 5 }, /: capabilities: must be an object/],
    [{ clientInfo: { name: "tests" } }, /: clientInfo\.version: is required/],
  ] as const) {
    const params = { ...whole, ...given };
    const { headers, message } = await send({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params,
    });
    assert.deepEqual([message["error"].code, message["id"]], [-32602, 1]);
    assert.match(message["error"].message, words);
    assert.equal(headers.get("mcp-session-id"), null);
  }
});

test("[MCE8] what may be asked again later is no fault of the params", () => {
  for (const [type, code] of [
    ["not_found_error", -32602],
    ["permission_error", -32602],
    ["rate_limit_error", -32603],
    ["overloaded_error", -32603],
    ["api_error", -32603],
  ] as const) {
    const refused = protocolErrorOf(new Failure(type, "No."));
    assert.deepEqual([refused.code, refused.data], [code, { type }]);
  }
});

test("[MCE1] methods that a revision has not are not found", async () => {
  const session = await begin();
  const removed = ["ping", "logging/setLevel", "resources/subscribe", "initialize", "tasks/list"];
  for (const method of [...removed, "sampling/createMessage", "nothing"]) {
    const { status, message } = await ask(method, { level: "info" });
    assert.deepEqual([status, message["error"].code], [404, -32601], method);
  }
  for (const method of ["server/discover", "subscriptions/listen", "nothing"]) {
    const params = { notifications: {}, level: "info" };
    const { message } = await send({ jsonrpc: "2.0", id: 1, method, params }, session);
    assert.equal(message["error"].code, -32601, method);
  }
  const { message } = await send({ jsonrpc: "2.0", id: 1, method: "ping" }, session);
  assert.deepEqual(message["result"], {});
});

test("[MCE1] what is no message, and many in one request, is refused", async () => {
  const session = await begin();
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const headers = headersOf("tools/list", {});
  for (const body of [[], null, 5, "x", { ...list, jsonrpc: "1.0" }, { ...list, params: [] }]) {
    const { status, message } = await send(body, headers);
    assert.deepEqual([status, message["error"].code], [400, -32600], JSON.stringify(body));
  }
  for (const id of [1.5, null, true, {}, []]) {
    const { status, message } = await ask("tools/list", {}, id);
    assert.deepEqual([status, message["error"].code], [400, -32600], JSON.stringify(id));
  }
  for (const id of [0, -1, "", "x".repeat(300)])
    assert.equal((await ask("tools/list", {}, id)).message["id"], id);
  const params = { _meta: newer };
  const many = [
    { ...list, params },
    { ...list, id: 2, params },
  ];
  for (const body of [many, [list]]) {
    const { status, message } = await send(body, headers);
    assert.deepEqual([status, message["error"].code], [400, -32600], JSON.stringify(message));
  }
  for (const body of [[list], { ...list, id: null }, { ...list, method: "initialize" }]) {
    const { status, message } = await send(body, session);
    assert.deepEqual([status, message["error"].code], [400, -32600], JSON.stringify(body));
  }
});
