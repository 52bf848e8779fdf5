// What a session waits for and a client of /mcp is not asked, asked once, or asked in time.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { asksPeople, knowsTasks, mcpClient, type Fields } from "./mcp-endpoint-client.ts";
import { openHouse, type House } from "../house.ts";
import { computer, sessionsOf } from "./sessions-house.ts";
import { until } from "./support.ts";

let house: House;
let environment_id: string;
const it = sessionsOf(() => house);
before(async () => {
  house = await openHouse();
  environment_id = (await it.environment("self_hosted")).id;
});
after(() => house[Symbol.asyncDispose]());

const place = () => ({ url: house.url, key: house.organizations.platform.api_key });
const withTasks = mcpClient(place, knowsTasks);
const withPerson = mcpClient(place, asksPeople);
const alone = mcpClient(place);

const custom = (name: string) => ({
  type: "custom",
  name,
  description: "",
  input_schema: { type: "object" },
});
const run = async (body: object, message: string) => ({
  name: "run_agent",
  arguments: { agent: (await it.agent(body)).id, environment_id, message },
});
const send = (session_id: string, message: string) => ({
  name: "send_to_session",
  arguments: { session_id, message },
});
const begin = async (body: object, message: string) => {
  const { result } = await withTasks("tools/call", await run(body, message));
  return String(result["taskId"]);
};
const sessionOf = (taskId: string) => String(taskId.split(".")[0]);
const get = async (taskId: string) => (await withTasks("tasks/get", { taskId })).result;
const reached = (taskId: string, status: string) =>
  until(async () => {
    const task = await get(taskId);
    return task["status"] === status && task;
  }, `${taskId} to be ${status}`);
const bash = '[[tool bash {"command": "ls"}]]';

test("[MCE22] what a worker runs is no person's, and is not asked again once a person has allowed it", async () => {
  const taskId = await begin({ tools: [computer("always_ask")] }, bash);
  const { inputRequests } = await reached(taskId, "input_required");
  const [key = ""] = Object.keys(inputRequests as Fields);
  const inputResponses = { [key]: { action: "accept" } };
  await withTasks("tasks/update", { taskId, inputResponses });
  const after = await get(taskId);
  assert.deepEqual([after["status"], after["statusMessage"]], ["working", undefined]);
  await withTasks("tasks/update", { taskId, inputResponses });
  const result = { type: "user.tool_result", tool_use_id: key, content: [] };
  await it.send(sessionOf(taskId), result);
  await reached(taskId, "completed");
});

test("[MCE10] a call waits for a worker as it does for a model", async () => {
  const answering = alone("tools/call", await run({ tools: [computer("always_allow")] }, bash));
  const waiting = await until(async () => {
    const { data } = await it.good<{ data: { id: string }[] }>("GET", "?limit=1");
    const events = await it.events(data[0]?.id ?? "");
    const use = events.find(({ type }) => type === "agent.tool_use");
    // That of the test before has its result.
    const waits = events.at(-1)?.["stop_reason"]?.type === "requires_action";
    return use !== undefined && waits && { session: data[0]?.id ?? "", id: use.id };
  }, "the call of a worker");
  const result = { type: "user.tool_result", tool_use_id: waiting.id, content: [] };
  await it.send(waiting.session, result);
  const { result: answered } = await answering;
  assert.equal(answered["isError"], undefined, JSON.stringify(answered));
});

test("[MCE22] a message to a session that waits asks what it waits for", async () => {
  const waits = await alone(
    "tools/call",
    await run({ tools: [custom("weather")] }, "[[tool weather {}]]"),
  );
  const { session_id } = waits.result["structuredContent"] as Fields;
  const told = await withPerson("tools/call", send(String(session_id), "And now?"));
  assert.equal(told.result["resultType"], "input_required", JSON.stringify(told));
  const unable = await alone("tools/call", send(String(session_id), "And then?"));
  assert.match(unable.result["content"][0].text, /waits for a person/);
});

test("[MCE22] who cancels is not asked again", async () => {
  const call = await run({ tools: [custom("weather")] }, "[[tool weather {}]]");
  const { result } = await withPerson("tools/call", call);
  const [key = ""] = Object.keys(result["inputRequests"] as Fields);
  const { requestState } = result;
  const inputResponses = { [key]: { action: "cancel" } };
  const again = await withPerson("tools/call", { ...call, requestState, inputResponses });
  assert.equal(again.result["isError"], true, JSON.stringify(again));
  assert.match(again.result["content"][0].text, /waits for a person/);
});

test("[MCE22] an agent's own tool named mcp_input is asked about as any other", async () => {
  const body = { tools: [custom("mcp_input")] };
  for (const input of [
    { requests: { a: null } },
    {},
    { requests: { a: { mode: "url", url: "https://evil.example", message: "Sign in" } } },
  ]) {
    const taskId = await begin(body, `[[tool mcp_input ${JSON.stringify(input)}]]`);
    const { inputRequests } = await reached(taskId, "input_required");
    const [request] = Object.values(inputRequests as Record<string, Fields>);
    assert.deepEqual(
      [request?.["params"].mode, request?.["params"].requestedSchema.required],
      [undefined, ["result"]],
    );
  }
});

test("[MCE20] only messages are tasks", async () => {
  const taskId = await begin({}, "Hello");
  await reached(taskId, "completed");
  const idle = (await it.events(sessionOf(taskId))).at(-1)?.id;
  const { error } = await withTasks("tasks/get", { taskId: `${sessionOf(taskId)}.${idle}` });
  assert.equal(error?.code, -32602);
});
