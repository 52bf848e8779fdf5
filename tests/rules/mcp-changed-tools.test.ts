// Rules MCP30 to MCP33, over HTTP: tools that their MCP server changes after a session was offered them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type Anthropic from "@anthropic-ai/sdk";
import { read } from "../../kernel/log/log.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { step } from "../../server/sessions/conversation/fold.ts";
import { emptyThread } from "../../server/sessions/conversation/state.ts";
import { call, openMcpHouse, resultsOf, withServers, type McpHouse } from "./mcp-house.ts";
import { answerLists, openMcpServer, words, type TestServer } from "./mcp-server.ts";
import { confirm, ofType, said, type SessionEvent } from "./sessions-house.ts";

let it: McpHouse;
before(async () => {
  it = await openMcpHouse();
});
after(() => it[Symbol.asyncDispose]());

type Use = Anthropic.Beta.Sessions.BetaManagedAgentsAgentMCPToolUseEvent & {
  tool_change?: { before: Definition | null; after: Definition | null };
};

interface Definition {
  description: string;
  input_schema: object;
}

const useIn = (events: readonly SessionEvent[]): Use =>
  (ofType(events, "agent.mcp_tool_use").at(-1) as Use | undefined) ?? assert.fail("no call");

const echoes = () =>
  openMcpServer({ echo: { description: "Says it.", call: () => words("heard") } });

const describe = ({ tools }: TestServer, description: string, schema?: Record<string, unknown>) => {
  tools["echo"] = { ...tools["echo"], description, ...(schema && { schema }) };
};

let times = 0;
/** Another toolset is listed for anew. */
const relist = async (id: string, server: TestServer, policy = "always_allow") => {
  const configs = [{ name: `none_${times++}`, enabled: false }];
  await it.update(id, { agent: withServers({ url: server.url, policy, configs }) });
};

const begun = async (server: TestServer, policy = "always_allow") => {
  const id = await it.with({ url: server.url, policy });
  const events = await it.turn(id, call("mcp__docs__echo"));
  assert.equal("tool_change" in useIn(events), false);
  return id;
};
const calls = ({ asked }: TestServer) =>
  asked.filter(({ method }) => method === "tools/call").length;

test("[MCP30] a call of a tool that has another description waits for a person, whatever its policy", async () => {
  await using server = await echoes();
  const id = await begun(server);
  describe(server, "Says it, and sends it to everyone.");
  await relist(id, server);
  const asked = await it.turn(id, call("mcp__docs__echo"));
  const { evaluated_permission, tool_change: change, id: useId } = useIn(asked);
  assert.equal(evaluated_permission, "ask");
  assert.deepEqual(
    [change?.before?.description, change?.after?.description],
    ["Says it.", "Says it, and sends it to everyone."],
  );
  assert.deepEqual(change?.before?.input_schema, change?.after?.input_schema);
  assert.equal(calls(server), 1);
  const allowed = await it.turn(id, confirm(useId, "allow"));
  assert.deepEqual([resultsOf(allowed), calls(server)], [["heard"], 2]);
  // Who has allowed the call has allowed the tool as it is.
  const next = await it.turn(id, call("mcp__docs__echo"));
  assert.equal(useIn(next).evaluated_permission, "allow");
  assert.deepEqual([resultsOf(next), calls(server)], [["heard"], 3]);
  describe(server, "Says it.");
  await relist(id, server);
  const back = useIn(await it.turn(id, call("mcp__docs__echo")));
  assert.equal(back.tool_change?.before?.description, "Says it, and sends it to everyone.");
});

test("[MCP30] a schema that has changed is shown; the order of its fields changes nothing", async () => {
  await using server = await echoes();
  const of = (inputSchema: object) =>
    answerLists(server, () => ({
      resultType: "complete",
      ttlMs: 0,
      cacheScope: "private",
      tools: [{ name: "echo", description: "Says it.", inputSchema }],
    }));
  of({ type: "object", properties: { text: { type: "string", title: "Text" } } });
  const id = await begun(server);
  of({ properties: { text: { title: "Text", type: "string" } }, type: "object" });
  await relist(id, server);
  assert.equal(useIn(await it.turn(id, call("mcp__docs__echo"))).evaluated_permission, "allow");
  const properties = { text: { type: "string", title: "Text" }, secret: { type: "string" } };
  of({ type: "object", properties });
  await relist(id, server);
  const { tool_change: change } = useIn(await it.turn(id, call("mcp__docs__echo")));
  assert.deepEqual(change?.after?.input_schema, { type: "object", properties });
});

test("[MCP31] what was denied stays as it was, and each call asks", async () => {
  await using server = await echoes();
  const id = await begun(server);
  describe(server, "Something else.");
  await relist(id, server);
  for (let time = 0; time < 2; time++) {
    const { id: useId, tool_change: change } = useIn(await it.turn(id, call("mcp__docs__echo")));
    assert.equal(change?.before?.description, "Says it.");
    await it.turn(id, confirm(useId, "deny"));
  }
  assert.equal(calls(server), 1);
  describe(server, "Says it.");
  await relist(id, server);
  assert.equal(useIn(await it.turn(id, call("mcp__docs__echo"))).evaluated_permission, "allow");
});

test("[MCP31] a tool that was away and comes back changed is not a new one", async () => {
  await using server = await echoes();
  const id = await begun(server);
  const { echo = {} } = server.tools;
  server.tools = { other: {} };
  await relist(id, server);
  await it.turn(id, said("Go."));
  server.tools = { echo: { ...echo, description: "Deletes it." } };
  await relist(id, server);
  assert.equal(useIn(await it.turn(id, call("mcp__docs__echo"))).evaluated_permission, "ask");
});

test("[MCP31] what a guard denies stays denied", async () => {
  await using server = await echoes();
  it.judge("allow");
  const of = withServers({ url: server.url, policy: "auto" });
  const { id } = await it.make({ model: "guarded", ...of });
  await it.turn(id, call("mcp__docs__echo"));
  describe(server, "Something else.");
  it.judge("deny");
  await relist(id, server, "auto");
  assert.equal(useIn(await it.turn(id, call("mcp__docs__echo"))).evaluated_permission, "deny");
  it.judge("allow");
  assert.equal(useIn(await it.turn(id, call("mcp__docs__echo"))).evaluated_permission, "ask");
});

test("[MCP32] a server at another address has tools of its own", async () => {
  await using server = await echoes();
  await using other = await echoes();
  describe(other, "Another one.");
  const id = await begun(server);
  await relist(id, other);
  assert.equal(useIn(await it.turn(id, call("mcp__docs__echo"))).evaluated_permission, "allow");
});

test("[MCP32] all threads of a session know the same tools", async () => {
  await using server = await echoes();
  const servers = withServers({ url: server.url });
  const member = await it.agent({ name: "Worker", ...servers });
  const multiagent = { type: "coordinator", agents: [member.id] };
  const { id } = await it.make({ ...servers, multiagent });
  await it.turn(id, call("mcp__docs__echo"));
  describe(server, "Something else.");
  // The thread of the worker asks for the list itself, and sees what the session's own has not seen.
  const message = "[[tool mcp__docs__echo {}]]";
  const deep = said(`[[tool send_to_agent ${JSON.stringify({ agent: "Worker", message })}]]`);
  const use = useIn(await it.turn(id, deep));
  assert.match(String(use.session_thread_id), /^sthr_/);
  assert.equal(use.tool_change?.before?.description, "Says it.");
  assert.deepEqual(resultsOf(await it.turn(id, confirm(use.id, "allow"))), ["heard"]);
  await relist(id, server);
  const own = useIn(await it.turn(id, call("mcp__docs__echo")));
  assert.equal(own.evaluated_permission, "allow", "allowed in one thread is allowed in all");
});

test("[MCP33] what is too large to be kept is compared all the same", async () => {
  await using large = await openMcpHouse({ mcp: { schema_bytes_max: 100_000 } });
  await using server = await echoes();
  const properties = (title: string) => ({ text: { type: "string", title } });
  const titled = (title: string) =>
    describe(server, "Long.", { type: "object", properties: properties(title) });
  titled("x".repeat(30_000));
  const id = await large.with({ url: server.url });
  await large.turn(id, call("mcp__docs__echo"));
  for (const [title, after] of [
    ["y".repeat(30_000), null],
    ["short", { description: "Long.", properties: properties("short") }],
  ] as const) {
    titled(title);
    const configs = [{ name: title.slice(0, 5), enabled: false }];
    await large.update(id, { agent: withServers({ url: server.url, configs }) });
    const use = useIn(await large.turn(id, call("mcp__docs__echo")));
    assert.equal(use.evaluated_permission, "ask");
    const { before: was, after: now } = use.tool_change ?? assert.fail("no change");
    assert.equal(was, null);
    const shown = now && { description: now.description, properties: propertiesOf(now) };
    assert.deepEqual(shown, after);
    await large.turn(id, confirm(use.id, "deny"));
  }
});

const propertiesOf = ({ input_schema: schema }: Definition) =>
  (schema as { properties?: object }).properties;

test("[MCP33] what a session knows of tools is in its log, and in no list of events", async () => {
  await using server = await echoes();
  const id = await begun(server);
  describe(server, "Something else.");
  await relist(id, server);
  const { id: useId } = useIn(await it.turn(id, call("mcp__docs__echo")));
  const known = async () => {
    const { db } = it.house.world;
    const [thread] = await db.query<{ id: string }>(
      sql`select id from session_threads where session_id = ${id}`,
    );
    const state = emptyThread(thread?.id ?? "");
    const stored = await read(db, state.id, { limit: 1_000 });
    for (const { position, id: event, type, data } of stored)
      step(state, { position, id: event, event: { type, ...(data as object) } });
    return Object.values(state.seenTools).map(({ definition }) => definition?.description);
  };
  assert.deepEqual(await known(), ["Says it."]);
  const events = await it.turn(id, confirm(useId, "allow"));
  assert.deepEqual(await known(), ["Something else."]);
  assert.ok(events.every(({ type }) => !type.startsWith("internal.")));
});
