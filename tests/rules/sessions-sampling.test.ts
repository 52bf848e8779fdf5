// Rules MCP22 to MCP25: MCP servers ask the model of a session, and for its directories, while a call runs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inputRequired } from "@modelcontextprotocol/server";
import { makeManualClock, systemClock } from "../../kernel/base/clock.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { deprecatedUntil } from "../../server/mcp_client/module.ts";
import { queryPosted } from "../posted.ts";
import { call, resultsOf, toLoopback, withServers } from "./mcp-house.ts";
import { accepted, answered, questionIn } from "./mcp-questions-house.ts";
import { openMcpServer, words, type TestServer, type Tools } from "./mcp-server.ts";
import { ofType, openSessionHouse, type SessionHouse } from "./sessions-house.ts";

let it: SessionHouse;
const wall = makeManualClock(new Date("2027-07-01T12:00:00Z"));
before(async () => {
  const clock = { ...systemClock, now: () => wall.now() };
  it = await openSessionHouse({ sections: { network: toLoopback }, clock });
});
after(() => it[Symbol.asyncDispose]());

const say = (text: string, more: object = {}) => ({
  messages: [{ role: "user" as const, content: { type: "text" as const, text } }],
  maxTokens: 200,
  ...more,
});
const blue = say('Which colour? [[say "Blue."]]', { systemPrompt: "Be short." });
const sampling = (params: object) =>
  inputRequired.createMessage(params as Parameters<typeof inputRequired.createMessage>[0]);

/** Asks the model once, and answers with what it said. */
const asksModel = (params: object): Tools => ({
  ask: {
    call: (_input, _signal, { answers }) =>
      "model" in answers
        ? words(JSON.stringify(answers["model"]))
        : inputRequired({ inputRequests: { model: sampling(params) } }),
  },
});

/** The result of one call, the events up to there, and the session. */
async function calling(url: string, tool: string, type = "self_hosted") {
  const agent = await it.agent(withServers({ url }));
  const environment_id = (await it.environment(type)).id;
  const { id } = await it.begin({ agent: agent.id, environment_id });
  const events = await it.turn(id, call(`mcp__docs__${tool}`));
  return { id, events, result: resultsOf(events)[0] ?? "" };
}

const said = (result: string) =>
  JSON.parse(result) as { role: string; model: string; stopReason: string; content: object };
const blueAnswer = {
  role: "assistant",
  model: "sim-small",
  stopReason: "endTurn",
  content: { type: "text", text: "Blue." },
};

/** What models were asked for a session, as the ledger has it. */
const ledgerOf = (id: string) =>
  queryPosted<{ kind: string; model: string; output: number }>(
    it.house.world.db,
    sql`
    select kind, model, output_tokens::int as output from ledger where session_id = ${id} order by id`,
  );

test("[MCP22] a server has the session's model answer, and the session pays for it", async () => {
  await using server = await openMcpServer(asksModel(blue));
  const { id, events, result } = await calling(server.url, "ask");
  assert.deepEqual(said(result), blueAnswer);
  assert.deepEqual(ofType(events, "agent.custom_tool_use"), []);
  const rows = await ledgerOf(id);
  assert.deepEqual(
    rows.map(({ kind, model }) => [kind, model]),
    Array.from({ length: 3 }, () => ["agent", "sim-small"]),
  );
  const { usage } = await it.read(id);
  const sum = rows.reduce((all, { output }) => all + output, 0);
  assert.equal(usage.output_tokens, sum);
});

test("[MCP22] a server of the older revisions asks over the connection of its call", async () => {
  const tools: Tools = {
    ask: {
      call: async (_input, _signal, { ask }) =>
        words(JSON.stringify(await ask("sampling/createMessage", blue))),
    },
    folders: {
      call: async (_input, _signal, { ask }) => words(JSON.stringify(await ask("roots/list"))),
    },
    tools: {
      call: async (_input, _signal, { ask }) => {
        const given = {
          ...blue,
          messages: [{ role: "user", content: { type: "audio", data: "", mimeType: "audio/wav" } }],
        };
        return words(await ask("sampling/createMessage", given).then(JSON.stringify, String));
      },
    },
  };
  await using server = await openMcpServer(tools, "legacy");
  assert.deepEqual(said((await calling(server.url, "ask")).result), blueAnswer);
  assert.deepEqual(JSON.parse((await calling(server.url, "folders")).result), { roots: [] });
  assert.match((await calling(server.url, "tools")).result, /must be texts and pictures/);
});

/** Whatever the client says that it can be asked. */
function asksAtOnce(server: TestServer, request: object): void {
  server.before = (_incoming, response, body) => {
    const { method, id } = JSON.parse(body) as { method: string; id: number };
    if (method !== "tools/call") return false;
    response.writeHead(200, { "content-type": "application/json" });
    const result = { resultType: "input_required", inputRequests: { it: request } };
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    return true;
  };
}

test("[MCP22] what the model is not asked ends the call with a sentence, and costs nothing", async () => {
  const cases: [params: object, sentence: RegExp][] = [
    [{ ...blue, tools: [{ name: "x", inputSchema: { type: "object" } }] }, /no tools of a server/],
    [{ ...blue, maxTokens: 0 }, /maxTokens must be a whole number/],
    [{ ...blue, messages: [] }, /messages must be 1 to 50/],
    [say("x".repeat(1_000_001)), /more than 1000000 characters/],
  ];
  for (const [params, sentence] of cases) {
    const tools: Tools = { ask: {} };
    await using server = await openMcpServer(tools);
    asksAtOnce(server, { method: "sampling/createMessage", params });
    const { id, result } = await calling(server.url, "ask");
    assert.match(
      result,
      /^error: The MCP server "docs" asked for something of the session, and got nothing/,
    );
    assert.match(result, sentence);
    assert.equal((await ledgerOf(id)).length, 2);
  }
});

test("[MCP22] maxTokens is bounded, and a call asks the model five times at most", async () => {
  let asked = 0;
  const tools: Tools = {
    ask: {
      call: () => {
        asked += 1;
        return inputRequired({ inputRequests: { model: sampling(blue) } });
      },
    },
    much: asksModel(say("[[tokens 9000]]", { maxTokens: 100_000 }))["ask"] ?? {},
  };
  await using server = await openMcpServer(tools);
  const { id, result } = await calling(server.url, "ask");
  assert.match(result, /asks the model 5 times at most/);
  assert.deepEqual([asked, (await ledgerOf(id)).length], [6, 7]);
  const much = await calling(server.url, "much");
  assert.equal(said(much.result).stopReason, "maxTokens");
  assert.ok((await ledgerOf(much.id)).some(({ output }) => output === 4_096));
});

test("[MCP22] the answers of a person begin the count of a call's five no more anew", async () => {
  const form = { type: "object" as const, properties: { word: { type: "string" as const } } };
  let times = 0;
  const tools: Tools = {
    ask: {
      call: (_input, _signal, { answers }) => {
        if ("word" in answers) times = 0;
        times += 1;
        return times <= 3
          ? inputRequired({ inputRequests: { model: sampling(blue) } })
          : inputRequired({
              inputRequests: {
                word: inputRequired.elicit({ message: "Word?", requestedSchema: form }),
              },
            });
      },
    },
  };
  await using server = await openMcpServer(tools);
  const { id, events } = await calling(server.url, "ask");
  // The model has called the tool, and has been asked three times.
  assert.equal((await ledgerOf(id)).length, 4);
  const answer = answered(questionIn(events).id, { word: accepted({ word: "blue" }) });
  const [result] = resultsOf(await it.turn(id, answer));
  assert.match(result ?? "", /asks the model 5 times at most/);
  // Twice more, and once with the result.
  assert.equal((await ledgerOf(id)).length, 7);
});

test("[MCP22] a session whose budget is used up while a call runs asks its model no more", async () => {
  const long = say(`${"x ".repeat(200_000)} [[say "Much."]]`);
  const tools: Tools = {
    ask: { call: () => inputRequired({ inputRequests: { model: sampling(long) } }) },
  };
  await using server = await openMcpServer(tools);
  const agent = await it.agent(withServers({ url: server.url }));
  const { id: environment_id } = await it.environment();
  const budget = { type: "limit", max_list_cost: { amount: "1", currency: "USD" } };
  const { id } = await it.begin({ agent: agent.id, environment_id, budget });
  const events = await it.turn(id, call("mcp__docs__ask"));
  assert.match(resultsOf(events)[0] ?? "", /the budget of the session is used up/);
  assert.deepEqual(events.at(-1)?.["stop_reason"], { type: "budget_reached" });
  // The answer that calls the tool, and the one that cost too much.
  assert.equal((await ledgerOf(id)).length, 2);
});

test("[MCP23] the directories of a session are those of its sandbox", async () => {
  const tools: Tools = {
    folders: {
      call: (_input, _signal, { answers }) =>
        "dirs" in answers
          ? words(JSON.stringify(answers["dirs"]))
          : inputRequired({ inputRequests: { dirs: inputRequired.listRoots() } }),
    },
  };
  await using server = await openMcpServer(tools);
  const cloud = await calling(server.url, "folders", "cloud");
  const roots = [{ uri: "file:///workspace", name: "workspace" }];
  assert.deepEqual(JSON.parse(cloud.result), { roots });
  assert.deepEqual(JSON.parse((await calling(server.url, "folders")).result), { roots: [] });
});

test("[MCP23] what is asked of the session along with a person's question is asked once, and kept for the answer", async () => {
  const form = { type: "object" as const, properties: { word: { type: "string" as const } } };
  const tools: Tools = {
    both: {
      call: (_input, _signal, { answers }) =>
        "word" in answers
          ? words(JSON.stringify(answers))
          : inputRequired({
              inputRequests: {
                word: inputRequired.elicit({ message: "Word?", requestedSchema: form }),
                model: sampling(blue),
              },
            }),
    },
  };
  await using server = await openMcpServer(tools);
  const { id, events } = await calling(server.url, "both");
  const question = questionIn(events);
  const { requests } = question["input"] as { requests: object };
  assert.deepEqual(Object.keys(requests), ["word"]);
  const came = await it.turn(id, answered(question.id, { word: accepted({ word: "yes" }) }));
  assert.deepEqual(JSON.parse(resultsOf(came)[0] ?? ""), {
    word: accepted({ word: "yes" }),
    model: blueAnswer,
  });
  assert.equal((await ledgerOf(id)).length, 3);
});

/** What the streams of a session are told while a call logs. */
async function toldOf(revision: "modern" | "legacy"): Promise<unknown[]> {
  const tools: Tools = {
    talk: {
      call: async (_input, _signal, { log }) => {
        await log("a line of the log");
        return words("done");
      },
    },
  };
  await using server = await openMcpServer(tools, revision);
  const { id } = await it.make(withServers({ url: server.url }));
  await using stream = await it.stream(id, { query: "?event_deltas[]=agent.mcp_tool_use" });
  assert.deepEqual(resultsOf(await it.turn(id, call("mcp__docs__talk"))), ["done"]);
  const heard = await stream.through("session.status_idle");
  assert.ok(!JSON.stringify(await it.events(id)).includes("a line of the log"));
  return ofType(heard, "event_progress").map(({ message }) => message);
}

test("[MCP24] what a server logs is told as its progress is, and stands in no event", async () => {
  assert.deepEqual(await toldOf("modern"), ["a line of the log"]);
  assert.deepEqual(await toldOf("legacy"), ["a line of the log"]);
});

test("[MCP25] from the 28th of July 2027 on models and directories are not offered, and forms still are", async () => {
  const tools: Tools = {
    can: { call: (_input, _signal, { capabilities }) => words(capabilities.join()) },
    ask: {
      call: async (_input, _signal, { ask }) =>
        words(await ask("sampling/createMessage", blue).then(JSON.stringify, String)),
    },
  };
  await using modern = await openMcpServer(tools);
  await using legacy = await openMcpServer(tools, "legacy");
  const can = async () => [
    (await calling(modern.url, "can")).result,
    (await calling(legacy.url, "can")).result,
  ];
  assert.deepEqual(await can(), [
    "elicitation,extensions,roots,sampling",
    "elicitation,roots,sampling",
  ]);
  // A connection that was there before says no, too.
  const open = await calling(legacy.url, "can");
  wall.advance(deprecatedUntil.getTime() - wall.now().getTime());
  const late = resultsOf(await it.turn(open.id, call("mcp__docs__ask")))[0] ?? "";
  assert.match(late, /Method not found/);
  assert.deepEqual(await can(), ["elicitation,extensions", "elicitation"]);
  await using asking = await openMcpServer(asksModel(blue));
  assert.match((await calling(asking.url, "ask")).result, /^error: /);
  asksAtOnce(asking, { method: "roots/list" });
  assert.match((await calling(asking.url, "ask")).result, /there is no such method any more/);
});

test("[MCP24] from that day on what a server logs is dropped", async () => {
  assert.ok(wall.now() >= deprecatedUntil);
  assert.deepEqual(await toldOf("modern"), []);
  assert.deepEqual(await toldOf("legacy"), []);
});
