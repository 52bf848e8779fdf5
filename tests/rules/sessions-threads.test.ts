// Sessions whose agent works with others, by the rules of server/sessions: a thread for each of them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { limits } from "../../server/sessions/limits.ts";
import type { Session } from "../../server/sessions/schema.ts";
import { errorOf, type Page } from "./memory-house.ts";
import {
  custom,
  customResult,
  interrupt,
  ofType,
  openSessionHouse,
  said,
  slowly,
  typesOf,
  wordsOf,
  type SessionEvent,
  type SessionHouse,
} from "./sessions-house.ts";
import { until } from "./support.ts";

let it: SessionHouse;
before(async () => {
  it = await openSessionHouse();
});
after(() => it[Symbol.asyncDispose]());

interface ThreadShape {
  id: string;
  parent_thread_id: string | null;
  status: string;
  agent: { name: string; version: number };
  usage: { input_tokens: number; output_tokens: number };
  archived_at: string | null;
}

/** Brackets within the input of a call would end its directive. */
const quoted = (message: string) =>
  JSON.stringify(message).replaceAll("[", "\\u005b").replaceAll("]", "\\u005d");
const sends = (agent: string, message: string) =>
  `send_to_agent {"agent":"${agent}","message":${quoted(message)}}`;
const delegate = (agent: string, message: string) => said(`[[tool ${sends(agent, message)}]]`);

const workers: Record<string, object> = {
  Writer: { tools: [custom("ask_me")] },
  Reader: {},
};

async function begin(names: readonly string[] = ["Writer", "Reader"]): Promise<Session> {
  const agents: string[] = [];
  for (const name of names) agents.push((await it.agent({ name, ...workers[name] })).id);
  return it.make({ name: "Boss", multiagent: { type: "coordinator", agents } });
}

const threads = async ({ id }: Session): Promise<ThreadShape[]> =>
  (await it.good<Page<ThreadShape>>("GET", `/${id}/threads`)).data;
const eventsOf = async ({ id }: Session, thread: string): Promise<SessionEvent[]> =>
  (await it.good<Page<SessionEvent>>("GET", `/${id}/threads/${thread}/events?limit=1000`)).data;

type Span = [startMs: number, endMs: number];

async function childOf(session: Session, name: string): Promise<ThreadShape> {
  const found = (await threads(session)).find(
    ({ agent, parent_thread_id: parent }) => parent !== null && agent.name === name,
  );
  assert(found, `a thread of ${name}`);
  return found;
}

test("[SES42] what is sent to a member is its input, and what it says in the end is the result", async () => {
  const session = await begin();
  const events = await it.turn(session.id, delegate("Reader", "[[say four]] [[tokens 1]]"));
  const [sent] = ofType(events, "agent.thread_message_sent");
  const [received] = ofType(events, "agent.thread_message_received");
  const child = await childOf(session, "Reader");
  assert.deepEqual(
    [sent?.["to_session_thread_id"], sent?.["to_agent_name"], received?.["from_agent_name"]],
    [child.id, "Reader", "Reader"],
  );
  const own = await eventsOf(session, child.id);
  assert.deepEqual(own[0]?.["content"], sent?.["content"]);
  assert.deepEqual(ofType(own, "agent.thread_message_sent")[0]?.["content"], received?.["content"]);
  assert.match(wordsOf(events).join(), /send_to_agent answered/);
  assert.equal(ofType(events, "session.status_idle").length, 1);
});

test("[SES42] a member that is asked again goes on with what it knows; asked twice at once it has two threads", async () => {
  const session = await begin();
  await it.turn(session.id, delegate("Reader", "one"));
  await it.turn(session.id, delegate("Reader", "two"));
  const child = await childOf(session, "Reader");
  assert.equal((await threads(session)).length, 2);
  const received = ofType(await eventsOf(session, child.id), "agent.thread_message_received");
  assert.deepEqual(
    received.map(({ content }) => content[0].text),
    ["one", "two"],
  );
  await it.turn(session.id, said(`[[tools ${sends("Reader", "a")} | ${sends("Reader", "b")}]]`));
  assert.equal((await threads(session)).length, 3);
});

test("[SES42] the member has the version that the agent names, and no members of its own", async () => {
  const { id: inner } = await it.agent({ name: "Inner" });
  const { id } = await it.agent({ name: "Reader" });
  const session = await it.make({
    name: "Boss",
    multiagent: { type: "coordinator", agents: [id, { type: "self" }] },
  });
  await it.askGood("POST", `/v1/agents/${id}`, { body: { description: "newer" } });
  await it.turn(session.id, delegate("Reader", "one"));
  assert.equal((await childOf(session, "Reader")).agent.version, 1);
  const events = await it.turn(session.id, delegate("Boss", `[[tool ${sends("Inner", "no")}]]`));
  assert.equal(ofType(events, "session.thread_created").length, 1);
  assert.ok(inner);
});

test("[SES43] threads work at the same time, and the session's usage is the sum of theirs", async () => {
  const session = await begin();
  const slow = "[[tokens 30]] [[rate 15]]";
  const startedMs = Date.now();
  await it.turn(session.id, said(`[[tools ${sends("Writer", slow)} | ${sends("Reader", slow)}]]`));
  const all = await threads(session);
  const runs = await Promise.all(
    all.slice(1).map(async ({ id }) => {
      const events = await eventsOf(session, id);
      const timeOf = (type: string) => Date.parse(String(ofType(events, type)[0]?.processed_at));
      return [timeOf("span.model_request_start"), timeOf("span.model_request_end")];
    }),
  );
  assert.equal(runs.length, 2);
  const [[firstStart, firstEnd], [secondStart, secondEnd]] = runs as [Span, Span];
  assert.ok(
    firstStart < secondEnd && secondStart < firstEnd,
    `one after the other: ${runs.join()}`,
  );
  assert.ok(startedMs <= firstStart);
  const { usage } = await it.read(session.id);
  const sum = (of: (thread: ThreadShape) => number) =>
    all.reduce((total, each) => total + of(each), 0);
  assert.equal(all.length, 3);
  assert.equal(
    usage.input_tokens,
    sum(({ usage: { input_tokens } }) => input_tokens),
  );
  assert.equal(
    usage.output_tokens,
    sum(({ usage: { output_tokens } }) => output_tokens),
  );
});

test("[SES44][SES45] a call of a member is told in the session's thread, and its answer goes back to the member", async () => {
  const session = await begin();
  const [first] = await it.send(session.id, delegate("Writer", "[[tool ask_me {}]]"));
  const events = await it.idle(session.id);
  const child = await childOf(session, "Writer");
  const [call] = ofType(events, "agent.custom_tool_use");
  assert.equal(call?.["session_thread_id"], child.id);
  assert.deepEqual(events.at(-1)?.["stop_reason"], {
    type: "requires_action",
    event_ids: [call?.id],
  });
  assert.equal((await it.read(session.id)).status, "idle");
  assert.deepEqual(
    (await threads(session)).map(({ status }) => status),
    ["running", "idle"],
  );
  const own = await eventsOf(session, child.id);
  const [ownCall] = ofType(own, "agent.custom_tool_use");
  assert.deepEqual(ownCall, call);
  const rest = await it.turn(session.id, customResult(call?.id ?? "", "42"));
  assert.equal(rest[0]?.["session_thread_id"], child.id);
  assert.deepEqual(typesOf(rest).slice(1, 3), [
    "session.status_running",
    "session.thread_status_running",
  ]);
  assert.match(JSON.stringify(ofType(rest, "agent.thread_message_received")), /42/);
  assert.ok(first);
});

test("[SES44] a session runs as long as one of its threads does something, and says so once", async () => {
  const session = await begin();
  const events = await it.turn(session.id, delegate("Reader", "one"));
  const told = typesOf(events).filter((type) => type.startsWith("session.status_"));
  assert.deepEqual(told, ["session.status_running", "session.status_idle"]);
  const created = ofType(events, "session.thread_created")[0];
  assert.deepEqual([created?.["agent_name"], created?.["workflow_run_id"]], ["Reader", null]);
});

test("[SES45] an interrupt without a thread is for all; what was given away has no result any more", async () => {
  const session = await begin();
  await it.send(session.id, delegate("Reader", slowly));
  await it.seen(session.id, "session.thread_created");
  const rest = await it.turn(session.id, interrupt);
  assert.deepEqual(rest.at(-1)?.["stop_reason"], { type: "end_turn" });
  assert.deepEqual(
    (await threads(session)).map(({ status }) => status),
    ["idle", "idle"],
  );
  assert.equal(ofType(rest, "agent.message").length, 0);
});

test("[SES45] an interrupt of one thread is the result that the other one gets", async () => {
  const session = await begin();
  await it.send(session.id, delegate("Reader", slowly));
  await it.seen(session.id, "session.thread_created");
  const child = await childOf(session, "Reader");
  const rest = await it.turn(session.id, { ...interrupt, session_thread_id: child.id });
  assert.equal(rest[0]?.["session_thread_id"], child.id);
  assert.match(JSON.stringify(ofType(rest, "agent.thread_message_received")), /interrupted/);
  assert.equal(ofType(rest, "agent.message").length, 1);
  const other = await begin();
  const foreign = { ...interrupt, session_thread_id: (await threads(other))[0]?.id };
  errorOf(await it.trySend(session.id, [foreign]), 404);
});

test("[SES46] a thread that is idle is archived and asked no more", async () => {
  const session = await begin();
  await it.turn(session.id, delegate("Reader", "one"));
  const child = await childOf(session, "Reader");
  const archive = (id: string) => it.call("POST", `/${session.id}/threads/${id}/archive`);
  const archived = (await archive(child.id)).body as ThreadShape;
  assert.equal(archived.status, "terminated");
  assert.deepEqual((await archive(child.id)).body, archived);
  await it.turn(session.id, delegate("Reader", "two"));
  assert.equal((await threads(session)).length, 3);
  const [own] = await threads(session);
  errorOf(await archive(own?.id ?? ""), 400);
  await it.send(session.id, delegate("Writer", slowly));
  const busy = await until(async () => {
    const all = await threads(session);
    return all.find(({ agent, status }) => agent.name === "Writer" && status === "running");
  }, "a thread that runs");
  errorOf(await archive(busy.id), 400, "thread_running");
  await it.turn(session.id, interrupt);
});

test("[SES46] what names no member, and what needs a thread too many, is refused to the model", async () => {
  const session = await begin(["Reader"]);
  const events = await it.turn(session.id, delegate("Nobody", "one"));
  const [call] = ofType(events, "agent.tool_use");
  assert.equal(call?.["evaluated_permission"], "deny");
  assert.equal(ofType(events, "agent.tool_result")[0]?.["is_error"], true);
  const calls = Array.from({ length: limits.threadsMax }, (_, at) => sends("Reader", `${at}`));
  const rest = await it.turn(session.id, said(`[[tools ${calls.join(" | ")}]]`));
  assert.equal(ofType(rest, "session.thread_created").length, limits.threadsMax - 1);
  assert.equal(ofType(rest, "agent.tool_use").length, 1);
  assert.equal((await threads(session)).length, 20);
});
