// Rules MCP17 to MCP20, over HTTP: what MCP servers ask before they go on with a call.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inputRequired } from "@modelcontextprotocol/server";
import { call, openMcpHouse, resultsOf, type McpHouse } from "./mcp-house.ts";
import {
  accepted,
  answered,
  asking,
  asksAgain,
  booking,
  callsOf,
  person,
  questionIn,
  secretState,
  stopOf,
} from "./mcp-questions-house.ts";
import { openMcpServer, words, type TestServer, type Tools } from "./mcp-server.ts";
import { ofType, typesOf } from "./sessions-house.ts";

let it: McpHouse;
before(async () => {
  it = await openMcpHouse();
});
after(() => it[Symbol.asyncDispose]());

test("[MCP17] [SES145] a server asks for a form, and goes on with the answer and its own state", async () => {
  await using server = await openMcpServer(booking);
  const { id, events, question } = await asking(it, server);
  const [use] = ofType(events, "agent.mcp_tool_use");
  assert.deepEqual(
    [question["name"], question["input"]],
    [
      "mcp_input",
      {
        server: "docs",
        tool: "book",
        mcp_tool_use_id: use?.id,
        requests: { who: { mode: "form", message: "For whom?", requestedSchema: person } },
      },
    ],
  );
  assert.deepEqual(stopOf(events), { type: "requires_action", event_ids: [question.id] });
  assert.deepEqual(resultsOf(events), []);
  const came = await it.turn(id, answered(question.id, { who: accepted({ name: "Ada" }) }));
  assert.deepEqual(typesOf(came).slice(0, 3), [
    "user.custom_tool_result",
    "session.status_running",
    "session.thread_status_running",
  ]);
  assert.deepEqual(resultsOf(came), [`table: accept Ada, ${secretState}`]);
  assert.deepEqual(
    ofType(came, "agent.mcp_tool_result").map((each) => each["mcp_tool_use_id"]),
    [use?.id],
  );
  assert.deepEqual(stopOf(came), { type: "end_turn" });
  assert.equal(callsOf(server), 2);
  // The model has seen the result alone, and what the server keeps is in nothing that is shown.
  assert.ok(
    !JSON.stringify(ofType(await it.events(id), "agent.custom_tool_use")).includes("state that"),
  );
});

test("[MCP17] an address to open is asked along with a form, each with its own answer", async () => {
  await using server = await openMcpServer({
    pay: {
      call: (_input, _signal, { answers }) =>
        Object.keys(answers).length > 0
          ? words(JSON.stringify(answers))
          : inputRequired({
              inputRequests: {
                page: inputRequired.elicitUrl({
                  message: "Pay there.",
                  url: "https://pay.example.com/1",
                }),
                tip: inputRequired.elicit({
                  message: "A tip?",
                  requestedSchema: { type: "object", properties: { euro: { type: "number" } } },
                }),
              },
            }),
    },
  });
  const { id, question } = await asking(it, server, "pay");
  const { requests } = question["input"] as { requests: Record<string, unknown> };
  assert.deepEqual(requests["page"], {
    mode: "url",
    message: "Pay there.",
    url: "https://pay.example.com/1",
  });
  await it.refuses(
    id,
    [answered(question.id, { page: accepted({}), tip: accepted({}) })],
    undefined,
    /page\.content: is not part of an address/,
  );
  const answers = { page: accepted(), tip: accepted({ euro: 1.5 }) };
  const came = await it.turn(id, answered(question.id, answers));
  assert.deepEqual(JSON.parse(resultsOf(came)[0] ?? ""), answers);
});

test("[MCP19] a server asks up to ten times in a call, and is given up after that", async () => {
  await using server = await openMcpServer(asksAgain(100));
  const first = await asking(it, server, "tell");
  let { events } = first;
  for (let time = 1; time <= 10; time++) {
    const question = questionIn(events);
    const { requests } = question["input"] as { requests: { word: { message: string } } };
    assert.match(requests.word.message, /^Word \d+\?$/);
    events = await it.turn(
      first.id,
      answered(question.id, { word: accepted({ word: `w${time}` }) }),
    );
  }
  assert.match(
    resultsOf(events)[0] ?? "",
    /^error: .*"docs" asked for something 10 times, and once more/,
  );
  assert.deepEqual(stopOf(events), { type: "end_turn" });
});

test("[MCP19] a server that only wants to be called again is, at once and ten times at most", async () => {
  const again = (times: number): Tools => ({
    wait: {
      call: (_input, _signal, { state = "0" }) =>
        Number(state) >= times
          ? words(`after ${state}`)
          : inputRequired({ requestState: String(Number(state) + 1) }),
    },
  });
  await using server = await openMcpServer(again(3));
  const id = await it.with({ url: server.url });
  assert.deepEqual(resultsOf(await it.turn(id, call("mcp__docs__wait"))), ["after 3"]);
  await using other = await openMcpServer(again(100));
  const stuck = await it.with({ url: other.url });
  const [told = ""] = resultsOf(await it.turn(stuck, call("mcp__docs__wait")));
  assert.match(told, /^error: .*"docs" wanted the call to be made again and again/);
  assert.equal(callsOf(other), 11);
});

for (const [what, request] of [
  ["what no revision knows", { method: "sampling/other", params: { messages: [], maxTokens: 1 } }],
  [
    "an address that is no page",
    {
      method: "elicitation/create",
      params: { mode: "url", message: "Go", url: "javascript:alert(1)", elicitationId: "1" },
    },
  ],
  [
    "a form within a form",
    {
      method: "elicitation/create",
      params: {
        message: "Go",
        requestedSchema: { type: "object", properties: { a: { type: "object" } } },
      },
    },
  ],
] as const)
  test(`[MCP18] a server that asks for ${what} has an error as its result, in words that are not its own`, async () => {
    await using server = await openMcpServer({ ask: {} });
    server.before = (_request, response, body) => {
      const { id, method } = JSON.parse(body) as { id: number; method: string };
      if (method !== "tools/call") return false;
      response.writeHead(200, { "content-type": "application/json" });
      const asked = { resultType: "input_required", inputRequests: { "the key": request } };
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: asked }));
      return true;
    };
    const id = await it.with({ url: server.url });
    const events = await it.turn(id, call("mcp__docs__ask"));
    assert.match(
      resultsOf(events)[0] ?? "",
      /^error: The MCP server "docs" asked for something in return that a person cannot be shown/,
    );
    assert.doesNotMatch(JSON.stringify(events), /the key|javascript/);
    assert.deepEqual(stopOf(events), { type: "end_turn" });
  });

test("[MCP18] a question with no more than a type and a prompt is answered with a text", async () => {
  await using server = await openMcpServer({ book: {} });
  const given: unknown[] = [];
  server.before = (_request, response, body) => {
    const { id, method, params } = JSON.parse(body) as {
      id: number;
      method: string;
      params: { inputResponses?: object; requestState?: string };
    };
    if (method !== "tools/call") return false;
    const { inputResponses, requestState } = params;
    given.push({ inputResponses, requestState });
    const inputRequests = { who: { type: "text", prompt: "For whom?" } };
    const asks = { resultType: "input_required", inputRequests, requestState: secretState };
    const result = inputResponses === undefined ? asks : words("booked");
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    return true;
  };
  const { id, question } = await asking(it, server);
  const { requests } = question["input"] as { requests: Record<string, { message: string }> };
  assert.equal(requests["who"]?.message, "For whom?");
  const who = accepted({ answer: "Ada" });
  const came = await it.turn(id, answered(question.id, { who }));
  assert.deepEqual(given.at(-1), { inputResponses: { who }, requestState: secretState });
  assert.deepEqual(resultsOf(came), ["booked"]);
});

test("[MCP20] servers are told that sessions can be asked, and other clients not", async () => {
  const tools: Tools = { can: { call: (_input, _signal, { canAsk }) => words(String(canAsk)) } };
  await using modern = await openMcpServer(tools);
  await using legacy = await openMcpServer(tools, "legacy");
  const say = async (server: TestServer) => {
    const id = await it.with({ url: server.url });
    return resultsOf(await it.turn(id, call("mcp__docs__can")));
  };
  assert.deepEqual([await say(modern), await say(legacy)], [["true"], ["true"]]);
  const row = await it.askGood<{ id: string }>("POST", "/v1/mcp_servers", {
    body: { name: "plain", url: modern.url },
  });
  const called = await it.askGood<{ content: { text: string }[] }>(
    "POST",
    `/v1/mcp_servers/${row.id}/call`,
    { body: { name: "can" } },
  );
  assert.deepEqual(
    called.content.map((block) => block.text),
    ["false"],
  );
});
