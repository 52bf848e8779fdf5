// Rule SES157: a task of an MCP server that takes long keeps no process.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeManualClock, systemClock } from "../../kernel/base/clock.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { limits } from "../../server/sessions/limits.ts";
import { call, resultsOf, toLoopback, withServers } from "./mcp-house.ts";
import { accepted, answered, questionIn } from "./mcp-questions-house.ts";
import { asks, done, openTaskServer, timesAsked, working } from "./mcp-task-server.ts";
import { interrupt, openSessionHouse, said, type SessionHouse } from "./sessions-house.ts";
import { until } from "./support.ts";

/** What it says is moved by hand; what waits goes by another. */
const wall = makeManualClock(new Date("2027-07-01T12:00:00Z"));
let it: SessionHouse;
before(async () => {
  const clock = { ...systemClock, now: () => wall.now() };
  it = await openSessionHouse({ sections: { network: toLoopback }, clock });
});
after(() => it[Symbol.asyncDispose]());

const withServer = async ({ url }: { url: string }) => (await it.make(withServers({ url }))).id;

const passes = () => wall.advance(limits.taskHeldMs);

async function heldBy(id: string): Promise<boolean> {
  const [row] = await it.house.world.db.query<{ owner: string | null }>(
    sql`select lease_owner as owner from sessions where id = ${id}`,
  );
  return row?.owner !== null;
}
const isLeft = (id: string) =>
  until(async () => !(await heldBy(id)), "the session is given back while its task goes on");

test("[SES157] a session whose task takes long is running and no process has it, until the task has ended", async () => {
  let isDone = false;
  await using server = await openTaskServer({
    work: { news: () => (isDone ? done("at last") : working) },
  });
  const id = await withServer(server);
  await it.send(id, call("mcp__docs__work"));
  await until(async () => timesAsked(server, "tasks/get") > 1, "it is looked at");
  assert.ok(await heldBy(id));
  passes();
  await isLeft(id);
  assert.equal((await it.read(id)).status, "running");
  const looks = timesAsked(server, "tasks/get");
  await until(async () => timesAsked(server, "tasks/get") > looks, "it is looked at now and then");
  await isLeft(id);
  isDone = true;
  assert.deepEqual(resultsOf(await it.idle(id)), ["at last"]);
  assert.equal(timesAsked(server, "tools/call"), 1);
});

test("[SES157] an interrupt cancels such a task at once", async () => {
  await using server = await openTaskServer({ work: { news: () => working } });
  const id = await withServer(server);
  await it.send(id, call("mcp__docs__work"));
  await until(async () => timesAsked(server, "tasks/get") > 0, "it is looked at");
  passes();
  await isLeft(id);
  const events = await it.turn(id, interrupt);
  assert.match(resultsOf(events)[0] ?? "", /as a task: it was cancelled\.$/);
});

test("[SES157] what such a task has asked is answered once", async () => {
  let isDone = false;
  await using server = await openTaskServer({
    work: {
      news: ({ answers }) => (answers.length === 0 ? asks("one") : isDone ? done("told") : working),
    },
  });
  const id = await withServer(server);
  const question = questionIn(await it.turn(id, call("mcp__docs__work")));
  await it.send(id, answered(question.id, { one: accepted({ word: "a" }) }));
  await until(async () => server.answers.length > 0, "it has the answer");
  passes();
  await isLeft(id);
  const looks = timesAsked(server, "tasks/get");
  await until(async () => timesAsked(server, "tasks/get") > looks, "it is looked at again");
  isDone = true;
  assert.deepEqual(resultsOf(await it.idle(id)), ["told"]);
  assert.equal(server.answers.length, 1);
});

test("[SES157] as many as a process works on may wait for tasks, and others are worked on", async () => {
  await using server = await openTaskServer({ work: { news: () => working } });
  const body = await it.bodyOf(withServers({ url: server.url }));
  const ids: string[] = [];
  while (ids.length < limits.heldMax) {
    const begun = await it.begin({ ...body, initial_events: [call("mcp__docs__work")] });
    ids.push(begun.id);
  }
  await until(async () => timesAsked(server, "tools/call") === ids.length, "all have begun");
  passes();
  const plain = (await it.make()).id;
  assert.ok((await it.turn(plain, said("Hello."))).length > 0);
  for (const id of ids) await it.send(id, interrupt);
  for (const id of ids) await it.idle(id);
});
