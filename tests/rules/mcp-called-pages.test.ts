// Rule MSV30: what the events of a session tell of the pages of tools that were called, and of what is shown there.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openUpstreamsHouse } from "./fallbacks-upstreams-house.ts";
import {
  call,
  openMcpHouse,
  resultsOf,
  toLoopback,
  withServers,
  type McpHouse,
} from "./mcp-house.ts";
import { openMcpServer, words } from "./mcp-server.ts";
import { openTaskServer } from "./mcp-task-server.ts";
import { ofType, said, sessionsOf, type SessionEvent } from "./sessions-house.ts";

let it: McpHouse;
before(async () => {
  it = await openMcpHouse();
});
after(() => it[Symbol.asyncDispose]());

const html = "<!doctype html><p>Here</p>";
const answers = (text: string, structuredContent: Record<string, unknown>) => () => ({
  ...words(text),
  structuredContent,
});
const told = (events: readonly SessionEvent[]) => ({
  page: ofType(events, "agent.mcp_tool_use").at(-1)?.["tool_page"],
  structured: ofType(events, "agent.mcp_tool_result").at(-1)?.["structured_content"],
});

test("[MSV30] a call tells of the page of its tool, and its result has what the tool gave for it", async () => {
  await using server = await openMcpServer({
    seats: { page: { html }, call: answers("two", { seats: [1, 2], said: "a\0b" }) },
    plain: { call: answers("two", { seats: 2 }) },
    large: { page: { html }, call: answers("much", { all: "x".repeat(100_000) }) },
    fails: {
      page: { html },
      call: () => ({ ...answers("none", { seats: 0 })(), isError: true }),
    },
    odd: { meta: { ui: { resourceUri: "ui://test/\0" } }, call: answers("two", { seats: 2 }) },
  });
  const { url } = server;
  const id = await it.with({ url });
  const run = async (tool: string) => {
    const events = await it.turn(id, call(`mcp__docs__${tool}`));
    return { ...told(events), result: resultsOf(events).at(-1) };
  };
  const page = (tool: string) => ({ uri: `ui://test/${tool}`, server_url: url });
  assert.deepEqual(await run("seats"), {
    page: page("seats"),
    structured: { seats: [1, 2], said: "a\uFFFDb" },
    result: "two",
  });
  assert.deepEqual(await run("fails"), {
    page: page("fails"),
    structured: { seats: 0 },
    result: "error: none",
  });
  assert.deepEqual(await run("large"), {
    page: page("large"),
    structured: undefined,
    result: "much",
  });
  const none = { page: undefined, structured: undefined, result: "two" };
  assert.deepEqual(await run("plain"), none);
  assert.deepEqual(await run("odd"), none);
});

test("[MSV30] no model is shown what a tool gives for its page", async () => {
  await using server = await openMcpServer({
    seats: { page: { html }, call: answers("two seats", { secret: "for the page alone" }) },
  });
  await using upstreams = await openUpstreamsHouse([{ id: "eyes" }], { network: toLoopback });
  const shown: unknown[] = [];
  upstreams.models.set("eyes", (body) => {
    shown.push(body);
    if (shown.length > 1) return { content: [{ type: "text", text: "Seen." }] };
    const asked = { type: "tool_use", id: "toolu_1", name: "seats", input: {} };
    return { content: [asked], stop: "tool_use" };
  });
  const sessions = sessionsOf(() => upstreams.house);
  const { id } = await sessions.make({ model: "eyes", ...withServers({ url: server.url }) });
  const events = await sessions.turn(id, said("Look."));
  assert.deepEqual(told(events).structured, { secret: "for the page alone" });
  assert.equal(shown.length, 2);
  assert.match(JSON.stringify(shown[1]), /two seats/);
  assert.doesNotMatch(JSON.stringify(shown[1]), /for the page alone/);
});

test("[MSV30] a task's result has it too", async () => {
  const content = [{ type: "text", text: "two" }];
  const result = { content, structuredContent: { seats: 2 } };
  await using server = await openTaskServer({
    work: {
      meta: { ui: { resourceUri: "ui://test/work" } },
      news: () => ({ status: "completed", result }),
    },
  });
  const id = await it.with({ url: server.url });
  assert.deepEqual(told(await it.turn(id, call("mcp__docs__work"))), {
    page: { uri: "ui://test/work", server_url: server.url },
    structured: { seats: 2 },
  });
});
