// Rules MCP26 to MCP29 and SES154 to SES157, over HTTP: calls that their server goes on with as tasks.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { call, openMcpHouse, resultsOf, type McpHouse } from "./mcp-house.ts";
import { accepted, answered, questionIn, stopOf } from "./mcp-questions-house.ts";
import {
  asks,
  done,
  openTaskServer,
  timesAsked,
  working,
  type TestTask,
} from "./mcp-task-server.ts";
import { interrupt, ofType } from "./sessions-house.ts";

let it: McpHouse;
before(async () => {
  it = await openMcpHouse();
});
after(() => it[Symbol.asyncDispose]());

const at = (looks: number, then: object): TestTask => ({
  news: (task) => (task.looks >= looks ? { ...then } : working),
});

async function resultAt(tool: TestTask, how: { asStream?: boolean } = {}) {
  await using server = await openTaskServer({ work: tool }, how);
  const id = await it.with({ url: server.url });
  const events = await it.turn(id, call("mcp__docs__work"));
  assert.deepEqual(stopOf(events), { type: "end_turn" });
  assert.equal(timesAsked(server, "tools/call"), 1);
  const [result = ""] = resultsOf(events);
  return { result, server, events };
}

test("[MCP26] a task is looked at until it is done, whether it came as JSON or in a stream", async () => {
  const quick = await resultAt(at(1, done("at once")));
  assert.equal(quick.result, "at once");
  assert.equal(timesAsked(quick.server, "tasks/get"), 1);
  const slow = await resultAt(at(3, done("slowly")), { asStream: true });
  assert.equal(slow.result, "slowly");
  assert.equal(timesAsked(slow.server, "tasks/get task_1"), 3);
});

test("[MCP26] a result that is an error, and one with pieces that cannot be read, are as those of calls", async () => {
  const content = [{ type: "text", text: "no room" }, { type: "strange" }];
  const { result } = await resultAt(
    at(1, { status: "completed", result: { content, isError: true } }),
  );
  assert.equal(result, "error: no room\n[A piece of this result that cannot be read]");
});

test("[MCP27] what ends otherwise is an error in words, and the session goes on", async () => {
  const failure = { status: "failed", error: { code: -32603, message: "disk is full" } };
  assert.match(
    (await resultAt(at(2, failure))).result,
    /^error: The MCP server "docs" says that its task failed: \(-32603\) disk is full$/,
  );
  assert.match(
    (await resultAt(at(1, { status: "cancelled" }))).result,
    /^error: .*was cancelled\.$/,
  );
  for (const wrong of [{ status: "resting" }, { status: "completed" }, {}])
    assert.match(
      (await resultAt(at(1, wrong))).result,
      /^error: .*What came of its task is not known/,
    );
  const huge = done("x".repeat(5 * 1024 * 1024));
  const { result, events } = await resultAt(at(1, huge));
  assert.match(result, /^error: .*What came of its task is not known/);
  assert.equal(ofType(events, "session.error").length, 1);
});

test("[MCP27] a task that its server does not know, or no longer, is an error that says so", async () => {
  const { result } = await resultAt({ made: { taskId: "another" }, news: () => working });
  assert.match(result, /^error: .*answered with an error \(-32602\)\. It says: .*Task not found/);
});

test("[MCP26] a task without an id that can be kept is the fault of its server", async () => {
  for (const taskId of [7, "", "two words", "x".repeat(2_000)]) {
    const { result } = await resultAt({ made: { taskId }, news: () => working });
    assert.match(result, /^error: .*without an id that can be kept|^error: .*not MCP/);
  }
});

test("[MCP28] a server that is away for some looks is asked again", async () => {
  await using server = await openTaskServer({ work: at(2, done("back")) });
  let looks = 0;
  server.onAsked = (line) => {
    const isLook = line.startsWith("tasks/get");
    if (isLook) looks++;
    // A look at a task; the connection that is made anew is answered.
    server.isDown = isLook && looks === 2;
  };
  const id = await it.with({ url: server.url });
  assert.deepEqual(resultsOf(await it.turn(id, call("mcp__docs__work"))), ["back"]);
  assert.ok(looks >= 3);
  assert.equal(timesAsked(server, "tools/call"), 1);
});

test("[SES155] a task that asks twice is answered twice, by its own keys", async () => {
  await using server = await openTaskServer({
    work: {
      news: ({ answers }) =>
        answers.length === 0 ? asks("one") : answers.length === 1 ? asks("two") : done("all told"),
    },
  });
  const id = await it.with({ url: server.url });
  const first = questionIn(await it.turn(id, call("mcp__docs__work")));
  assert.equal(first["name"], "mcp_input");
  const one = { one: accepted({ word: "a" }) };
  const second = questionIn(await it.turn(id, answered(first.id, one)));
  assert.deepEqual(Object.keys((second["input"] as { requests: object }).requests), ["two"]);
  const two = { two: { action: "decline" } };
  const events = await it.turn(id, answered(second.id, two));
  assert.deepEqual(resultsOf(events), ["all told"]);
  assert.deepEqual(server.answers, [one, two]);
  assert.equal(timesAsked(server, "tools/call"), 1);
});

test("[SES155] answers that the server refuses end the call where it still waits for them", async () => {
  await using server = await openTaskServer({
    work: { news: () => asks("one"), refusesAnswers: true },
  });
  const id = await it.with({ url: server.url });
  const question = questionIn(await it.turn(id, call("mcp__docs__work")));
  const events = await it.turn(id, answered(question.id, { one: { action: "cancel" } }));
  assert.match(resultsOf(events)[0] ?? "", /^error: .*It says: .*No such question/);
});

test("[SES155] a task may ask ten times, and is cancelled then", async () => {
  await using server = await openTaskServer({
    work: { news: ({ answers }) => asks(`word${answers.length}`) },
  });
  const id = await it.with({ url: server.url });
  let events = await it.turn(id, call("mcp__docs__work"));
  for (let time = 0; time < 10; time++) {
    const { id: question } = questionIn(events);
    events = await it.turn(id, answered(question, { [`word${time}`]: { action: "cancel" } }));
  }
  assert.match(resultsOf(events)[0] ?? "", /^error: .*asked for something 10 times/);
  assert.equal(timesAsked(server, "tasks/cancel"), 1);
});

test("[SES156] an interrupt cancels the task, whether it works or waits for an answer", async () => {
  await using server = await openTaskServer({ work: { news: () => working } });
  const looked = Promise.withResolvers<void>();
  server.onAsked = (line) => void (line.startsWith("tasks/get") && looked.resolve());
  const id = await it.with({ url: server.url });
  await it.send(id, call("mcp__docs__work"));
  await looked.promise;
  const events = await it.turn(id, interrupt);
  assert.match(
    resultsOf(events)[0] ?? "",
    /^error: Interrupted while .* as a task: it was cancelled\.$/,
  );
  assert.equal(timesAsked(server, "tasks/cancel"), 1);
  await using other = await openTaskServer({ work: { news: () => asks("one") } });
  const waits = await it.with({ url: other.url });
  const question = questionIn(await it.turn(waits, call("mcp__docs__work")));
  const ended = await it.turn(waits, interrupt);
  assert.match(resultsOf(ended)[0] ?? "", /^error: Interrupted .*it was cancelled\.$/);
  assert.deepEqual(
    ofType(ended, "agent.tool_result").map((each) => each["tool_use_id"]),
    [question.id],
  );
  assert.equal(timesAsked(other, "tasks/cancel"), 1);
});

test("[MCP28] a task that never ends is cancelled when its time is up", async () => {
  await using house = await openMcpHouse({ mcp: { task_seconds: 1 } });
  await using server = await openTaskServer({ work: { news: () => working } });
  const id = await house.with({ url: server.url });
  const events = await house.turn(id, call("mcp__docs__work"));
  assert.match(resultsOf(events)[0] ?? "", /^error: .*for too long: it was cancelled\.$/);
  assert.equal(timesAsked(server, "tasks/cancel"), 1);
});

test("[MCP29] calls of a session are one trace, and each is a span of its own", async () => {
  await using server = await openTaskServer({ work: at(1, done("yes")) });
  const id = await it.with({ url: server.url });
  await it.turn(id, call("mcp__docs__work"));
  await it.turn(id, call("mcp__docs__work"));
  const all = server.metas.map((meta) => String(meta["traceparent"]));
  assert.equal(all.length, 2);
  for (const each of all) assert.match(each, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  assert.equal(new Set(all.map((each) => each.slice(0, 35))).size, 1);
  assert.equal(new Set(all).size, 2);
});
