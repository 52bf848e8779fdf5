// Rule MCE46: what clients of /mcp are told of how their calls are worked on, until 2027-07-28.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeManualClock, systemClock } from "../../kernel/base/clock.ts";
import { deprecatedUntil } from "../../server/mcp_client/module.ts";
import { openHouse, type House } from "../house.ts";
import { messagesIn, newerMeta, postMcp, type Fields } from "./mcp-endpoint-client.ts";

let house: House;
const wall = makeManualClock(new Date("2027-07-01T12:00:00Z"));
before(async () => {
  house = await openHouse({ clock: { ...systemClock, now: () => wall.now() } });
});
after(() => house[Symbol.asyncDispose]());

/** All that is said in answer to one message. */
async function send(message: object, headers: Record<string, string>, url = house.url) {
  const place = { url, key: house.organizations.platform.api_key };
  const response = await postMcp(place, { jsonrpc: "2.0", id: 1, ...message }, headers);
  const said = messagesIn(await response.text());
  return {
    session: response.headers.get("mcp-session-id") ?? "",
    answer: said.at(-1) ?? {},
    told: said
      .filter(({ method }) => method === "notifications/message")
      .map(({ params }) => params),
  };
}

const named = (name: string, level?: string, input: Fields = {}) => ({
  method: "tools/call",
  params: {
    name,
    arguments: input,
    _meta: {
      ...newerMeta(),
      ...(level !== undefined && { "io.modelcontextprotocol/logLevel": level }),
    },
  },
});
const newer = (name: string) => ({
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "tools/call",
  "mcp-name": name,
});
const older = (session: string) => ({
  "mcp-session-id": session,
  "mcp-protocol-version": "2025-11-25",
});
const initialize = {
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "tests", version: "1" },
  },
};
const calling = (name: string, input: Fields = {}) => ({
  method: "tools/call",
  params: { name, arguments: input },
});
const setLevel = (level: unknown) => ({ method: "logging/setLevel", params: { level } });
const listed = {
  level: "debug",
  logger: "plinth",
  data: { tool: "list_memory_stores", operation: "memory_stores.list" },
};
const noAgent = { agent: "agent_none", environment_id: "env_none", message: "Hello" };

test("[MCE46] a call says which level it wants to be told, and else is told nothing", async () => {
  const at = async (name: string, level?: string, input?: Fields) =>
    (await send(named(name, level, input), newer(name))).told;
  assert.deepEqual(await at("list_memory_stores"), []);
  assert.deepEqual(await at("list_memory_stores", "info"), []);
  assert.deepEqual(await at("list_memory_stores", "debug"), [listed]);
  const [refused, ...more] = await at("run_agent", "warning", noAgent);
  assert.deepEqual(more, []);
  assert.deepEqual(
    [refused?.["level"], refused?.["data"].tool, refused?.["data"].type],
    ["warning", "run_agent", "not_found_error"],
  );
  assert.deepEqual(await at("run_agent", "error", noAgent), []);
});

test("[MCE46] a session names the level once, and any process knows", async () => {
  const { session, answer } = await send(initialize, {});
  assert.deepEqual(answer["result"].capabilities.logging, {});
  const here = older(session);
  const list = calling("list_memory_stores");
  assert.deepEqual((await send(list, here)).told, []);
  const wrong = await send(setLevel("loud"), here);
  assert.equal(wrong.answer["error"].code, -32602);
  assert.match(wrong.answer["error"].message, /: level: must be/);
  assert.deepEqual((await send(setLevel("debug"), here)).answer["result"], {});
  await using second = await house.openSecondServer();
  assert.deepEqual((await send(list, here, second.url)).told, [listed]);
  assert.deepEqual((await send(setLevel("error"), here, second.url)).answer["result"], {});
  assert.deepEqual((await send(list, here)).told, []);
  const another = await send(initialize, {});
  assert.deepEqual((await send(list, older(another.session))).told, []);
});

test("[MCE46] from the 28th of July 2027 on there is no such method, and a level means nothing", async () => {
  const before = await send(initialize, {});
  await send(setLevel("debug"), older(before.session));
  wall.advance(deprecatedUntil.getTime() - wall.now().getTime());
  const list = calling("list_memory_stores");
  assert.deepEqual((await send(list, older(before.session))).told, []);
  const { session, answer } = await send(initialize, {});
  assert.equal(answer["result"].capabilities.logging, undefined);
  const { answer: none } = await send(setLevel("debug"), older(session));
  assert.equal(none["error"].code, -32601);
  const { told } = await send(named("list_memory_stores", "debug"), newer("list_memory_stores"));
  assert.deepEqual(told, []);
});
