// Rules SES145 to SES149: questions of MCP servers in sessions, their answers, interrupts, processes and threads.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import type { WaitingSession } from "../../server/sessions/waiting/schema.ts";
import { serversPart } from "../../server/sessions/servers/servers.ts";
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
import type { Page } from "./memory-house.ts";
import { openMcpServer, words } from "./mcp-server.ts";
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
  wordsOf,
} from "./sessions-house.ts";
import { askAt } from "./support.ts";

let it: McpHouse;
before(async () => {
  it = await openMcpHouse();
});
after(() => it[Symbol.asyncDispose]());

test("[SES146] what is no answer is 400 with its place, and the question stays as it was", async () => {
  await using server = await openMcpServer(booking);
  const { id, question } = await asking(it, server);
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
  const { id, question } = await asking(it, server);
  const before = await it.events(id);
  await it.refuses(id, [said("And more."), answered(question.id, {})], undefined, /^events\.1\./);
  assert.deepEqual(await it.events(id), before);
});

test("[SES147] an interrupt ends the call that waits: its question has a result too, and is not answered any more", async () => {
  await using server = await openMcpServer(booking);
  const { id, question } = await asking(it, server);
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
  const { cookie } = it.house.organizations.platform;
  const path = "/console/api/sessions/waiting";
  const { data } = await it.askGood<Page<WaitingSession>>("GET", path, { cookie });
  const waiting = data.find((each) => each.id === id);
  assert.deepEqual(
    waiting?.calls.map(({ event, needs }) => [event.id, needs]),
    [[question.id, "answer"]],
  );
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
  const { boss, events, question } = await askingInTeam(it, server);
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
