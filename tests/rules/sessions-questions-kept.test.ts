// Rules SES150 and SES151: what the server of a question wants back is sealed, and who answers a question.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Keyring } from "../../kernel/secret/keyring.ts";
import { identifier, sql } from "../../kernel/sql/statement.ts";
import { resealAll } from "../../server/resealing/module.ts";
import { workOf } from "./environments-work-house.ts";
import { call, openMcpHouse, resultsOf, withServers, type McpHouse } from "./mcp-house.ts";
import {
  accepted,
  answered,
  asking,
  askingInTeam,
  asksAgain,
  booking,
  callsOf,
  questionIn,
  secretState,
  stopOf,
} from "./mcp-questions-house.ts";
import { openMcpServer } from "./mcp-server.ts";
import { managedAgents, sessionsPath, typesOf } from "./sessions-house.ts";
import { until } from "./support.ts";

let it: McpHouse;
before(async () => {
  it = await openMcpHouse();
});
after(() => it[Symbol.asyncDispose]());

/** The tables that have these words in a row. */
async function tablesWith(words: string): Promise<string[]> {
  const { db } = it.house.world;
  const tables = await db.query<{ name: string }>(
    sql`select table_name as name from information_schema.tables where table_schema = 'public'`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const [row] = await db.query<{ count: number }>(sql`
      select count(*)::int as count from ${identifier(name)} as row where strpos(row::text, ${words}) > 0`);
    if ((row?.count ?? 0) > 0) found.push(name);
  }
  return found;
}

const sealedRows = () =>
  it.house.world.db.query<{ call: string; state: string }>(
    sql`select call_id as call, request_state as state from session_question_states`,
  );

test("[SES150] [MCP17] the server's state is sealed, shown nowhere, resealed, and gone with the result", async () => {
  await using server = await openMcpServer(booking);
  const { id, question } = await asking(it, server);
  const shown = [
    await it.events(id),
    await it.read(id),
    await it.askGood("GET", "/v1/sessions"),
    await it.good("GET", `/${id}/threads`),
  ];
  assert.ok(!JSON.stringify(shown).includes(secretState));
  assert.deepEqual(await tablesWith(secretState), []);
  // The search finds what lies there in clear.
  assert.deepEqual(await tablesWith("For whom?"), ["log_events"]);
  const [before, ...others] = await sealedRows();
  assert.ok(before !== undefined && others.length === 0);
  assert.equal(before.call, (question["input"] as { mcp_tool_use_id: string }).mcp_tool_use_id);
  const { secrets, db } = it.house.world;
  assert.throws(() => secrets.decrypt(before.state, "sessions/question-state/another"));
  const key = await (secrets as Keyring).rotate();
  const resealed = await resealAll(db, secrets);
  const place = resealed.find((each) => each.place === "session_question_states.request_state");
  assert.deepEqual([place?.resealed, place?.unreadable], [1, 0]);
  assert.equal(secrets.keyIdOf((await sealedRows())[0]?.state ?? ""), key);
  const came = await it.turn(id, answered(question.id, { who: accepted({ name: "Ada" }) }));
  assert.deepEqual(resultsOf(came), [`table: accept Ada, ${secretState}`]);
  assert.deepEqual(await sealedRows(), []);
});

test("[SES150] each question has the state that came with it, and an archived session keeps none", async () => {
  await using server = await openMcpServer(asksAgain(3));
  const { id, question } = await asking(it, server, "tell");
  const word = (text: string) => ({ word: accepted({ word: text }) });
  const [first] = await sealedRows();
  const events = await it.turn(id, answered(question.id, word("one")));
  const [second, ...others] = await sealedRows();
  assert.deepEqual([second?.call, others], [first?.call, []]);
  assert.notEqual(second?.state, first?.state);
  await it.turn(id, answered(questionIn(events).id, word("two")));
  await it.archive(id);
  assert.deepEqual(await sealedRows(), []);
});

test("[SES150] a state that cannot be unsealed ends its call, and the session goes on", async () => {
  await using server = await openMcpServer(booking);
  const { id, question } = await asking(it, server);
  const { db, secrets } = it.house.world;
  const foreign = secrets.encrypt("state", "of another call");
  await db.query(sql`update session_question_states set request_state = ${foreign}`);
  const came = await it.turn(id, answered(question.id, { who: { action: "decline" } }));
  assert.match(resultsOf(came)[0] ?? "", /^error: .*"docs".*cannot be unsealed.*was not run/);
  assert.equal(callsOf(server), 1);
  assert.deepEqual(stopOf(came), { type: "end_turn" });
  assert.deepEqual(await sealedRows(), []);
  const logged = it.house.expectErrors();
  assert.deepEqual(
    logged.map(({ message }) => message),
    ["what an MCP server wants back cannot be unsealed"],
  );
  assert.ok(!JSON.stringify(logged).includes("state that"));
});

test("[SES151] a worker answers no question, and a person with a key does", async () => {
  await using server = await openMcpServer(booking);
  const hosted = await workOf(() => it.house).open();
  const agent = await it.agent(withServers({ url: server.url }));
  const session = await it.begin({
    agent: agent.id,
    environment_id: hosted.id,
    initial_events: [call("mcp__docs__book", { text: "table" })],
  });
  const question = questionIn(await it.idle(session.id));
  const { work, token } = await hosted.take();
  await hosted.beat(work.id, token);
  const before = await it.events(session.id);
  const events = [answered(question.id, { who: accepted({ name: "Ada" }) })];
  for (const key of [token, hosted.key]) {
    const { status, body } = await it.house.ask("POST", `${sessionsPath}/${session.id}/events`, {
      key,
      headers: managedAgents,
      body: { events },
    });
    assert.equal(status, 403, JSON.stringify(body));
    assert.match(JSON.stringify(body), /events\.0\.custom_tool_use_id: .*asks a person/);
  }
  assert.deepEqual(await it.events(session.id), before);
  const came = await it.turn(session.id, ...events);
  assert.deepEqual(resultsOf(came), [`table: accept Ada, ${secretState}`]);
});

test("[SES151] the question of an archived thread waits no more", async () => {
  await using server = await openMcpServer(booking);
  const { boss, question } = await askingInTeam(it, server);
  const child = String(question["session_thread_id"]);
  await it.good("POST", `/${boss.id}/threads/${child}/archive`);
  const answer = answered(question.id, { who: accepted({ name: "Ada" }) });
  await it.refuses(boss.id, [answer], "tool_call_not_pending", /waits in this session/);
  const ended = await until(async () => {
    const all = await it.idle(boss.id);
    return typesOf(all).includes("session.thread_status_terminated") && all;
  }, "the thread to end");
  assert.deepEqual(stopOf(ended), { type: "end_turn" });
  assert.deepEqual(await sealedRows(), []);
  assert.equal(callsOf(server), 1);
});
