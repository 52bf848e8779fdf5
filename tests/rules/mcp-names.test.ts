// Rules MCP37 to MCP39 and MCP44, over HTTP: which tools of MCP servers a model is offered, and how they are called.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { read } from "../../kernel/log/log.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { step } from "../../server/sessions/conversation/fold.ts";
import { emptyThread, type ThreadState } from "../../server/sessions/conversation/state.ts";
import { withServerTools } from "../../server/sessions/servers/names.ts";
import {
  call,
  namesIn,
  openMcpHouse,
  resultsOf,
  withServers,
  type McpHouse,
  type ServerInAgent,
} from "./mcp-house.ts";
import { openMcpServer, words, type Tools } from "./mcp-server.ts";
import { custom, ofType, said } from "./sessions-house.ts";

let it: McpHouse;
before(async () => {
  it = await openMcpHouse();
});
after(() => it[Symbol.asyncDispose]());

const says = (text: string, ...names: readonly string[]): Tools =>
  Object.fromEntries(names.map((name) => [name, { call: () => words(text) }]));

/** Their lists are not asked for again within a minute: another toolset is. */
let times = 0;
const newest = () => [{ name: `none_${times++}`, enabled: false }];

test("[MCP37] a tool has its own name where no other has it, else that of its server before it", async () => {
  const long = "n".repeat(65);
  const odd = ["Bash", "read", "web_search", "send_to_agent", "mcp_input", "mcp__other__x"];
  await using one = await openMcpServer(
    says("one", "find", "both", "Case", "mine", "hidden", "a.b", "1st", long, ...odd),
  );
  await using two = await openMcpServer(says("two", "both", "case", "hidden"));
  const servers = withServers(
    { url: one.url, name: "first" },
    { url: two.url, name: "second", configs: [{ name: "hidden", enabled: false }] },
  );
  const { id } = await it.make({
    model: "eyes",
    ...servers,
    tools: [...servers.tools, custom("Mine")],
  });
  const names = namesIn(await it.look(id));
  const plain = ["both", "Case", "mine", "1st", long, ...odd];
  const mark = /^mcp__first__a_b__[0-9a-f]{12}$/;
  assert.deepEqual(
    names.filter((name) => !mark.test(name)).toSorted(),
    [
      "Mine",
      "find",
      "hidden",
      "mcp__second__both",
      "mcp__second__case",
      ...plain.map((name) => `mcp__first__${name}`),
    ].toSorted(),
  );
  assert.equal(new Set(names).size, names.length);
  assert.equal(names.filter((name) => mark.test(name)).length, 1);
});

test("[MCP37] a name has letters of both cases, digits, _ and -, and does not begin as names made of two", async () => {
  const good = ["n".repeat(64), "Find_it-2", "Z"];
  const bad = ["MCP__docs__x", "_x"];
  await using server = await openMcpServer(says("x", ...good, ...bad));
  const names = namesIn(await it.look(await it.looking({ url: server.url })));
  assert.deepEqual(names.filter((name) => !name.startsWith("mcp__")).toSorted(), good.toSorted());
  assert.equal(names.length, good.length + bad.length);
});

test("[MCP37] both names are the tool's, and events have the names of server and tool", async () => {
  await using server = await openMcpServer({
    echo: { call: ({ text }) => words(`heard ${String(text)}`) },
  });
  for (const policy of ["always_allow", "auto"]) {
    it.judge("allow");
    const { id } = await it.make({
      model: "guarded",
      ...withServers({ url: server.url, policy }),
    });
    for (const called of ["echo", "mcp__docs__echo"]) {
      const events = await it.turn(id, call(called, { text: policy }));
      const [use] = ofType(events, "agent.mcp_tool_use");
      assert.deepEqual([use?.mcp_server_name, use?.name], ["docs", "echo"]);
      assert.equal(use?.evaluated_permission, "allow", policy);
      assert.deepEqual(resultsOf(events), [`heard ${policy}`]);
    }
    const [other] = ofType(await it.turn(id, call("ECHO")), "agent.tool_use");
    assert.equal(other?.evaluated_permission, "deny");
  }
});

test("[MCP38] a name that was decided stays, whatever servers and tools come and go", async () => {
  await using one = await openMcpServer(says("one", "find", "both"));
  await using two = await openMcpServer(says("two", "both"));
  await using three = await openMcpServer(says("three", "find"));
  const first = { url: one.url, name: "first" };
  const second = { url: two.url, name: "second" };
  const third = { url: three.url, name: "third" };
  const id = await it.looking(first, second);
  const looked = async (...servers: readonly ServerInAgent[]) => {
    await it.update(id, { agent: withServers(...servers) });
    return namesIn(await it.look(id));
  };
  assert.deepEqual(namesIn(await it.look(id)), ["find", "mcp__first__both", "mcp__second__both"]);
  // One that comes later and is called the same has the long name; what was not alone once does not become so.
  assert.deepEqual(await looked(first, third), ["find", "mcp__first__both", "mcp__third__find"]);
  assert.deepEqual(await looked(third), ["mcp__third__find"]);
  assert.deepEqual(await looked(first), ["find", "mcp__first__both"]);
  // At another address the tools of the server are others, under their names.
  assert.deepEqual(await looked({ ...third, name: "first" }), ["find"]);
  // One that is written otherwise by now is another tool, and the name is not its own.
  one.tools = says("one", "Find");
  assert.deepEqual(await looked({ ...first, configs: newest() }), ["mcp__first__Find"]);
  // Another session begins anew.
  assert.deepEqual(namesIn(await it.look(await it.looking(third))), ["find"]);
});

test("[MCP38] a tool of the agent's own takes the name, and does not give it back", async () => {
  await using server = await openMcpServer(says("server", "find"));
  const id = await it.looking({ url: server.url });
  assert.deepEqual(namesIn(await it.look(id)), ["find"]);
  const servers = withServers({ url: server.url });
  const look = async (...own: readonly object[]) => {
    await it.update(id, { agent: { ...servers, tools: [...servers.tools, ...own] } });
    return namesIn(await it.look(id));
  };
  assert.deepEqual(await look(custom("find")), ["find", "mcp__docs__find"]);
  assert.deepEqual(await look(), ["mcp__docs__find"]);
});

test("[MCP38] each thread has names of its own, which hold in every process", async () => {
  await using one = await openMcpServer(says("one", "find"));
  await using two = await openMcpServer(says("two", "find"));
  const member = await it.agent({
    name: "Worker",
    ...withServers({ url: two.url, name: "second" }),
  });
  const { id } = await it.make({
    ...withServers({ url: one.url, name: "first" }),
    multiagent: { type: "coordinator", agents: [member.id] },
  });
  assert.deepEqual(resultsOf(await it.turn(id, call("find"))), ["one"]);
  const deep = call("find").content[0]?.text;
  const sent = { agent: "Worker", message: deep };
  const events = await it.turn(id, said(`[[tool send_to_agent ${JSON.stringify(sent)}]]`));
  const uses = ofType(events, "agent.mcp_tool_use");
  assert.deepEqual(
    uses.map(({ mcp_server_name, name }) => [mcp_server_name, name]),
    [["second", "find"]],
  );
  assert.deepEqual(ofType(events, "session.error"), []);
});

test("[MCP38] names are decided for a thousand, and none is decided twice", () => {
  const facts = { id: "t", agentName: "A", agent: null, status: "idle", parentId: null } as const;
  const remoteOf = (name: string, server: string) => {
    const longName = `mcp__${server}__${name}`;
    const remote = { server, url: "https://docs.example.com/mcp", name, longName };
    return { kind: "mcp", name: longName, ...empty, remote } as const;
  };
  const state = emptyThread("t");
  const offer = (...names: readonly string[]) => {
    const offered = names.map((name) => remoteOf(name, "docs"));
    const { tools, decided } = withServerTools({ state, facts }, [], offered);
    for (const naming of decided) state.toolNames[naming.name.toLowerCase()] = naming;
    return { names: tools.map(({ name }) => name), decided: decided.length };
  };
  const all = Array.from({ length: 1_001 }, (_, at) => `tool_${at}`);
  const bare = all.slice(0, 1_000);
  assert.deepEqual(offer(...all), { names: [...bare, "mcp__docs__tool_1000"], decided: 1_000 });
  assert.deepEqual(offer("more", "tool_7"), { names: ["mcp__docs__more", "tool_7"], decided: 0 });
  const own = { kind: "custom", name: "tool_7", ...empty } as const;
  const lose = () => {
    const offered = [remoteOf("tool_7", "docs")];
    const { decided } = withServerTools({ state, facts }, [own], offered);
    for (const naming of decided) state.toolNames[naming.name] = naming;
    return decided;
  };
  // It was decided already: that the agent has a tool that is called so is kept all the same, once.
  assert.deepEqual(lose(), [{ name: "tool_7", server: null }]);
  assert.deepEqual(lose(), []);
});

test("[MCP39] a tool that is gone is told as its server's by its own name too", async () => {
  await using server = await openMcpServer(says("here", "find", "stay"));
  const id = await it.with({ url: server.url });
  assert.deepEqual(resultsOf(await it.turn(id, call("find"))), ["here"]);
  delete server.tools["find"];
  await it.update(id, { agent: withServers({ url: server.url, configs: newest() }) });
  const events = await it.turn(id, call("find"));
  const [use] = ofType(events, "agent.mcp_tool_use");
  assert.deepEqual(
    [use?.mcp_server_name, use?.name, use?.evaluated_permission],
    ["docs", "find", "deny"],
  );
  assert.match(resultsOf(events)[0] ?? "", /is not there any more/);
  // A name that was never decided is that of no tool.
  assert.equal(ofType(await it.turn(id, call("never")), "agent.tool_use").length, 1);
});

test("[MCP38] [MCP39] names are in the log; without them a thread keeps those of the tools that it knows", async () => {
  await using server = await openMcpServer(says("here", "find"));
  const id = await it.looking({ url: server.url });
  assert.deepEqual(namesIn(await it.look(id)), ["find"]);
  const { db } = it.house.world;
  const [thread] = await db.query<{ id: string }>(
    sql`select id from session_threads where session_id = ${id}`,
  );
  const stored = await read(db, thread?.id ?? "", { limit: 1_000 });
  const stateOf = (isKept: (type: string) => boolean) => {
    const state = emptyThread(thread?.id ?? "");
    for (const { position, id: event, type, data } of stored)
      if (isKept(type)) step(state, { position, id: event, event: { type, ...(data as object) } });
    return state;
  };
  const offered = ["find", "more"].map((name) => {
    const remote = { server: "docs", url: server.url, name, longName: `mcp__docs__${name}` };
    const { longName } = remote;
    return { kind: "mcp", name: longName, ...empty, remote } as const;
  });
  const namesOf = (state: ThreadState, parentId: string | null = null) => {
    const facts = { id: state.id, agentName: "A", agent: null, status: "idle", parentId };
    return withServerTools({ state, facts }, [], offered).tools.map(({ name }) => name);
  };
  assert.deepEqual(namesOf(stateOf(() => true)), ["find", "more"]);
  // As logs were before names were decided.
  const old = stateOf((type) => type !== "internal.mcp_tools_named");
  assert.deepEqual(namesOf(old), ["mcp__docs__find", "more"]);
  // Other threads do not know which tools were theirs.
  assert.deepEqual(namesOf(old, "other"), ["mcp__docs__find", "mcp__docs__more"]);
});

const empty = { description: "", inputSchema: {}, policy: "always_allow" } as const;

test("[MCP44] a tool that is for its page alone is offered to no model, and a call of it is not run", async () => {
  let calls = 0;
  const hidden = { meta: { ui: { visibility: ["app"] } }, call: () => words(`${(calls += 1)}`) };
  await using server = await openMcpServer({
    refresh: hidden,
    show: { meta: { ui: { visibility: ["model", "app"] } } },
  });
  const one = { url: server.url };
  assert.deepEqual(namesIn(await it.look(await it.looking(one))), ["show"]);
  const id = await it.with(one);
  await it.turn(id, call("mcp__docs__refresh"));
  assert.equal(calls, 0);
});
