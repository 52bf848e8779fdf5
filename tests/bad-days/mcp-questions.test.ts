// The real program is killed while an MCP server waits to be answered: it is asked once, and one call comes to its end.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scratch, until } from "../kernel/sql-harness.ts";
import { accepted, answered, booking, callsOf, secretState } from "../rules/mcp-questions-house.ts";
import { call, toLoopback, withServers } from "../rules/mcp-house.ts";
import { openMcpServer, words } from "../rules/mcp-server.ts";
import { ofType, typesOf, type SessionEvent } from "../rules/sessions-house.ts";
import { ask, initOwner, nothingLeft, startPlinth, type Plinth } from "./plinth.ts";

const beta = { "vendor-beta": "managed-agents-2026-04-01" };

test("[SES152] kill -9 while a question is open, and as its answer is taken: asked once, one call is completed", async () => {
  using home = scratch();
  const data = join(home.path, "data");
  const config = join(home.path, "plinth.config.json");
  writeFileSync(config, JSON.stringify({ network: toLoopback }));
  const env = { PLINTH_CONFIG: config };
  const { api_key: key } = await initOwner(data, [], { env });
  /** How many calls have come to their end, and what holds up the next one. */
  let completed = 0;
  let held = Promise.resolve();
  const book = booking["book"]?.call;
  await using server = await openMcpServer({
    book: {
      call: async (input, signal, again) => {
        assert.ok(book !== undefined);
        if (again.state === undefined) return book(input, signal, again);
        await held;
        if (signal.aborted) return words("No one waits for this any more");
        completed += 1;
        return book(input, signal, again);
      },
    },
  });
  let plinth: Plinth = await startPlinth(data, { env });
  const crash = async () => {
    await plinth.killed();
    plinth = await startPlinth(data, { env });
  };
  const good = async (method: string, path: string, body?: object) => {
    const headers = { ...beta, "x-api-key": key };
    const given = { headers, ...(body && { body }) };
    const reply = await ask(plinth.url, method, path, given);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body as { id: string; data: SessionEvent[] };
  };
  const servers = withServers({ url: server.url });
  const agent = await good("POST", "/v1/agents", { name: "Asker", model: "sim-small", ...servers });
  const lab = await good("POST", "/v1/environments", {
    name: "lab",
    config: { type: "self_hosted" },
  });
  const begin = async () => {
    const body = {
      agent: agent.id,
      environment_id: lab.id,
      initial_events: [call("mcp__docs__book", { text: "table" })],
    };
    return (await good("POST", "/v1/sessions", body)).id;
  };
  const events = async (id: string) =>
    (await good("GET", `/v1/sessions/${id}/events?limit=1000`)).data;
  const idle = (id: string, times = 1) =>
    until(`${id} is idle`, async () => {
      const all = await events(id);
      const idles = ofType(all, "session.status_idle");
      return all.at(-1)?.type === "session.status_idle" && idles.length >= times && all;
    });
  const answer = async (id: string, question: string) => {
    const sent = [answered(question, { who: accepted({ name: "Ada" }) })];
    await good("POST", `/v1/sessions/${id}/events`, { events: sent });
  };
  const questionsIn = (all: readonly SessionEvent[]) =>
    ofType(all, "agent.custom_tool_use").map((each) => each.id);
  const resultsIn = (all: readonly SessionEvent[]) =>
    ofType(all, "agent.mcp_tool_result").map(({ content }) => JSON.stringify(content));

  // Open, when it is killed: the process that comes after goes on from the answer.
  const first = await begin();
  const [question = "", ...others] = questionsIn(await idle(first));
  assert.deepEqual(others, []);
  await crash();
  assert.deepEqual(questionsIn(await idle(first)), [question]);
  assert.equal(callsOf(server), 1);
  await answer(first, question);
  const done = await idle(first, 2);
  assert.deepEqual(questionsIn(done), [question], typesOf(done).join());
  assert.deepEqual(resultsIn(done), [
    JSON.stringify([{ type: "text", text: `table: accept Ada, ${secretState}` }]),
  ]);
  assert.deepEqual([completed, callsOf(server)], [1, 2]);

  // The call is made with the answer by the process that took it or by the next one, or it had begun when its process
  // died and is told as unknown. It is not made twice, and the question is not asked again.
  for (const when of ["at once", "as the server has the call", "at once"] as const) {
    const [before, callsBefore] = [completed, callsOf(server)];
    const id = await begin();
    const [asked = ""] = questionsIn(await idle(id));
    let release = () => {};
    held = new Promise((resolve) => (release = resolve));
    await answer(id, asked);
    const again = () => callsOf(server) - callsBefore - 1;
    if (when !== "at once") await until("the server has the call", () => again() === 1);
    await plinth.killed();
    release();
    plinth = await startPlinth(data, { env });
    const all = await idle(id, 2);
    assert.deepEqual(questionsIn(all), [asked]);
    const [told = "", ...more] = resultsIn(all);
    assert.deepEqual(more, []);
    assert.ok(again() <= 1 && completed - before <= 1, `${again()} calls, ${completed - before}`);
    if (/accept Ada/.test(told)) assert.deepEqual([when, completed - before], ["at once", 1]);
    else assert.match(told, /outcome is unknown/);
  }
  assert.equal((await plinth.stop()).code, 0);
  await nothingLeft(home.path);
});
