// The real program is killed while an MCP server waits to be answered: it is asked once, and one call comes to its end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../kernel/sql-harness.ts";
import { booking, callsOf, secretState } from "../rules/mcp-questions-house.ts";
import { call } from "../rules/mcp-house.ts";
import { openMcpServer, words } from "../rules/mcp-server.ts";
import { typesOf } from "../rules/sessions-house.ts";
import { openAgentOf, questionsIn, resultsIn } from "./mcp-agent.ts";

test("[SES152] kill -9 while a question is open, and as its answer is taken: asked once, one call is completed", async () => {
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
  await using it = await openAgentOf(server.url);
  const begin = () => it.begin(call("mcp__docs__book", { text: "table" }));
  const answer = (id: string, question: string) => it.answer(id, question, { name: "Ada" });

  // Open, when it is killed: the process that comes after goes on from the answer.
  const first = await begin();
  const [question = "", ...others] = questionsIn(await it.idle(first));
  assert.deepEqual(others, []);
  await it.crash();
  assert.deepEqual(questionsIn(await it.idle(first)), [question]);
  assert.equal(callsOf(server), 1);
  await answer(first, question);
  const done = await it.idle(first, 2);
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
    const [asked = ""] = questionsIn(await it.idle(id));
    let release = () => {};
    held = new Promise((resolve) => (release = resolve));
    await answer(id, asked);
    const again = () => callsOf(server) - callsBefore - 1;
    if (when !== "at once") await until("the server has the call", () => again() === 1);
    await it.killed();
    release();
    await it.started();
    const all = await it.idle(id, 2);
    assert.deepEqual(questionsIn(all), [asked]);
    const [told = "", ...more] = resultsIn(all);
    assert.deepEqual(more, []);
    assert.ok(again() <= 1 && completed - before <= 1, `${again()} calls, ${completed - before}`);
    if (/accept Ada/.test(told)) assert.deepEqual([when, completed - before], ["at once", 1]);
    else assert.match(told, /outcome is unknown/);
  }
});
