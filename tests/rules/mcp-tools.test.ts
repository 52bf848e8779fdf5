// Rules MCP1 to MCP5 and MCP9, over HTTP: tools of MCP servers, in both revisions, and what calls of them come to.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  call,
  errorsOf,
  namesIn,
  openMcpHouse,
  resultsOf,
  withServers,
  type McpHouse,
} from "./mcp-house.ts";
import { answerLists, openMcpServer, words, type Tools } from "./mcp-server.ts";
import { confirm, custom, ofType, result, said, typesOf, wordsOf } from "./sessions-house.ts";

let it: McpHouse;
before(async () => {
  it = await openMcpHouse();
});
after(() => it[Symbol.asyncDispose]());

const echo: Tools = { echo: { call: ({ text }) => words(`heard ${String(text)}`) } };
const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

for (const revision of ["modern", "legacy"] as const)
  test(`[MCP2] [MCP3] a call of a tool has its two events and its result, with a server of the ${revision} revision`, async () => {
    await using server = await openMcpServer(echo, revision);
    const id = await it.with({ url: server.url });
    const events = await it.turn(id, call("mcp__docs__echo", { text: "you" }));
    const [use] = ofType(events, "agent.mcp_tool_use");
    assert.ok(use !== undefined);
    const { mcp_server_name, name, input, evaluated_permission, evaluation } = use;
    assert.deepEqual([mcp_server_name, name, input], ["docs", "echo", { text: "you" }]);
    assert.deepEqual([evaluated_permission, evaluation], ["allow", { type: "always_allow" }]);
    const [came] = ofType(events, "agent.mcp_tool_result");
    assert.equal(came?.["mcp_tool_use_id"], use.id);
    assert.deepEqual(resultsOf(events), ["heard you"]);
    assert.match(wordsOf(events).at(-1) ?? "", /./);
    const revisions = new Set(server.asked.slice(1).map((asked) => asked.revision));
    assert.equal(revisions.has("2026-07-28"), revision === "modern");
    assert.ok(server.asked.some(({ method }) => method === "tools/call"));
    // In the next turn nothing is asked for again that is known.
    const before = server.asked.length;
    await it.turn(id, call("mcp__docs__echo", { text: "me" }));
    assert.deepEqual(
      server.asked.slice(before).map(({ method }) => method),
      ["tools/call"],
    );
  });

test("[MCP3] a session that a server has forgotten is begun anew", async () => {
  await using server = await openMcpServer(echo, "legacy");
  const id = await it.with({ url: server.url });
  await it.turn(id, call("mcp__docs__echo", { text: "one" }));
  server.sessions.clear();
  const events = await it.turn(id, call("mcp__docs__echo", { text: "two" }));
  assert.deepEqual([resultsOf(events), errorsOf(events)], [["heard two"], []]);
  assert.equal(server.asked.filter(({ method }) => method === "initialize").length, 2);
});

test("[MCP1] two servers have tools of one name, and the agent's own tools come first", async () => {
  await using one = await openMcpServer({ echo: { call: () => words("one") } });
  await using two = await openMcpServer({ echo: { call: () => words("two") }, "a.b": {} });
  const servers = [
    { url: one.url, name: "first" },
    { url: two.url, name: "die zweite__" },
  ];
  const seen = namesIn(await it.look(await it.looking(...servers)));
  assert.equal(seen[0], "mcp__first__echo");
  const [, second = "", third = ""] = seen;
  assert.match(second, /^mcp__die_zweite_+echo__[0-9a-f]{12}$/);
  assert.match(third, /^mcp__die_zweite_+a_b__[0-9a-f]{12}$/);
  assert.ok(seen.every((name) => /^[A-Za-z0-9_-]{1,128}$/.test(name)));
  const id = await it.with(...servers);
  assert.deepEqual(resultsOf(await it.turn(id, call("mcp__first__echo"))), ["one"]);
  const events = await it.turn(id, call(second));
  assert.deepEqual(resultsOf(events), ["two"]);
  assert.equal(ofType(events, "agent.mcp_tool_use")[0]?.["mcp_server_name"], "die zweite__");
  const taken = await it.make({
    model: "eyes",
    mcp_servers: [{ type: "url", name: "first", url: one.url }],
    tools: [
      { type: "mcp_toolset", mcp_server_name: "first" },
      custom("mcp__first__echo"),
      custom("echo"),
    ],
  });
  const own = await it.look(taken.id);
  assert.deepEqual(
    own.tools?.map(({ name, description }) => [name, description]),
    [
      ["mcp__first__echo", "Does it"],
      ["echo", "Does it"],
    ],
  );
});

test("[MCP1] the model is shown what the toolset enables, with the shape of its input", async () => {
  const schema = { type: "object", properties: { q: { type: "string" } }, required: ["q"] };
  await using server = await openMcpServer({ look: { schema, description: "Looks." }, drop: {} });
  const off = { name: "drop", enabled: false };
  const { tools } = await it.look(await it.looking({ url: server.url, configs: [off] }));
  assert.equal(tools?.length, 1);
  assert.deepEqual([tools[0]?.name, tools[0]?.description], ["look", "Looks."]);
  const shown = tools[0]?.input_schema as typeof schema;
  assert.deepEqual([shown.type, shown.required], ["object", ["q"]]);
  const on = { name: "drop", enabled: true };
  const one = await it.looking({ url: server.url, enabled: false, configs: [on] });
  assert.deepEqual(namesIn(await it.look(one)), ["drop"]);
  // A toolset that changes holds from the next turn on.
  await it.update(one, { agent: withServers({ url: server.url, configs: [off] }) });
  assert.deepEqual(namesIn(await it.look(one)), ["look"]);
  const id = await it.with({ url: server.url, configs: [off] });
  await it.turn(id, said("[[tool mcp__docs__drop]]"));
  assert.ok(server.asked.every(({ method }) => method !== "tools/call"));
});

test("[MCP2] what asks waits for a person; one that is denied is not run, one that is allowed is", async () => {
  await using server = await openMcpServer(echo);
  const id = await it.with({ url: server.url, policy: "always_ask" });
  const calls = () => server.asked.filter(({ method }) => method === "tools/call").length;
  const asked = await it.turn(id, call("mcp__docs__echo", { text: "a" }));
  const [use] = ofType(asked, "agent.mcp_tool_use");
  assert.ok(use !== undefined);
  assert.deepEqual([use["evaluated_permission"], calls()], ["ask", 0]);
  assert.deepEqual(asked.at(-1)?.["stop_reason"], { type: "requires_action", event_ids: [use.id] });
  await it.refuses(id, [result(use.id, "mine")], undefined, /is run by this server/);
  const denied = await it.turn(id, confirm(use.id, "deny", { deny_message: "No." }));
  assert.deepEqual([resultsOf(denied), calls()], [["error: The call was denied: No."], 0]);
  const again = await it.turn(id, call("mcp__docs__echo", { text: "b" }));
  const [second] = ofType(again, "agent.mcp_tool_use");
  const allowed = await it.turn(id, confirm(second?.id ?? "", "allow"));
  assert.deepEqual([resultsOf(allowed), calls()], [["heard b"], 1]);
  assert.ok(!typesOf(allowed).includes("agent.tool_result"));
});

const plain = (name: string) => ({ name, inputSchema: { type: "object" } });

test("[MCP2] [SES48] with the policy auto the guard of the model judges a call", async () => {
  await using server = await openMcpServer(echo);
  const agent = { model: "guarded", ...withServers({ url: server.url, policy: "auto" }) };
  const verdicts = [
    ["allow", "allow", ["heard me"]],
    ["deny", "deny", ["error: This call is not permitted: it was not run."]],
    ["ask", "ask", []],
  ] as const;
  for (const [word, permission, results] of verdicts) {
    it.judge(word);
    const { id } = await it.make(agent);
    const events = await it.turn(id, call("mcp__docs__echo", { text: "me" }));
    const [use] = ofType(events, "agent.mcp_tool_use");
    assert.equal(use?.["evaluated_permission"], permission);
    assert.deepEqual(resultsOf(events), results);
  }
  assert.equal(server.asked.filter(({ method }) => method === "tools/call").length, 1);
});

test("[MCP2] calls of another agent's thread are told and confirmed in the session's own", async () => {
  await using server = await openMcpServer(echo);
  const servers = withServers({ url: server.url, policy: "always_ask" });
  const member = await it.agent({ name: "Worker", ...servers });
  const { id } = await it.make({ multiagent: { type: "coordinator", agents: [member.id] } });
  const words_ = call("mcp__docs__echo", { text: "deep" }).content[0]?.text;
  const input = JSON.stringify({ agent: "Worker", message: words_ });
  const asked = await it.turn(id, said(`[[tool send_to_agent ${input}]]`));
  const [use] = ofType(asked, "agent.mcp_tool_use");
  assert.match(String(use?.["session_thread_id"]), /^sthr_/);
  const allowed = await it.turn(id, confirm(use?.id ?? "", "allow"));
  assert.deepEqual(resultsOf(allowed), ["heard deep"]);
  const [came] = ofType(allowed, "agent.mcp_tool_result");
  assert.equal(came?.["session_thread_id"], use?.["session_thread_id"]);
});

test("[MCP4] of 10,000 tools as many are shown as the setting says, and the model is told of more", async () => {
  await using server = await openMcpServer({}, "legacy");
  server.tools = { any: {} };
  answerLists(server, (cursor = "0") => {
    const from = Number(cursor);
    const tools = Array.from({ length: 500 }, (_, at) => plain(`t${from + at}`));
    return { tools, ...(from < 9_500 && { nextCursor: String(from + 500) }) };
  });
  const lists = () => server.asked.filter(({ method }) => method === "tools/list").length;
  const seen = await it.look(await it.looking({ url: server.url }));
  assert.deepEqual([seen.tools?.length, lists()], [100, 1]);
  assert.match(JSON.stringify(seen.system), /docs\\" has more tools than you are shown/);
  // Those that the toolset enables are found behind all others.
  const last = { name: "t9999", enabled: true };
  const one = await it.looking({ url: server.url, enabled: false, configs: [last] });
  const found = await it.look(one);
  assert.deepEqual([namesIn(found), lists()], [["t9999"], 21]);
  assert.doesNotMatch(JSON.stringify(found.system ?? ""), /more tools/);
});

test("[MCP4] a list without an end is read for 100 pages", async () => {
  await using server = await openMcpServer({ any: {} }, "legacy");
  answerLists(server, (cursor = "0") => ({
    tools: [plain("same")],
    nextCursor: String(Number(cursor) + 1),
  }));
  const seen = await it.look(await it.looking({ url: server.url }));
  assert.deepEqual(namesIn(seen), ["same"]);
  assert.equal(server.asked.filter(({ method }) => method === "tools/list").length, 100);
});

test("[MCP4] descriptions are cut, and what cannot be offered leaves its tool out", async () => {
  const properties = { a: { type: "string", title: "x".repeat(20_000) } };
  await using server = await openMcpServer({ any: {} }, "legacy");
  const large = { name: "large", inputSchema: { type: "object", properties } };
  let deep: object = {};
  for (let depth = 0; depth < 60; depth++) deep = { items: deep };
  const nested = { name: "nested", inputSchema: { type: "object", properties: { deep } } };
  const wordy = { ...plain("wordy"), description: "long ".repeat(1_000) };
  const tools = [large, nested, wordy, plain("with\nlines"), plain("n".repeat(257)), plain("")];
  answerLists(server, () => ({ tools }));
  const seen = await it.look(await it.looking({ url: server.url }));
  assert.deepEqual(namesIn(seen), ["wordy"]);
  assert.equal(seen.tools?.[0]?.description.length, 2_000);
  assert.match(JSON.stringify(seen.system), /more tools than you are shown/);
});

for (const revision of ["modern", "legacy"] as const)
  test(`[MCP4] one tool that cannot be read leaves the others, with a server of the ${revision} revision`, async () => {
    await using server = await openMcpServer({ any: {} }, revision);
    const more = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
    const tools = [
      plain("first"),
      { name: "broken", inputSchema: { type: "string" } },
      { name: "bare" },
      null,
      plain("last"),
    ];
    answerLists(server, () => ({ ...(revision === "modern" && more), tools }));
    const id = await it.looking({ url: server.url });
    const seen = await it.look(id);
    assert.deepEqual(namesIn(seen), ["first", "last"]);
    assert.match(
      JSON.stringify(seen.system),
      /tools that cannot be read, .* you are not shown: 3\./,
    );
    assert.doesNotMatch(JSON.stringify(seen.system), /more tools/);
    tools.splice(1, 3);
    assert.doesNotMatch(
      JSON.stringify((await it.look(await it.looking({ url: server.url }))).system ?? ""),
      /cannot be read/,
    );
  });

test("[MCP5] a call that was allowed is not run where its tool has gone meanwhile", async () => {
  await using server = await openMcpServer(echo);
  const off = { name: "echo", enabled: false };
  const without = [
    { mcp_servers: [], tools: [] },
    withServers({ url: server.url, configs: [off] }),
  ];
  for (const agent of without) {
    const id = await it.with({ url: server.url, policy: "always_ask" });
    const [use] = ofType(await it.turn(id, call("mcp__docs__echo")), "agent.mcp_tool_use");
    await it.update(id, { agent });
    const events = await it.turn(id, confirm(use?.id ?? "", "allow"));
    assert.match(resultsOf(events)[0] ?? "", /^error: .*does not have this tool any more/);
  }
  assert.ok(server.asked.every(({ method }) => method !== "tools/call"));
});

test("[MCP5] a call of a tool that has gone in the midst of a session is told as one of its server", async () => {
  await using server = await openMcpServer({ ...echo, gone: {}, "a.b": {} });
  await using other = await openMcpServer(echo);
  const servers = [{ url: server.url }, { url: other.url, name: "other" }];
  const { id } = await it.make(withServers(...servers));
  await it.turn(id, call("mcp__docs__gone"));
  await it.turn(id, call("mcp__other__echo"));
  // The server no longer has the one, nor the agent the other.
  delete server.tools["gone"];
  const calls = server.asked.filter(({ method }) => method === "tools/call").length;
  const off = [{ name: "gone", enabled: false }];
  await it.update(id, { agent: withServers({ url: server.url, configs: off }) });
  for (const [called, ...names] of [
    ["mcp__docs__gone", "docs", "gone"],
    ["mcp__other__echo", "other", "echo"],
  ] as const) {
    const events = await it.turn(id, call(called, { text: "me" }));
    const [use] = ofType(events, "agent.mcp_tool_use");
    assert.deepEqual(
      [use?.["mcp_server_name"], use?.["name"], use?.["input"]],
      [...names, { text: "me" }],
    );
    assert.deepEqual([use?.["evaluated_permission"], use?.["evaluation"]], ["deny", undefined]);
    assert.deepEqual(resultsOf(events), [
      `error: The tool "${names[1]}" of the MCP server "${names[0]}" is not there any more, or its server does not answer now: the call was not run.`,
    ]);
    const types = typesOf(events);
    assert.ok(!types.includes("agent.tool_use") && !types.includes("agent.tool_result"));
    assert.equal(ofType(events, "agent.message").length, 1);
  }
  assert.equal(server.asked.filter(({ method }) => method === "tools/call").length, calls);
  const unnamed = await it.turn(id, call("mcp__alone"));
  assert.deepEqual(ofType(unnamed, "agent.tool_use")[0]?.["evaluated_permission"], "deny");
});

test("[MCP5] a tool that its server does not list any more is told as gone", async () => {
  await using server = await openMcpServer({ ...echo, gone: {} });
  const id = await it.with({ url: server.url, name: "die zweite" });
  await it.turn(id, said("Go."));
  delete server.tools["gone"];
  await it.update(id, {
    agent: withServers({ url: server.url, name: "die zweite", policy: "always_ask" }),
  });
  const events = await it.turn(id, call("mcp__die_zweite__gone__000000000000"));
  const [use] = ofType(events, "agent.mcp_tool_use");
  assert.deepEqual(
    [use?.["mcp_server_name"], use?.["name"], use?.["evaluated_permission"]],
    ["die zweite", "gone__000000000000", "deny"],
  );
  assert.match(resultsOf(events)[0] ?? "", /is not there any more/);
});

test("[MCP9] pictures, links, resources and data are shown, and what cannot be is told", async () => {
  await using server = await openMcpServer({
    mixed: {
      call: () => ({
        content: [
          { type: "text", text: "a\0b" },
          { type: "image", data: picture, mimeType: "image/jpeg" },
          {
            type: "image",
            data: Buffer.from("no picture").toString("base64"),
            mimeType: "image/png",
          },
          { type: "audio", data: "AAAA", mimeType: "audio/wav" },
          { type: "resource_link", uri: "file:///a", name: "A", description: "About a." },
          { type: "resource", resource: { uri: "file:///b", text: "inside" } },
        ],
      }),
    },
    data: { call: () => ({ content: [], structuredContent: { n: 1 } }) },
    wrong: { call: () => ({ ...words("it broke"), isError: true }) },
    long: { call: () => words("x".repeat(60_000), "y".repeat(60_000), "z") },
  });
  const id = await it.with({ url: server.url });
  const events = await it.turn(id, call("mcp__docs__mixed"));
  const [mixed] = ofType(events, "agent.mcp_tool_result");
  assert.deepEqual(mixed?.["content"][1], {
    type: "image",
    source: { type: "base64", media_type: "image/png", data: picture },
  });
  assert.deepEqual(resultsOf(events)[0]?.split("\n"), [
    "a\uFFFDb",
    "image",
    "[A picture of the type image/png, which cannot be shown]",
    "[Sound of the type audio/wav, which cannot be shown]",
    "[Resource A: file:///a]",
    "About a.",
    "[Resource file:///b]",
    "inside",
  ]);
  assert.deepEqual(resultsOf(await it.turn(id, call("mcp__docs__data"))), ['{"n":1}']);
  assert.deepEqual(resultsOf(await it.turn(id, call("mcp__docs__wrong"))), ["error: it broke"]);
  const [long] = resultsOf(await it.turn(id, call("mcp__docs__long")));
  assert.match(
    long ?? "",
    /^x{60000}\ny{20000}\n\[20000 characters are left out here\]\ny{20000}$/,
  );
});

for (const revision of ["modern", "legacy"] as const)
  test(`[MCP9] a piece that cannot be read leaves the others, with a server of the ${revision} revision`, async () => {
    await using server = await openMcpServer(echo, revision);
    const id = await it.with({ url: server.url });
    server.before = (_request, response, body) => {
      const { id: asked, method } = JSON.parse(body) as { id: number; method: string };
      if (method !== "tools/call") return false;
      const content = [
        { type: "text", text: "before" },
        { type: "text" },
        { type: "hologram", data: "AAAA" },
        null,
        { type: "text", text: "after" },
      ];
      const result = { ...(revision === "modern" && { resultType: "complete" }), content };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: asked, result }));
      return true;
    };
    const events = await it.turn(id, call("mcp__docs__echo"));
    const left = "[A piece of this result that cannot be read]";
    assert.deepEqual(resultsOf(events), [["before", left, left, left, "after"].join("\n")]);
    assert.deepEqual(ofType(events, "session.error"), []);
  });
