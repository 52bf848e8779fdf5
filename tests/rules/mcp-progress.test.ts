// Rules SES161 and MCP48: how far a call of an MCP server is, told to the streams that look.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { limits } from "../../server/sessions/limits.ts";
import { call, toLoopback, withServers } from "./mcp-house.ts";
import { openMcpServer, words, type Tools } from "./mcp-server.ts";
import { done, openTaskServer, timesAsked, working } from "./mcp-task-server.ts";
import { ofType, openSessionHouse, typesOf, type SessionHouse } from "./sessions-house.ts";
import { until } from "./support.ts";

let it: SessionHouse;
before(async () => {
  it = await openSessionHouse({ sections: { network: toLoopback } });
});
after(() => it[Symbol.asyncDispose]());

const wanted = "?event_deltas[]=agent.mcp_tool_use";
const idle = "session.status_idle";

/** Tells one step after the other, each when the test has seen the one before. */
function stepping(steps: readonly object[]) {
  let seen = 0;
  const tools: Tools = {
    work: {
      call: async (_input, _signal, { progress }) => {
        for (const [at, step] of steps.entries()) {
          await until(async () => seen >= at, "the step before is seen");
          await progress(step as Parameters<typeof progress>[0]);
        }
        await until(async () => seen >= steps.length, "the last step is seen");
        return words("done");
      },
    },
  };
  return { tools, see: () => void seen++ };
}

for (const revision of ["modern", "legacy"] as const)
  test(`[SES161] [MCP48] how far a call is comes while it runs, from a ${revision} server`, async () => {
    const steps = [
      { progress: 1, total: 4, message: "Reads a file" },
      { progress: 2.5 },
      { progress: 3, message: "x".repeat(300) },
    ];
    const { tools, see } = stepping(steps);
    await using server = await openMcpServer(tools, revision);
    const { id } = await it.make(withServers({ url: server.url }));
    await using stream = await it.stream(id, { query: wanted });
    await using plain = await it.stream(id);
    await it.send(id, call("mcp__docs__work"));
    for (const at of steps.keys()) {
      await until(async () => ofType(stream.events, "event_progress").length > at, "a step");
      see();
    }
    const heard = await stream.through(idle);
    const [made] = ofType(heard, "agent.mcp_tool_use");
    const told = ofType(heard, "event_progress");
    const last = told.at(-1)?.["message"] as string;
    assert.match(last, /^x{190,199}…$/);
    const of = { type: "event_progress", event_id: made?.id };
    assert.deepEqual(told, [
      { ...of, progress: 1, total: 4, message: "Reads a file" },
      { ...of, progress: 2.5, total: null, message: null },
      { ...of, progress: 3, total: null, message: last },
    ]);
    const seen = typesOf(heard);
    assert.ok(seen.indexOf("event_progress") > seen.indexOf("agent.mcp_tool_use"));
    assert.ok(seen.lastIndexOf("event_progress") < seen.indexOf("agent.mcp_tool_result"));
    assert.deepEqual(
      typesOf(await plain.through(idle)),
      seen.filter((type) => type !== "event_progress"),
    );
    assert.ok((await it.events(id)).every(({ type }) => type !== "event_progress"));
  });

test("[SES161] what a server tells faster gives way to what it told last", async () => {
  const many = 500;
  let isSeen = false;
  await using server = await openMcpServer({
    work: {
      call: async (_input, _signal, { progress }) => {
        for (let at = 1; at <= many; at++) await progress({ progress: at, total: many });
        await until(async () => isSeen, "the last one is seen");
        return words("done");
      },
    },
  });
  const { id } = await it.make(withServers({ url: server.url }));
  await using stream = await it.stream(id, { query: wanted });
  const before = performance.now();
  await it.send(id, call("mcp__docs__work"));
  const told = () => ofType(stream.events, "event_progress");
  await until(async () => told().at(-1)?.["progress"] === many, "the last one comes");
  const pauses = Math.ceil((performance.now() - before) / limits.progressPauseMs);
  isSeen = true;
  await stream.through(idle);
  assert.ok(told().length <= pauses + 1, `${told().length} in ${pauses} pauses`);
});

test("[SES161] words that come without numbers leave those before them as they were", async () => {
  let isSeen = false;
  await using server = await openMcpServer({
    work: {
      call: async (_input, _signal, { progress, log }) => {
        await progress({ progress: 1, total: 2, message: "Reads" });
        await log("has read");
        await until(async () => isSeen, "the words are seen");
        return words("done");
      },
    },
  });
  const { id } = await it.make(withServers({ url: server.url }));
  await using stream = await it.stream(id, { query: wanted });
  await it.send(id, call("mcp__docs__work"));
  const last = () => ofType(stream.events, "event_progress").at(-1);
  await until(async () => last()?.["message"] === "has read", "the words come");
  isSeen = true;
  await stream.through(idle);
  assert.deepEqual([last()?.["progress"], last()?.["total"]], [1, 2]);
});

test("[SES161] what a server says of its task's status comes too", async () => {
  let isSeen = false;
  await using server = await openTaskServer({
    work: {
      news: () => (isSeen ? done("done") : { ...working, statusMessage: "Counts the stars" }),
    },
  });
  const { id } = await it.make(withServers({ url: server.url }));
  await using stream = await it.stream(id, { query: wanted });
  await it.send(id, call("mcp__docs__work"));
  const told = () => ofType(stream.events, "event_progress");
  await until(async () => told().length > 1, "it comes");
  isSeen = true;
  await stream.through(idle);
  for (const { progress, total, message } of told())
    assert.deepEqual([progress, total, message], [null, null, "Counts the stars"]);
  assert.equal(timesAsked(server, "tools/call"), 1);
});

test("[SES161] a client of another process sees it", async () => {
  const { tools, see } = stepping([{ progress: 1, total: 2 }]);
  await using server = await openMcpServer(tools);
  const { id } = await it.make(withServers({ url: server.url }));
  await using second = await it.house.openSecondServer();
  await using stream = await it.stream(id, { query: wanted, url: second.url });
  await it.send(id, call("mcp__docs__work"));
  await until(async () => ofType(stream.events, "event_progress").length > 0, "it comes");
  see();
  await stream.through(idle);
});
