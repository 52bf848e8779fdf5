// The real program is killed while a call waits for a person over its own connection: what came of it is not known.
import assert from "node:assert/strict";
import { test } from "node:test";
import { call } from "../rules/mcp-house.ts";
import { accepted, answered, callsOf, person } from "../rules/mcp-questions-house.ts";
import { openMcpServer, words } from "../rules/mcp-server.ts";
import { openAgentOf, questionsIn, resultsIn } from "./mcp-agent.ts";

test("[SES160] kill -9 while a call is held for an answer: the call is unknown, and its question closed", async () => {
  const params = { message: "Who?", requestedSchema: person };
  await using server = await openMcpServer(
    {
      book: {
        call: async (_input, _signal, { ask }) =>
          words(JSON.stringify(await ask("elicitation/create", params))),
      },
    },
    "legacy",
  );
  await using it = await openAgentOf(server.url);
  const ada = (question: string) => answered(question, { answer: accepted({ name: "Ada" }) });
  const id = await it.begin(call("mcp__docs__book"));
  const [question = ""] = questionsIn(await it.idle(id));
  await it.crash();
  const all = await it.idle(id, 2);
  assert.match(resultsIn(all).join(), /The outcome is unknown/);
  assert.equal(callsOf(server), 1);
  await assert.rejects(it.send(id, ada(question)), /tool_call_not_pending/);
  // Another call is asked for anew, and answered.
  await it.send(id, call("mcp__docs__book"));
  const [, other = ""] = questionsIn(await it.idle(id, 3));
  await it.send(id, ada(other));
  const [, result] = resultsIn(await it.idle(id, 4));
  assert.match(result ?? "", /accept/);
  assert.equal(callsOf(server), 2);
});
