// Tasks of `/mcp`, and calls that need a person: what is told of a session's turn, and what its client answers.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  asksPeople,
  knowsTasks,
  mcpClient,
  refusedWith,
  type Fields,
} from "./mcp-endpoint-client.ts";
import { openMcpHouse, withServers, type McpHouse } from "./mcp-house.ts";
import { booking } from "./mcp-questions-house.ts";
import { openMcpServer, words, type TestServer } from "./mcp-server.ts";
import { until } from "./support.ts";

let it: McpHouse;
let server: TestServer;
let environment_id: string;
before(async () => {
  it = await openMcpHouse();
  server = await openMcpServer({
    ...booking,
    echo: { call: (input) => words(String(input["text"])) },
  });
  environment_id = (await it.environment("cloud")).id;
});
after(async () => {
  await server[Symbol.asyncDispose]();
  await it[Symbol.asyncDispose]();
});

const place = () => ({ url: it.house.url, key: it.house.organizations.platform.api_key });
const withTasks = mcpClient(place, knowsTasks);
const withPerson = mcpClient(place, asksPeople);
const alone = mcpClient(place);

const weather = {
  type: "custom",
  name: "weather",
  description: "",
  input_schema: { type: "object" },
};
const agentWith = async (body: object = {}) => (await it.agent(body)).id;
const asking = () => agentWith(withServers({ url: server.url, policy: "always_ask" }));
const run = (agent: string, message: string) => ({
  name: "run_agent",
  arguments: { agent, environment_id, message },
});
const echo = (text: string) => `[[tool mcp__docs__echo {"text": "${text}"}]]`;

async function taskOf(agent: string, message: string): Promise<string> {
  const { result } = await withTasks("tools/call", run(agent, message));
  assert.equal(result["resultType"], "task", JSON.stringify(result));
  for (const absent of ["result", "inputRequests", "requestState", "task", "ttl"])
    assert.equal(result[absent], undefined);
  assert.deepEqual([result["status"], result["ttlMs"]], ["working", null]);
  return String(result["taskId"]);
}

const get = async (taskId: string, url?: string): Promise<Fields> =>
  (await withTasks("tasks/get", { taskId }, url === undefined ? {} : { url })).result;

const reached = (taskId: string, status: string, url?: string) =>
  until(async () => {
    const task = await get(taskId, url);
    return task["status"] === status && task;
  }, `${taskId} to be ${status}`);

test("[MCE20] an agent runs as a task, which any process tells of", async () => {
  const taskId = await taskOf(await agentWith(), "[[say done]]");
  await using second = await it.house.openSecondServer();
  const { result } = await reached(taskId, "completed", second.url);
  const { content, structuredContent } = result as Fields;
  assert.match(content[0].text, /done/);
  assert.equal(structuredContent.stop_reason, "end_turn");
  // What comes later in the session is of another turn.
  await it.turn(String(structuredContent.session_id), {
    type: "user.message",
    content: [{ type: "text", text: "[[say later]]" }],
  });
  const again = await get(taskId);
  assert.deepEqual([again["status"], again["result"]], ["completed", result]);
});

test("[MCE20] what is no task, or another workspace's, is not there", async () => {
  const taskId = await taskOf(await agentWith(), "Hello");
  const stranger = it.house.organizations.other.api_key;
  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
    const given = { taskId, inputResponses: {} };
    const theirs = await withTasks(method, given, { key: stranger });
    const missing = await withTasks(method, { ...given, taskId: "none" });
    const other = await withTasks(method, { ...given, taskId: `${taskId.split(".")[0]}.sevt_0` });
    const longer = await withTasks(method, { ...given, taskId: `${taskId}.more` });
    for (const answered of [theirs, missing, other, longer])
      assert.match(refusedWith(answered, -32602), /^There is no task /);
    const unable = await alone(method, given);
    assert.deepEqual(
      [refusedWith(unable, -32021) !== "", unable.error?.data?.["requiredCapabilities"]],
      [true, { extensions: { "io.modelcontextprotocol/tasks": {} } }],
    );
  }
  for (const method of ["tasks/list", "tasks/result"])
    refusedWith(await withTasks(method, { taskId }), -32601);
});

test("[MCE21] a turn that fails is completed with an error, one that is interrupted cancelled", async () => {
  const failed = await taskOf(await agentWith(), "[[fail status=400]]");
  const task = await reached(failed, "completed");
  assert.equal((task["result"] as Fields)["isError"], true, JSON.stringify(task));
  const slow = await taskOf(await agentWith({ tools: [weather] }), "[[tool weather {}]]");
  await reached(slow, "input_required");
  for (let times = 0; times < 2; times++) {
    const { result } = await withTasks("tasks/cancel", { taskId: slow });
    assert.equal(result["resultType"], "complete");
  }
  const cancelled = await reached(slow, "cancelled");
  assert.equal(cancelled["result"], undefined);
});

test("[MCE22] [MCE25] a person says yes or no to a call, or gives the result of one", async () => {
  const agent = await asking();
  const answers: [Fields, string, RegExp][] = [
    [{ action: "accept" }, "allow", /one/],
    [{ action: "accept", content: { result: "allow" } }, "allow", /two/],
    [{ action: "decline" }, "deny", /three/],
    [{ action: "accept", content: { result: "deny", deny_message: "Not now" } }, "deny", /four/],
  ];
  for (const [at, [answer, result]] of answers.entries()) {
    const word = ["one", "two", "three", "four"][at] ?? "";
    const taskId = await taskOf(agent, echo(word));
    const { inputRequests } = await reached(taskId, "input_required");
    const [[key, request] = []] = Object.entries(inputRequests as Record<string, Fields>);
    const { method, params, type, prompt } = request as Fields;
    assert.deepEqual([method, type, prompt], ["elicitation/create", "elicitation", params.message]);
    assert.match(String(prompt), new RegExp(`run echo of the MCP server docs with .*${word}`));
    // What is neither allow nor deny is no yes.
    for (const no of ["no", "", false, null]) {
      const content = { result: no };
      const inputResponses = { [key ?? ""]: { action: "accept", content } };
      const refused = await withTasks("tasks/update", { taskId, inputResponses });
      assert.match(refusedWith(refused, -32602), /\.content\.result: must be allow or deny\.$/);
    }
    const told = await withTasks("tasks/update", {
      taskId,
      inputResponses: { [key ?? ""]: answer },
    });
    assert.equal(told.result["resultType"], "complete");
    await reached(taskId, "completed");
    const confirmed = await it.events(String(taskId.split(".")[0]), {
      types: "user.tool_confirmation",
    });
    assert.deepEqual(
      confirmed.map((event) => [event["result"], event["deny_message"] ?? null]),
      [[result, (answer["content"] as Fields | undefined)?.["deny_message"] ?? null]],
    );
  }
});

test("[MCE22] questions of an agent's MCP server go on to the client, and its answers back", async () => {
  const agent = await agentWith(withServers({ url: server.url }));
  const taskId = await taskOf(agent, '[[tool mcp__docs__book {"text": "table"}]]');
  const { inputRequests } = await reached(taskId, "input_required");
  const [key = ""] = Object.keys(inputRequests as Fields);
  assert.match(key, /\.who$/);
  assert.equal((inputRequests as Fields)[key].params.message, "For whom?");
  const bad = await withTasks("tasks/update", {
    taskId,
    inputResponses: { [key]: { action: "accept", content: { name: "B" } } },
  });
  assert.match(refusedWith(bad, -32602), /name/);
  const answer = { action: "accept", content: { name: "Berta" } };
  await withTasks("tasks/update", { taskId, inputResponses: { [key]: answer, none: answer } });
  const done = await reached(taskId, "completed");
  assert.match(JSON.stringify(done["result"]), /table: accept Berta/);
});

test("[MCE23] questions are answered one at a time or together, and answers are looked at", async () => {
  const agent = await agentWith({ tools: [weather] });
  const taskId = await taskOf(agent, "[[tools weather {} | weather {}]]");
  const asked = await reached(taskId, "input_required");
  const [first = "", second = ""] = Object.keys(asked["inputRequests"] as Fields);
  assert.notEqual(second, "");
  const update = (inputResponses: unknown) => withTasks("tasks/update", { taskId, inputResponses });
  const cases: [unknown, RegExp][] = [
    [undefined, /: inputResponses: is required/],
    [[], /: inputResponses: must be an object/],
    [{ [first]: "accept" }, /: inputResponses\..*: must be an object/],
    [{ [first]: { method: "elicitation/create", result: {} } }, /\.action: is required/],
    [{ [first]: { action: "maybe" } }, /\.action: must be accept, decline or cancel\.$/],
    [{ [first]: { action: "accept", content: {} } }, /\.content\.result: must be a text\.$/],
    [
      { [first]: { action: "accept", content: { result: "sun", is_error: "yes" } } },
      /\.content\.is_error: must be true or false\.$/,
    ],
  ];
  for (const [given, words] of cases) assert.match(refusedWith(await update(given), -32602), words);
  await update({ [first]: { action: "accept", content: { result: "sun" } } });
  const half = await get(taskId);
  assert.deepEqual(
    [half["status"], Object.keys(half["inputRequests"] as Fields)],
    ["input_required", [second]],
  );
  await update({ [second]: { action: "cancel" } });
  assert.equal((await get(taskId))["status"], "input_required");
  await update({ [first]: { action: "decline" }, [second]: { action: "decline" } });
  await reached(taskId, "completed");
  const results = await it.events(String(taskId.split(".")[0]), {
    types: "user.custom_tool_result",
  });
  assert.deepEqual(
    results.map((event) => event["is_error"] === true),
    [false, true],
  );
});

test("[MCE24] a client without tasks is asked, and makes the call again", async () => {
  const agent = await asking();
  const first = await withPerson("tools/call", run(agent, echo("again")));
  const { resultType, inputRequests, requestState } = first.result;
  assert.deepEqual([resultType, typeof requestState], ["input_required", "string"]);
  const [key = ""] = Object.keys(inputRequests as Fields);
  const resend = (more: Fields, call: Fields = run(agent, echo("again"))) =>
    withPerson("tools/call", { ...call, ...more });
  const inputResponses = { [key]: { action: "accept" } };
  const asked = await resend({ requestState, inputResponses: {} });
  assert.equal(asked.result["resultType"], "input_required", "nothing was answered");
  const done = await resend({ requestState, inputResponses });
  assert.equal(done.result["isError"], undefined, JSON.stringify(done));
  assert.match(done.result["content"][0].text, /again/);
  const twice = await resend({ requestState, inputResponses });
  assert.deepEqual(twice.result["content"], done.result["content"]);
  const { session_id } = done.result["structuredContent"] as Fields;
  const said = await it.events(String(session_id), { types: "user.tool_confirmation" });
  assert.equal(said.length, 1);
});

test("[MCE24] what was changed, carried to another call or is too old is refused", async () => {
  const agent = await asking();
  const call = run(agent, echo("bound"));
  const { result } = await withPerson("tools/call", call);
  const state = String(result["requestState"]);
  const resend = async (requestState: string, given: Fields = call, key?: string) => {
    const more = key === undefined ? {} : { key };
    const params = { ...given, requestState, inputResponses: {} };
    const answered = await withPerson("tools/call", params, more);
    assert.deepEqual(answered.error?.data, { reason: "invalid_request_state" });
    return refusedWith(answered, -32602);
  };
  const [keyId, payload = "", mac] = state.split(".");
  const read = JSON.parse(Buffer.from(payload, "base64url").toString()) as Fields;
  const other = Buffer.from(JSON.stringify({ ...read, until: read["until"] + 1 }));
  await resend([keyId, other.toString("base64url"), mac].join("."));
  await resend("none");
  await resend(state, run(agent, echo("another")));
  await resend(state, { name: "send_to_session", arguments: call.arguments });
  await resend(state, call, it.house.organizations.other.api_key);
  const reordered = {
    name: "run_agent",
    arguments: Object.fromEntries(Object.entries(call.arguments).toReversed()),
  };
  const good = await withPerson("tools/call", {
    ...reordered,
    requestState: state,
    inputResponses: {},
  });
  assert.equal(good.result["resultType"], "input_required");
});

test("[MCE24] a state is good for as long as the setting says", async () => {
  await using short = await openMcpHouse({ mcp_endpoint: { request_state_seconds: 1 } });
  const { api_key: key } = short.house.organizations.platform;
  const { id: agent } = await short.agent({ tools: [weather] });
  const { id } = await short.environment("cloud");
  const client = mcpClient(() => ({ url: short.house.url, key }), asksPeople);
  const call = {
    name: "run_agent",
    arguments: { agent, environment_id: id, message: "[[tool weather {}]]" },
  };
  const { result } = await client("tools/call", call);
  const { requestState } = result;
  const again = () => client("tools/call", { ...call, requestState, inputResponses: {} });
  const refused = await until(async () => {
    const { error } = await again();
    return error;
  }, "the state to expire");
  assert.deepEqual(refused.data, { reason: "invalid_request_state" });
});

test("[MCE10] [MCE24] a client that can ask no person is told which session waits", async () => {
  const { result } = await alone("tools/call", run(await asking(), echo("none")));
  assert.equal(result["isError"], true);
  assert.match(result["content"][0].text, /^The session sesn_\w+ waits for a person/);
});
