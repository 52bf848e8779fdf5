// The unchanged client's runner of a session's tools, and its sum of what is previewed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import {
  accumulateManagedAgentsEvent,
  type AccumulatedEvent,
} from "@anthropic-ai/sdk/lib/sessions/accumulate";
import { openHouse, type House } from "../house.ts";
import { until } from "../rules/support.ts";
import { testTimeoutMs } from "../test-timeout.ts";
import { listeningClient } from "./messages-client.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

type Sessions = typeof Anthropic.prototype.beta.sessions;
type Runner = ReturnType<Sessions["events"]["toolRunner"]>;
type Call = Runner extends AsyncIterable<infer Each> ? Each : never;
type Listed = Anthropic.Beta.Sessions.BetaManagedAgentsSessionEvent;
type AgentTools = NonNullable<Anthropic.Beta.AgentCreateParams["tools"]>;

/** As soon as a turn is over: what comes after its last event would show. */
const maxIdleMs = 500;

const connect = (transport?: typeof fetch) =>
  listeningClient(house, { maxRetries: 2 }, transport).client;

const weather = {
  type: "custom",
  name: "weather",
  description: "The weather of a city.",
  input_schema: { type: "object", properties: { city: { type: "string" } } },
} as const;
const clock = { ...weather, name: "clock", description: "The time." } as const;
const computer = (policy: "always_allow" | "always_ask") =>
  ({
    type: "agent_toolset_20260401",
    default_config: { permission_policy: { type: policy } },
  }) as const;

/** Runs nothing, but says what it was asked to run. */
function runnable(name: string, ran: string[]) {
  return betaTool({
    name,
    description: "What the session's own description says.",
    inputSchema: { type: "object", properties: {} } as const,
    run: (input) => {
      ran.push(`${name} ${JSON.stringify(input)}`);
      return `${name} is done`;
    },
  });
}

async function begin(client: Anthropic, tools: AgentTools) {
  const agent = await client.beta.agents.create({ name: "Helper", model: "sim-small", tools });
  const environment = await client.beta.environments.create({
    name: `lab of ${agent.id}`,
    config: { type: "self_hosted" },
  });
  return client.beta.sessions.create({ agent: agent.id, environment_id: environment.id });
}

const say = (client: Anthropic, id: string, text: string) =>
  client.beta.sessions.events.send(id, {
    events: [{ type: "user.message", content: [{ type: "text", text }] }],
  });

const confirm = (
  client: Anthropic,
  id: string,
  verdict: { tool_use_id: string; result: "allow" | "deny"; deny_message?: string },
) =>
  client.beta.sessions.events.send(id, {
    events: [{ type: "user.tool_confirmation", ...verdict }],
  });

/** Everything that a runner does until it ends by itself. */
async function run(
  client: Anthropic,
  id: string,
  tools: ReturnType<typeof runnable>[],
): Promise<Call[]> {
  const limit = AbortSignal.timeout(testTimeoutMs);
  const calls: Call[] = [];
  const runner = client.beta.sessions.events.toolRunner(id, { tools, maxIdleMs, signal: limit });
  for await (const call of runner) calls.push(call);
  assert.ok(!limit.aborted, "the runner waited in vain for the end of the turn");
  return calls;
}

async function eventsOf(client: Anthropic, id: string): Promise<Listed[]> {
  const listed: Listed[] = [];
  for await (const event of client.beta.sessions.events.list(id)) listed.push(event);
  return listed;
}

/** The answer that ends the turn, and that nothing came after its idle event. */
async function lastWords(client: Anthropic, id: string): Promise<string> {
  const events = await eventsOf(client, id);
  const last = events.at(-1);
  assert.ok(last?.type === "session.status_idle", `${last?.type} came last`);
  assert.equal(last.stop_reason.type, "end_turn");
  const message = events.findLast((event) => event.type === "agent.message");
  return message?.content.map((block) => ("text" in block ? block.text : "")).join("") ?? "";
}

/** The call that waits, when the session has said that it does. */
const waitingCall = (client: Anthropic, id: string): Promise<string> =>
  until(async () => {
    const last = (await eventsOf(client, id)).at(-1);
    return (
      last?.type === "session.status_idle" &&
      last.stop_reason.type === "requires_action" &&
      last.stop_reason.event_ids[0]
    );
  }, "a call that waits");

test("runner: a call that is allowed is run and answered, and the runner ends by itself after the turn", async () => {
  const client = connect();
  const { id } = await begin(client, [computer("always_allow"), weather]);
  const ran: string[] = [];
  const calls = run(client, id, [runnable("bash", ran), runnable("weather", ran)]);
  await say(client, id, 'Look. [[tools bash {"command":"ls"} | weather {"city":"Rome"}]]');
  const done = await calls;
  assert.deepEqual(ran.toSorted(), ['bash {"command":"ls"}', 'weather {"city":"Rome"}']);
  assert.deepEqual(
    done.map(({ name, posted, isError, confirmation }) => [name, posted, isError, confirmation]),
    [
      ["bash", true, false, undefined],
      ["weather", true, false, undefined],
    ],
  );
  assert.match(await lastWords(client, id), /bash answered: "bash is done"\. weather answered/);
});

test("runner: a call that asks is held, and run once it is allowed", async () => {
  const client = connect();
  const { id } = await begin(client, [computer("always_ask")]);
  const ran: string[] = [];
  const calls = run(client, id, [runnable("bash", ran)]);
  await say(client, id, 'Look. [[tool bash {"command":"ls"}]]');
  const call = await waitingCall(client, id);
  assert.deepEqual(ran, []);
  await confirm(client, id, { tool_use_id: call, result: "allow" });
  const [done, ...more] = await calls;
  assert.deepEqual(more, []);
  assert.deepEqual([done?.toolUseId, done?.posted, done?.confirmation], [call, true, "allow"]);
  assert.deepEqual(ran, ['bash {"command":"ls"}']);
  assert.match(await lastWords(client, id), /bash answered: "bash is done"/);
});

test("runner: a call that asks and is denied is not run, and the model is told why", async () => {
  const client = connect();
  const { id } = await begin(client, [computer("always_ask")]);
  const ran: string[] = [];
  const calls = run(client, id, [runnable("bash", ran)]);
  await say(client, id, 'Look. [[tool bash {"command":"ls"}]]');
  const call = await waitingCall(client, id);
  await confirm(client, id, { tool_use_id: call, result: "deny", deny_message: "not today" });
  const done = await calls;
  assert.deepEqual(
    done.map(({ toolUseId, posted, confirmation }) => [toolUseId, posted, confirmation]),
    [[call, false, "deny"]],
  );
  assert.deepEqual(ran, []);
  assert.match(await lastWords(client, id), /bash failed: "The call was denied: not today"/);
});

test("runner: one that comes when a call waits answers it", async () => {
  const client = connect();
  const { id } = await begin(client, [weather]);
  await say(client, id, 'Look. [[tool weather {"city":"Rome"}]]');
  const call = await waitingCall(client, id);
  const ran: string[] = [];
  const done = await run(client, id, [runnable("weather", ran)]);
  assert.deepEqual(
    done.map(({ toolUseId, posted }) => [toolUseId, posted]),
    [[call, true]],
  );
  assert.match(await lastWords(client, id), /weather answered: "weather is done"/);
});

test("runner: one whose stream breaks off finds what was called meanwhile, and runs nothing twice", async () => {
  const broken: AbortController[] = [];
  const breaking: typeof fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (!url.pathname.endsWith("/stream")) return fetch(input, init);
    const breaker = new AbortController();
    broken.push(breaker);
    const given = init?.signal;
    const signal = given == null ? breaker.signal : AbortSignal.any([given, breaker.signal]);
    return fetch(input, { ...init, signal });
  };
  const client = connect();
  const { id } = await begin(client, [weather, clock]);
  const ran: string[] = [];
  const tools = [runnable("weather", ran), runnable("clock", ran)];
  const calls = run(connect(breaking), id, tools);
  await until(async () => broken.length === 1, "the first stream");
  broken[0]?.abort(new TypeError("terminated"));
  await say(client, id, 'Look. [[tool weather {"city":"Rome"}]] [[tool clock]]');
  const done = await calls;
  assert.ok(broken.length > 1, "the runner came back");
  assert.deepEqual(ran, ['weather {"city":"Rome"}', "clock {}"]);
  assert.deepEqual(
    done.map(({ name, posted }) => [name, posted]),
    [
      ["weather", true],
      ["clock", true],
    ],
  );
  assert.match(await lastWords(client, id), /clock answered: "clock is done"/);
});

test("runner: two with tools of their own each answer theirs, and leave the other's alone", async () => {
  const client = connect();
  const { id } = await begin(client, [computer("always_allow"), weather]);
  const [worker, app]: [string[], string[]] = [[], []];
  const both = [
    run(connect(), id, [runnable("bash", worker)]),
    run(connect(), id, [runnable("weather", app)]),
  ];
  await say(
    client,
    id,
    'Look. [[tools bash {"command":"ls"} | weather {"city":"Rome"}]] [[tool weather {"city":"Oslo"}]]',
  );
  const [ofWorker = [], ofApp = []] = await Promise.all(both);
  assert.deepEqual(worker, ['bash {"command":"ls"}']);
  assert.deepEqual(app, ['weather {"city":"Rome"}', 'weather {"city":"Oslo"}']);
  const posted = (calls: Call[]) => calls.filter((call) => call.posted).map(({ name }) => name);
  assert.deepEqual(posted(ofWorker), ["bash"]);
  assert.deepEqual(posted(ofApp), ["weather", "weather"]);
  const results = (await eventsOf(client, id)).filter(({ type }) => type.endsWith("_result"));
  assert.equal(results.length, 3, "each call has one result");
});

test("previews: the client adds them up to what the event then is, block by block", async () => {
  const client = connect();
  const { id } = await begin(client, []);
  const stream = await client.beta.sessions.events.stream(id, {
    event_deltas: ["agent.message", "agent.thinking"],
  });
  await say(client, id, "Write. [[tokens 60]]");
  let sum: AccumulatedEvent | undefined;
  let deltas = 0;
  for await (const event of stream) {
    if (event.type === "event_delta") deltas += 1;
    if (event.type === "agent.message") {
      assert.deepEqual({ ...sum, processed_at: "" }, { ...event, processed_at: "" });
    }
    sum = accumulateManagedAgentsEvent(sum, event);
    if (event.type === "session.status_idle") break;
  }
  assert.ok(deltas > 1, `${deltas} deltas`);
  const listed = await eventsOf(client, id);
  assert.deepEqual(
    listed.find(({ type }) => type === "agent.message"),
    sum,
  );
  assert.ok(!listed.some(({ type }) => type.startsWith("event_")));
});
