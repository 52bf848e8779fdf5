// The real program is killed at each step of a task of an MCP server: its tool runs once, and its result comes once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../kernel/sql-harness.ts";
import { call } from "../rules/mcp-house.ts";
import { asks, done, openTaskServer, timesAsked, working } from "../rules/mcp-task-server.ts";
import { interrupt } from "../rules/sessions-house.ts";
import { openAgentOf, questionsIn, resultsIn } from "./mcp-agent.ts";

const lookAtTheEnd = 4;

test("[SES155] kill -9 at each step of a task of a server loses and repeats nothing", async () => {
  await using server = await openTaskServer({
    work: { news: ({ looks }) => (looks >= lookAtTheEnd ? done("worked") : working) },
    ask: { news: ({ answers: [first] }) => (first === undefined ? asks("who") : done("told")) },
    long: { news: ({ isCancelled }) => (isCancelled ? { status: "cancelled" } : working) },
  });
  await using it = await openAgentOf(server.url);
  const calls = () => timesAsked(server, "tools/call");
  /** Kills it as the server is asked this for the nth time; another one goes on, and the server answers both. */
  const crashAt = (start: string, nth: number, how: "before" | "after" = "before") => {
    const crashed = Promise.withResolvers<void>();
    const from = timesAsked(server, start);
    server.onAsked = async (line) => {
      if (!line.startsWith(start) || timesAsked(server, start) - from !== nth) return;
      if (how === "before") await it.killed();
      else setImmediate(() => void it.killed().then(crashed.resolve));
      if (how === "before") crashed.resolve();
    };
    return crashed.promise.then(() => {
      server.onAsked = () => {};
      return it.started();
    });
  };

  // The task has no id here yet: that it runs is not known, and its tool is not called again.
  const lost = crashAt("tools/call", 1);
  const first = await it.begin(call("mcp__docs__work"));
  await lost;
  assert.match(resultsIn(await it.idle(first)).join(), /outcome is unknown/);
  assert.equal(calls(), 1);

  // At the first look its id is in the log; at the last one, before and after the result has come.
  for (const [nth, how] of [
    [1, "before"],
    [3, "before"],
    [lookAtTheEnd, "before"],
    [lookAtTheEnd, "after"],
  ] as const) {
    const before = calls();
    const crashed = crashAt("tasks/get", nth, how);
    const id = await it.begin(call("mcp__docs__work"));
    await crashed;
    const results = resultsIn(await it.idle(id));
    assert.deepEqual(results, [JSON.stringify([{ type: "text", text: "worked" }])], `look ${nth}`);
    assert.equal(calls() - before, 1);
  }

  // While it asks, and as it is answered: it may be answered by both processes, with the same.
  const asking = await it.begin(call("mcp__docs__ask"));
  const questions = questionsIn(await it.idle(asking));
  await it.crash();
  assert.deepEqual(questionsIn(await it.idle(asking)), questions);
  const answered = crashAt("tasks/update", 1);
  await it.answer(asking, questions[0] ?? "", { word: "Ada" });
  await answered;
  const all = await it.idle(asking, 2);
  assert.deepEqual(questionsIn(all), questions);
  assert.deepEqual(resultsIn(all), [JSON.stringify([{ type: "text", text: "told" }])]);
  for (const answer of server.answers)
    assert.deepEqual(answer, { who: { action: "accept", content: { word: "Ada" } } });

  // What is interrupted after another process took it over is cancelled at its server.
  const taken = crashAt("tasks/get", 2);
  const long = await it.begin(call("mcp__docs__long"));
  await taken;
  const looks = timesAsked(server, "tasks/get");
  await until("it is looked at again", () => timesAsked(server, "tasks/get") > looks);
  await it.send(long, interrupt);
  assert.match(resultsIn(await it.idle(long)).join(), /it was cancelled/);
  assert.equal(timesAsked(server, "tasks/cancel"), 1);
});
