// Rules of sessions where one thing must leave another alone: threads beside threads, and what waits beside what runs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  custom,
  customResult,
  interrupt,
  ofType,
  openSessionHouse,
  said,
  typesOf,
  type SessionEvent,
  type SessionHouse,
} from "./sessions-house.ts";
import { until } from "./support.ts";

let it: SessionHouse;
before(async () => {
  it = await openSessionHouse();
});
after(() => it[Symbol.asyncDispose]());

const give = (message: string) =>
  `[[tool send_to_agent {"agent":"Worker","message":${JSON.stringify(message)}}]] go`;

async function makeTeam(): Promise<string> {
  const worker = await it.agent({ name: "Worker", tools: [custom("look")] });
  const { id } = await it.make({
    name: "Lead",
    multiagent: { type: "coordinator", agents: [worker.id] },
  });
  return id;
}

const memberOf = async (id: string): Promise<string> => {
  const { data } = await it.good<{ data: { id: string; parent_thread_id: string | null }[] }>(
    "GET",
    `/${id}/threads`,
  );
  return data.find(({ parent_thread_id: parent }) => parent !== null)?.id ?? assert.fail(id);
};
const eventsOfMember = async (id: string, thread: string) =>
  (await it.good<{ data: SessionEvent[] }>("GET", `/${id}/threads/${thread}/events?limit=1000`))
    .data;
const expectInOrder = (events: readonly SessionEvent[]) => {
  const times = events.map(({ processed_at }) => processed_at ?? "");
  assert.deepEqual(times, times.toSorted());
};

test("[SES46] archiving or interrupting an idle member leaves what its coordinator's model writes", async () => {
  const id = await makeTeam();
  await it.turn(id, said(give("Hello.")));
  const member = await memberOf(id);
  const before = (await it.events(id)).length;
  await it.send(id, said("[[rate 40]] [[tokens 40]] Tell me."));
  await until(
    async () => (await it.events(id)).at(-1)?.type === "span.model_request_start",
    "the model to be asked",
  );
  await it.send(id, { ...interrupt, session_thread_id: member });
  await it.good("POST", `/${id}/threads/${member}/archive`);
  const turn = (await it.idle(id)).slice(before);
  assert.equal(ofType(turn, "span.model_request_start").length, 1);
  assert.equal(ofType(turn, "span.model_request_end").length, 1);
  assert.equal(ofType(turn, "agent.message").length, 1);
  assert.equal(turn.at(-1)?.["stop_reason"].type, "end_turn");
});

test("[SES44] what closes a member's call is told where the call was, and the logs are in the order of time", async () => {
  const id = await makeTeam();
  await it.turn(id, said(give("Hello.")));
  const member = await memberOf(id);
  await using stream = await it.stream(id, { path: `threads/${member}/stream` });
  await it.send(id, said(give("[[tool look {}]] Now.")));
  const use = await it.seen(id, "agent.custom_tool_use");
  const turn = await it.turn(id, interrupt);
  const [result] = ofType(turn, "agent.tool_result").filter(
    (each) => each["tool_use_id"] === use.id,
  );
  assert.equal(result?.["session_thread_id"], member);
  const own = await eventsOfMember(id, member);
  assert.ok(own.some((event) => event.id === result?.id && event.type === "agent.tool_result"));
  expectInOrder(await it.events(id));
  expectInOrder(own);
  const [received] = await stream.through("agent.thread_message_received");
  assert.deepEqual(
    own.find((event) => event.id === received?.id),
    received,
  );
});

test("[SES14] what is sent while a budget is spent waits until it is raised, or until the session ends", async () => {
  const budget = (amount: string) => ({
    type: "limit",
    max_list_cost: { amount, currency: "USD" },
  });
  const { id } = await it.make({ model: "sim-large" }, { budget: budget("1") });
  await it.turn(id, said("[[tokens 2000]] Much."));
  await it.send(id, said("one"));
  await until(
    async () => (await it.events(id)).at(-1)?.["stop_reason"]?.type === "budget_reached",
    "the budget to be spent",
  );
  const sent = [
    ...(await it.send(id, said("two"), said("three"))),
    ...(await it.send(id, said("four"))),
  ];
  assert.deepEqual(
    sent.map(({ processed_at }) => processed_at),
    [null, null, null],
  );
  await it.archive(id);
  assert.ok((await it.events(id)).every(({ processed_at }) => processed_at !== null));
});

test("[SES14] a message that comes with the last answer to a call waits behind those that wait", async () => {
  const { id } = await it.make({ tools: [custom("look")] });
  const turn = await it.turn(id, said("[[tool look {}]] Go."));
  const [use] = ofType(turn, "agent.custom_tool_use");
  const [two] = await it.send(id, said("two"));
  const [, three] = await it.send(id, customResult(use?.id ?? "", "Seen."), said("three"));
  assert.deepEqual([two?.processed_at, three?.processed_at], [null, null]);
  const all = await it.idle(id);
  const timeOf = (event: SessionEvent | undefined) =>
    all.find((each) => each.id === event?.id)?.processed_at ?? "";
  assert.ok(timeOf(two) < timeOf(three));
  assert.equal(ofType(all, "session.status_idle").length, 4);
});

test("[SES51] a session that waits for an answer takes no more than its thousand, but with an interrupt", async () => {
  const { id } = await it.make({ tools: [custom("look")] });
  await it.turn(id, said("[[tool look {}]] Go."));
  const fifty = Array.from({ length: 50 }, () => said("q"));
  for (let sent = 0; sent < 1_000; sent += 50) await it.send(id, ...fifty);
  await it.refuses(id, [said("q")], "too_many_waiting", /events: 1000 messages wait/);
  await it.send(id, interrupt, said("Hello"));
  const last = () => it.eventsPage(id, { order: "desc", limit: 1 });
  await until(async () => {
    const [event] = (await last()).data;
    return event?.type === "session.status_idle" && event["stop_reason"].type === "end_turn";
  }, "the turn of what came with the interrupt");
  const newest = (await it.eventsPage(id, { order: "desc", limit: 20 })).data;
  assert.ok(typesOf(newest).includes("agent.message"));
});
