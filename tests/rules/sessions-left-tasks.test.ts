// Rule SES158: a task of an MCP server ends with the thread of its call.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { call, toLoopback, withServers } from "./mcp-house.ts";
import { questionIn } from "./mcp-questions-house.ts";
import { asks, done, openTaskServer, timesAsked, working } from "./mcp-task-server.ts";
import { openSessionHouse, said, type SessionHouse } from "./sessions-house.ts";
import { until } from "./support.ts";

let it: SessionHouse;
before(async () => {
  it = await openSessionHouse({ sections: { network: toLoopback } });
});
after(() => it[Symbol.asyncDispose]());

const open = () =>
  openTaskServer({
    work: { news: () => working },
    ask: { news: () => asks("one") },
    quick: { news: () => done("done") },
  });
type Server = Awaited<ReturnType<typeof open>>;
const begun = async ({ url }: Server) => (await it.make(withServers({ url }))).id;
const cancelled = ({ asked }: Server) => asked.filter((line) => line.startsWith("tasks/cancel"));
const jobs = async () =>
  (await it.house.world.db.query(sql`select id from jobs where kind = 'sessions.cancel_task'`))
    .length;
const isCancelled = (server: Server, ...tasks: readonly string[]) =>
  until(async () => cancelled(server).length >= tasks.length, "its server is told").then(() =>
    assert.deepEqual(
      cancelled(server).toSorted(),
      tasks.map((task) => `tasks/cancel ${task}`),
    ),
  );

test("[SES158] a session that is archived while its task is worked on has it cancelled", async () => {
  await using server = await open();
  const [id, other] = [await begun(server), await begun(server)];
  await it.send(id, call("mcp__docs__work"));
  await until(async () => timesAsked(server, "tasks/get") > 0, "it is looked at");
  await it.send(other, call("mcp__docs__work"));
  await until(async () => timesAsked(server, "tasks/get task_2") > 0, "so is the other");
  await it.archive(id);
  await isCancelled(server, "task_1");
  // The other one's goes on.
  const looks = timesAsked(server, "tasks/get task_2");
  await until(async () => timesAsked(server, "tasks/get task_2") > looks + 2, "it goes on");
  await it.archive(other);
  await isCancelled(server, "task_1", "task_2");
});

test("[SES158] one that waits for an answer is cancelled with its session, archived or deleted, once", async () => {
  await using server = await open();
  const archived = await begun(server);
  questionIn(await it.turn(archived, call("mcp__docs__ask")));
  await it.archive(archived);
  await isCancelled(server, "task_1");
  assert.equal((await it.call("DELETE", `/${archived}`)).status, 200);
  const deleted = await begun(server);
  questionIn(await it.turn(deleted, call("mcp__docs__ask")));
  assert.equal((await it.call("DELETE", `/${deleted}`)).status, 200);
  await isCancelled(server, "task_1", "task_2");
});

test("[SES158] a thread that is archived has its own cancelled", async () => {
  await using server = await open();
  const member = await it.agent({ name: "Reader", ...withServers({ url: server.url }) });
  const multiagent = { type: "coordinator", agents: [member.id] };
  const boss = await it.make({ name: "Boss", multiagent });
  const message = "\\u005b\\u005btool mcp__docs__ask {}\\u005d\\u005d";
  const input = `{"agent":"Reader","message":"${message}"}`;
  questionIn(await it.turn(boss.id, said(`[[tool send_to_agent ${input}]]`)));
  const { body } = await it.call("GET", `/${boss.id}/threads`);
  const threads = (body as { data: { id: string; parent_thread_id: string | null }[] }).data;
  const child = threads.find((thread) => thread.parent_thread_id !== null);
  const answer = await it.call("POST", `/${boss.id}/threads/${child?.id ?? ""}/archive`);
  assert.equal(answer.status, 200);
  await isCancelled(server, "task_1");
});

test("[SES158] what has ended is left alone, and a server that is away is told when it is back", async () => {
  await using server = await open();
  const id = await begun(server);
  // Both in one answer of the model.
  questionIn(await it.turn(id, said("[[tools mcp__docs__quick {} | mcp__docs__ask {}]]")));
  let refused = 0;
  server.onAsked = (line) => {
    server.isDown = refused < 2;
    if (line.startsWith("tasks/cancel") || line.startsWith("server/discover")) refused += 1;
  };
  await it.archive(id);
  await until(async () => refused > 2 && !server.isDown, "it is tried again");
  await until(
    async () => cancelled(server).includes("tasks/cancel task_2"),
    "its server is told of the one that is open",
  );
  await until(async () => (await jobs()) === 0, "all are told");
  assert.ok(!cancelled(server).includes("tasks/cancel task_1"));
});
