// The real program is killed at each step of a task of /mcp: the task goes on, and what was answered is answered once.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { scratch, until } from "../kernel/sql-harness.ts";
import { knowsTasks, mcpClient, type Fields } from "../rules/mcp-endpoint-client.ts";
import { ask, initOwner, nothingLeft, startPlinth, type Plinth } from "./plinth.ts";

const beta = { "vendor-beta": "managed-agents-2026-04-01" };

test("[MCE20] kill -9 at each step of a task loses and repeats nothing", async () => {
  using home = scratch();
  const data = join(home.path, "data");
  const { api_key: key } = await initOwner(data);
  let plinth: Plinth = await startPlinth(data);
  const crash = async () => {
    await plinth.killed();
    plinth = await startPlinth(data);
  };
  const client = mcpClient(() => ({ url: plinth.url, key }), knowsTasks);
  const good = async (method: string, params: Fields): Promise<Fields> => {
    const { result, error } = await client(method, params);
    assert.equal(error, undefined, JSON.stringify(error));
    return result;
  };
  const make = async (path: string, body: object) => {
    const headers = { ...beta, "x-api-key": key };
    const made = await ask(plinth.url, "POST", path, { headers, body });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    return String(made.body["id"]);
  };
  const schema = { type: "object" };
  const tools = [{ type: "custom", name: "weather", description: "", input_schema: schema }];
  const agent = await make("/v1/agents", { name: "Asker", model: "sim-small", tools });
  const environment_id = await make("/v1/environments", {
    name: "here",
    config: { type: "cloud" },
  });
  const begin = async (message: string) => {
    const given = { name: "run_agent", arguments: { agent, environment_id, message } };
    return String((await good("tools/call", given))["taskId"]);
  };
  const reached = (taskId: string, status: string) =>
    until(`${taskId} is ${status}`, async () => {
      const task = await good("tasks/get", { taskId });
      return task["status"] === status && task;
    });

  const taskId = await begin("[[tool weather {}]]");
  // As soon as the client has its id, whatever the session is at.
  await crash();
  const [key1 = ""] = Object.keys((await reached(taskId, "input_required"))["inputRequests"]);
  await crash();
  const again = await reached(taskId, "input_required");
  assert.deepEqual(Object.keys(again["inputRequests"]), [key1]);
  const inputResponses = { [key1]: { action: "accept", content: { result: "sunny" } } };
  await good("tasks/update", { taskId, inputResponses });
  await crash();
  // A client that does not know whether its answer came through gives it again.
  await good("tasks/update", { taskId, inputResponses });
  const { result } = await reached(taskId, "completed");
  assert.match(JSON.stringify(result), /sunny/);
  await crash();
  assert.deepEqual((await reached(taskId, "completed"))["result"], result);
  const [session = ""] = taskId.split(".");
  const { body } = await ask(
    plinth.url,
    "GET",
    `/v1/sessions/${session}/events?types=user.custom_tool_result`,
    { headers: { ...beta, "x-api-key": key } },
  );
  assert.equal(body.data.length, 1);

  const slow = await begin("[[tokens 4000]] [[rate 20]]");
  await good("tasks/cancel", { taskId: slow });
  await crash();
  await reached(slow, "cancelled");
  assert.equal((await plinth.stop()).code, 0);
  await nothingLeft(home.path);
});
