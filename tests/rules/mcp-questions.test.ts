// Rules MCP17 to MCP21 and SES145 to SES149, over HTTP: what MCP servers ask before they go on with a call.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inputRequired } from "@modelcontextprotocol/server";
import { sql } from "../../kernel/sql/statement.ts";
import { serversPart } from "../../server/sessions/servers/servers.ts";
import { call, openMcpHouse, resultsOf, withServers, type McpHouse } from "./mcp-house.ts";
import { openMcpServer, words, type TestServer, type Tools } from "./mcp-server.ts";
import {
  confirm,
  custom,
  customResult,
  interrupt,
  managedAgents,
  ofType,
  result,
  said,
  text,
  typesOf,
  wordsOf,
  type SessionEvent,
} from "./sessions-house.ts";
import { askAt } from "./support.ts";

let it: McpHouse;
before(async () => {
  it = await openMcpHouse();
});
after(() => it[Symbol.asyncDispose]());

const person = {
  type: "object" as const,
  properties: {
    name: { type: "string" as const, title: "Name", minLength: 2 },
    email: { type: "string" as const, format: "email" as const },
    age: { type: "integer" as const, minimum: 18, maximum: 120 },
    size: { type: "string" as const, enum: ["S", "M"] },
    news: { type: "boolean" as const, default: true },
  },
  required: ["name"],
};
const secretState = "state that the server alone can read";

/** Books a table: for whom is asked first, by a form. */
const booking: Tools = {
  book: {
    call: ({ text: what }, _signal, { answers, state }) => {
      const who = answers["who"] as { action: string; content?: { name: string } } | undefined;
      if (who === undefined)
        return inputRequired({
          inputRequests: {
            who: inputRequired.elicit({ message: "For whom?", requestedSchema: person }),
          },
          requestState: secretState,
        });
      return words(
        `${String(what)}: ${who.action} ${who.content?.name ?? "-"}, ${state ?? "no state"}`,
      );
    },
  },
};

const answered = (id: string, answers: unknown) => customResult(id, JSON.stringify(answers));
const accepted = (content?: object) => ({ action: "accept", ...(content && { content }) });
const callsOf = ({ asked }: TestServer) =>
  asked.filter(({ method }) => method === "tools/call").length;
const questionIn = (events: readonly SessionEvent[]): SessionEvent => {
  const question = ofType(events, "agent.custom_tool_use").at(-1);
  assert.ok(question !== undefined, typesOf(events).join());
  return question;
};
const stopOf = (events: readonly SessionEvent[]) => events.at(-1)?.["stop_reason"] as unknown;

/** A session whose call waits for an answer. */
async function asking(server: TestServer, tool = "book") {
  const id = await it.with({ url: server.url });
  const events = await it.turn(id, call(`mcp__docs__${tool}`, { text: "table" }));
  return { id, events, question: questionIn(events) };
}

test("[MCP17] [SES145] a server asks for a form, and goes on with the answer and its own state", async () => {
  await using server = await openMcpServer(booking);
  const { id, events, question } = await asking(server);
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

test("[MCP17] the server's state is in no event, no list and no session", async () => {
  await using server = await openMcpServer(booking);
  const { id } = await asking(server);
  const shown = [await it.events(id), await it.read(id), await it.askGood("GET", "/v1/sessions")];
  assert.ok(!JSON.stringify(shown).includes(secretState));
  const [row] = await it.house.world.db.query<{ count: number }>(
    sql`select count(*)::int as count from log_events where data ->> 'request_state' = ${secretState}`,
  );
  assert.ok((row?.count ?? 0) > 0, "it is where the call goes on from");
});

test("[SES146] what is no answer is 400 with its place, and the question stays as it was", async () => {
  await using server = await openMcpServer(booking);
  const { id, question } = await asking(server);
  const before = await it.events(id);
  const refused = (given: object, words: RegExp) => it.refuses(id, [given], undefined, words);
  const refuses = (answers: unknown, words: RegExp) =>
    refused(answered(question.id, answers), words);
  const at = String.raw`^events\.0\.content\.0\.text: `;
  await refused(customResult(question.id, "Ada"), new RegExp(`${at}is no JSON`));
  await refuses({}, new RegExp(`${at}who: has no answer`));
  await refuses(
    { who: accepted({ name: "Ada" }), more: 1 },
    new RegExp(`${at}more: is no question`),
  );
  await refuses(
    { who: { action: "yes" } },
    new RegExp(`${at}who\\.action: must be accept, decline`),
  );
  await refuses(
    { who: { action: "decline", content: {} } },
    /who\.content: is not part of a decline/,
  );
  await refuses({ who: accepted() }, /who\.content: must be an object/);
  await refuses({ who: accepted({}) }, /who\.content\.name: is required/);
  await refuses({ who: accepted({ name: "A" }) }, /who\.content\.name: must have at least 2/);
  await refuses(
    { who: accepted({ name: "Ada", age: 17 }) },
    /who\.content\.age: must be at least 18/,
  );
  await refuses({ who: accepted({ name: "Ada", age: "20" }) }, /age: must be a number/);
  await refuses(
    { who: accepted({ name: "Ada", email: "ada" }) },
    /email: must be an email address/,
  );
  await refuses({ who: accepted({ name: "Ada", size: "L" }) }, /size: must be one of "S", "M"/);
  await refuses({ who: accepted({ name: "Ada", other: 1 }) }, /other: is no field of the form/);
  const two = { ...answered(question.id, {}), content: [text("{}"), text("{}")] };
  await refused(two, /^events\.0\.content: must be one block of text/);
  const failing = { ...answered(question.id, { who: { action: "cancel" } }), is_error: true };
  await refused(failing, /^events\.0\.is_error: /);
  await refused(result(question.id, "{}"), /answer it with user\.custom_tool_result/);
  await it.refuses(
    id,
    [confirm(question.id, "allow")],
    "tool_call_not_pending",
    /waits for no confirmation/,
  );
  assert.deepEqual(await it.events(id), before);
  const came = await it.turn(id, answered(question.id, { who: { action: "decline" } }));
  assert.deepEqual(resultsOf(came), [`table: decline -, ${secretState}`]);
  await it.refuses(
    id,
    [answered(question.id, { who: { action: "cancel" } })],
    "tool_call_not_pending",
    /has been answered/,
  );
  assert.equal(callsOf(server), 2);
});

test("[SES146] of several events none is taken where an answer is none", async () => {
  await using server = await openMcpServer(booking);
  const { id, question } = await asking(server);
  const before = await it.events(id);
  await it.refuses(id, [said("And more."), answered(question.id, {})], undefined, /^events\.1\./);
  assert.deepEqual(await it.events(id), before);
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
  const { id, question } = await asking(server, "pay");
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

/** Asks for one word after the other, and keeps them in its state. */
const asksAgain = (times: number): Tools => ({
  tell: {
    call: (_input, _signal, { answers, state = "" }) => {
      const word = answers["word"] as { content: { word: string } } | undefined;
      const all = [...state.split("+"), word?.content.word ?? ""].filter((each) => each !== "");
      if (all.length >= times) return words(all.join(" "));
      return inputRequired({
        inputRequests: {
          word: inputRequired.elicit({
            message: `Word ${all.length + 1}?`,
            requestedSchema: { type: "object", properties: { word: { type: "string" } } },
          }),
        },
        requestState: all.join("+"),
      });
    },
  },
});

test("[MCP19] a server asks up to ten times in a call, and is given up after that", async () => {
  await using server = await openMcpServer(asksAgain(100));
  const first = await asking(server, "tell");
  let { events } = first;
  for (let time = 1; time <= 10; time++) {
    const question = questionIn(events);
    const { requests } = question["input"] as { requests: { word: { message: string } } };
    assert.match(requests.word.message, /^Word \d\?$/);
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
  [
    "an answer of a model",
    { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } },
  ],
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

test("[MCP20] servers are told that sessions can be asked in the revision 2026-07-28 alone, and no one else", async () => {
  const tools: Tools = { can: { call: (_input, _signal, { canAsk }) => words(String(canAsk)) } };
  await using modern = await openMcpServer(tools);
  await using legacy = await openMcpServer(tools, "legacy");
  const say = async (server: TestServer) => {
    const id = await it.with({ url: server.url });
    return resultsOf(await it.turn(id, call("mcp__docs__can")));
  };
  assert.deepEqual([await say(modern), await say(legacy)], [["true"], ["false"]]);
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

test("[SES147] an interrupt ends the call that waits: its question has a result too, and is not answered any more", async () => {
  await using server = await openMcpServer(booking);
  const { id, question } = await asking(server);
  const events = await it.turn(id, interrupt);
  assert.match(resultsOf(events)[0] ?? "", /^error: Interrupted while its server waited/);
  assert.deepEqual(
    ofType(events, "agent.tool_result").map((each) => [each["tool_use_id"], each["is_error"]]),
    [[question.id, true]],
  );
  assert.deepEqual(stopOf(events), { type: "end_turn" });
  const late = answered(question.id, { who: { action: "cancel" } });
  await it.refuses(id, [late], "tool_call_not_pending", /unknown or has been answered/);
  assert.match(wordsOf(await it.turn(id, said("Go on."))).at(-1) ?? "", /./);
  assert.equal(callsOf(server), 1);
});

test("[SES145] calls beside one that waits are made, and each answer leaves the rest waiting", async () => {
  await using server = await openMcpServer({ ...booking, look: { call: () => words("seen") } });
  const id = (
    await it.make({
      ...withServers({ url: server.url }),
      tools: [...withServers({ url: server.url }).tools, custom("mcp_input")],
    })
  ).id;
  const events = await it.turn(
    id,
    said('[[tools mcp__docs__book {"text": "one"} | mcp_input {} | mcp__docs__look {}]]'),
  );
  assert.deepEqual(resultsOf(events), ["seen"]);
  const [own, question] = ofType(events, "agent.custom_tool_use");
  assert.ok(own !== undefined && question !== undefined);
  assert.deepEqual(
    [...(stopOf(events) as { event_ids: string[] }).event_ids].toSorted(),
    [own.id, question.id].toSorted(),
  );
  // The agent's own tool of this name takes any text.
  const some = await it.turn(id, answered(question.id, { who: accepted({ name: "Ada" }) }));
  assert.deepEqual(resultsOf(some), [`one: accept Ada, ${secretState}`]);
  assert.deepEqual(stopOf(some), { type: "requires_action", event_ids: [own.id] });
  const all = await it.turn(id, customResult(own.id, "no JSON"));
  assert.deepEqual(stopOf(all), { type: "end_turn" });
});

test("[SES145] a call that a person has allowed asks afterwards, and people see it among the sessions that wait", async () => {
  await using server = await openMcpServer(booking);
  const id = await it.with({ url: server.url, policy: "always_ask" });
  const [use] = ofType(await it.turn(id, call("mcp__docs__book")), "agent.mcp_tool_use");
  const events = await it.turn(id, confirm(use?.id ?? "", "allow"));
  const question = questionIn(events);
  assert.deepEqual(stopOf(events), { type: "requires_action", event_ids: [question.id] });
  const [row] = await it.house.world.db.query<{ kind: string }>(
    sql`select kind from session_calls where session_id = ${id}`,
  );
  assert.deepEqual(row, { kind: "question" });
  const came = await it.turn(id, answered(question.id, { who: { action: "cancel" } }));
  assert.equal(resultsOf(came).length, 1);
});

/** A session that this process worked on last, whose call waits. */
async function askingAt(
  process: Awaited<ReturnType<McpHouse["house"]["openSecondServer"]>>,
  url: string,
) {
  for (let tries = 0; tries < 20; tries++) {
    const id = await it.with({ url });
    const sent = await askAt(process.url, "POST", `/v1/sessions/${id}/events`, {
      key: it.house.organizations.platform.api_key,
      headers: managedAgents,
      body: { events: [call("mcp__docs__tell")] },
    });
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    const question = await it.seen(id, "agent.custom_tool_use");
    await it.idle(id);
    const [row] = await it.house.world.db.query<{ threadId: string }>(
      sql`select thread_id as "threadId" from sessions where id = ${id}`,
    );
    if (serversPart.of(process.world).take(`${row?.threadId} docs`) !== undefined)
      return { id, question };
  }
  return assert.fail("the other process took none of the sessions");
}

test("[SES148] a call that waited when its process went goes on in another, over a connection of its own", async () => {
  await using server = await openMcpServer(asksAgain(2));
  const connections = () =>
    server.asked.filter(({ method }) => method === "server/discover").length;
  const other = await it.house.openSecondServer();
  await using closing = new AsyncDisposableStack();
  closing.use(other);
  const { id, question } = await askingAt(other, server.url);
  await closing.disposeAsync();
  const before = connections();
  const events = await it.turn(id, answered(question.id, { word: accepted({ word: "one" }) }));
  assert.equal(connections(), before + 1);
  const asked = questionIn(events);
  assert.notEqual(asked.id, question.id);
  const came = await it.turn(id, answered(asked.id, { word: accepted({ word: "two" }) }));
  assert.deepEqual(resultsOf(came), ["one two"]);
  assert.doesNotMatch(JSON.stringify(await it.events(id)), /outcome is unknown/);
});

test("[SES149] a member of a team is asked in its own thread, and told in the session's", async () => {
  await using server = await openMcpServer(booking);
  const member = await it.agent({ name: "Reader", ...withServers({ url: server.url }) });
  const boss = await it.make({
    name: "Boss",
    multiagent: { type: "coordinator", agents: [member.id] },
  });
  const message = '\\u005b\\u005btool mcp__docs__book {\\"text\\": \\"four\\"}\\u005d\\u005d';
  const events = await it.turn(
    boss.id,
    said(`[[tool send_to_agent {"agent":"Reader","message":"${message}"}]]`),
  );
  const question = questionIn(events);
  const child = question["session_thread_id"] as string;
  assert.ok(typeof child === "string" && child !== "");
  assert.deepEqual(stopOf(events), { type: "requires_action", event_ids: [question.id] });
  await it.refuses(boss.id, [answered(question.id, {})], undefined, /who: has no answer/);
  const came = await it.turn(boss.id, answered(question.id, { who: accepted({ name: "Ada" }) }));
  const [told] = ofType(came, "agent.mcp_tool_result");
  assert.equal(told?.["session_thread_id"], child);
  assert.deepEqual(resultsOf(came), [`four: accept Ada, ${secretState}`]);
  assert.deepEqual(stopOf(came), { type: "end_turn" });
});
