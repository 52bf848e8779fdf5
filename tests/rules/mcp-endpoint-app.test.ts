// The tool of /mcp with a page: the timeline of a session, as fields and as text, and the page that draws it.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { mcpClient, type Fields } from "./mcp-endpoint-client.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const key = () => house.organizations.platform.api_key;
const stranger = () => ({ key: house.organizations.other.api_key });
const ask = mcpClient(() => ({ url: house.url, key: key() }));
const pageUri = "ui://plinth/session-timeline";

async function make(path: string, body: object): Promise<string> {
  const headers = { "anthropic-beta": "managed-agents-2026-04-01" };
  const made = await house.ask("POST", path, { key: key(), headers, body });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  return String(made.body["id"]);
}

const call = async (name: string, input: object, given = {}) =>
  (await ask("tools/call", { name, arguments: input }, given)).result;

const weather = {
  type: "custom",
  name: "weather",
  description: "",
  input_schema: { type: "object" },
};

/** Of a session of an agent of its own, which was told this. */
async function sessionTold(message: string, tools: object[] = []): Promise<string> {
  const agent = await make("/v1/agents", { name: "Teller", model: "sim-small", tools });
  const config = { type: "cloud" };
  const environment_id = await make("/v1/environments", { name: `at ${agent}`, config });
  const run = await call("run_agent", { agent, environment_id, message });
  return String(run["structuredContent"]["session_id"]);
}

test("[MCE40] the tool names its page, and a client that shows none reads lines", async () => {
  const { result } = await ask("tools/list", {});
  const tools = result["tools"] as Fields[];
  const [tool, ...others] = tools.filter((each) => each["_meta"] !== undefined);
  assert.deepEqual(others, []);
  assert.equal(tool?.["name"], "show_session");
  assert.deepEqual(tool?.["_meta"], {
    ui: { resourceUri: pageUri, visibility: ["model", "app"] },
    "ui/resourceUri": pageUri,
  });
  const { capabilities } = (await ask("server/discover", {})).result;
  assert.deepEqual(capabilities["extensions"]["io.modelcontextprotocol/ui"], {});
  const id = await sessionTold("Hello.");
  const { content } = await call("show_session", { session_id: id });
  assert.equal(content.length, 1);
  const { text } = content[0];
  assert.match(text, new RegExp(`The session ${id} of the agent Teller, begun at .*It is idle`));
  assert.match(text, /\n- \S+: User\n/);
  assert.match(text, /\n- \S+: Turn \(\d+ ms\)/);
  assert.match(text, /\n- \S+: Model request \(\d+ ms, \d+ tokens in, \d+ out\)/);
  const hidden = await call("show_session", { session_id: id }, stranger());
  assert.match(hidden["content"][0].text, /^not_found_error: /);
});

test("[MCE41] calls stand with their results, and what waits is open", async () => {
  const id = await sessionTold('[[tool weather {"city": "Ulm"}]]', [weather]);
  const waits = (await call("show_session", { session_id: id }))["structuredContent"];
  assert.deepEqual(
    [waits.session.status, waits.session.stop_reason, waits.session.agent.name],
    ["idle", "requires_action", "Teller"],
  );
  const [waiting] = waits.waiting_for;
  assert.deepEqual([waiting.type, waiting.text], ["agent.custom_tool_use", '{"city":"Ulm"}']);
  const ofLane = (fields: Fields, lane: string) =>
    (fields["marks"] as Fields[]).filter((mark) => mark["lane"] === lane);
  const [open] = ofLane(waits, "tools");
  assert.deepEqual([open?.["id"], open?.["is_open"], open?.["result"]], [waiting.id, true, null]);
  const answer = {
    type: "user.custom_tool_result",
    custom_tool_use_id: waiting.id,
    is_error: true,
    content: [{ type: "text", text: "No such city" }],
  };
  await make(`/v1/sessions/${id}/events`, { events: [answer] });
  await call("send_to_session", { session_id: id, message: "And now?" });
  const { structuredContent: ended } = await call("show_session", { session_id: id });
  assert.deepEqual([ended.waiting_for, ended.is_complete], [[], true]);
  const [called, ...more] = ofLane(ended, "tools");
  assert.deepEqual(more, []);
  assert.deepEqual(
    [called?.["is_open"], called?.["is_error"], called?.["result"]],
    [false, true, "No such city"],
  );
  assert.ok(Date.parse(called?.["ended_at"]) >= Date.parse(called?.["at"]));
  assert.match(String(called?.["title"]), /^Agent calls weather/);
  const model = ofLane(ended, "model");
  assert.equal(model.length, 3);
  const input = model.reduce((sum, { tokens }) => sum + tokens.input, 0);
  assert.equal(input, ended.session.usage.input_tokens);
  assert.ok(model.every((mark) => mark["is_open"] === false));
  assert.deepEqual(
    ofLane(ended, "turns").map((mark) => mark["text"]),
    ["requires_action", "end_turn", "end_turn"],
  );
  assert.equal(ofLane(ended, "people").length, 2);
});

test("[MCE42] of a long session the newest is there, and it says so", async () => {
  const id = await sessionTold("The first.");
  const events = Array.from({ length: 120 }, (_, at) => ({
    type: "user.message",
    content: [{ type: "text", text: `${at} ${"x".repeat(4_000)}` }],
  }));
  for (let at = 0; at < events.length; at += 40)
    await make(`/v1/sessions/${id}/events`, { events: events.slice(at, at + 40) });
  await call("send_to_session", { session_id: id, message: "The last." });
  const { structuredContent: cut, content } = await call("show_session", { session_id: id });
  assert.equal(cut.is_complete, false);
  const people = (cut["marks"] as Fields[]).filter((mark) => mark["lane"] === "people");
  assert.doesNotMatch(JSON.stringify(people), /The first/);
  assert.match(String(people.at(-1)?.["text"]), /^The last\.$/);
  assert.match(String(people.at(-2)?.["text"]), /^119 x+… \(2004 characters more\)$/);
  assert.ok(JSON.stringify(cut).length < 400_000);
  assert.match(content[0].text, /\(The newest 100 are here; what came before is left out\.\)/);
});

test("[MCE43] the page is one text that may run its own script and nothing else", async () => {
  const listed = (await ask("resources/list", {}, stranger())).result["resources"] as Fields[];
  const [found] = listed.filter((each) => each["uri"] === pageUri);
  assert.equal(found?.["mimeType"], "text/html;profile=mcp-app");
  const { result } = await ask("resources/read", { uri: pageUri }, stranger());
  assert.deepEqual([result["ttlMs"], result["cacheScope"]], [3_600_000, "public"]);
  const [page, ...more] = result["contents"] as Fields[];
  assert.deepEqual(more, []);
  assert.equal(page?.["mimeType"], "text/html;profile=mcp-app");
  assert.deepEqual(page?.["_meta"].ui.csp, { connectDomains: [], resourceDomains: [] });
  const text = String(page?.["text"]);
  assert.doesNotMatch(text, /\{policy\}|https?:|src=|href=|@import|url\(/);
  for (const [tag, directive] of [
    ["script", "script-src"],
    ["style", "style-src"],
  ] as const) {
    const inner = new RegExp(`<${tag}[^>]*>([^]*)</${tag}>`).exec(text)?.[1] ?? "";
    assert.ok(inner.length > 500, tag);
    const hash = createHash("sha256").update(inner).digest("base64");
    assert.ok(text.includes(`${directive} 'sha256-${hash}';`), `the policy knows its ${tag}`);
  }
  assert.match(text, /content="default-src 'none';/);
  const known = await ask("resources/read", { uri: `${pageUri}/` });
  assert.equal(known.error?.code, -32602);
});
