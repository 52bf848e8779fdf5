// Rules of delegation where things meet: interrupts and archives that stand in the log before an answer does.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import {
  openUpstreamsHouse,
  type ScriptedAnswer,
  type UpstreamsHouse,
} from "./fallbacks-upstreams-house.ts";
import { type Page } from "./memory-house.ts";
import {
  custom,
  interrupt,
  ofType,
  said,
  sessionsOf,
  typesOf,
  wordsOf,
  type SessionCalls,
  type SessionEvent,
} from "./sessions-house.ts";
import { until } from "./support.ts";

let opened: UpstreamsHouse;
let it: SessionCalls;
before(async () => {
  opened = await openUpstreamsHouse([{ id: "lead" }, { id: "worker" }]);
  it = sessionsOf(() => opened.house);
});
after(() => opened[Symbol.asyncDispose]());

interface ThreadShape {
  id: string;
  parent_thread_id: string | null;
  status: string;
}

const call = (id: string, name: string, input: object = {}) => ({
  type: "tool_use",
  id,
  name,
  input,
});
const calls = (...content: ReturnType<typeof call>[]): ScriptedAnswer => ({
  content,
  stop: "tool_use",
});
const send = (id: string) => call(id, "send_to_agent", { agent: "Worker", message: "Do it." });
const says = (text: string): ScriptedAnswer => ({ content: [{ type: "text", text }] });

/** Of a model, one after the other; the last one again and again. */
function script(model: string, ...answers: readonly (ScriptedAnswer | Promise<ScriptedAnswer>)[]) {
  let at = 0;
  opened.models.set(model, () => answers[Math.min(at++, answers.length - 1)] ?? {});
  return () => at;
}

async function begin(more: object = {}): Promise<string> {
  const { id } = await it.agent({ name: "Worker", model: "worker", tools: [custom("look")] });
  const multiagent = { type: "coordinator", agents: [id] };
  return (await it.make({ name: "Lead", model: "lead", multiagent, ...more })).id;
}

const threadsOf = async (id: string) =>
  (await it.good<Page<ThreadShape>>("GET", `/${id}/threads`)).data;
const eventsOf = async (id: string, thread: string) =>
  (await it.good<Page<SessionEvent>>("GET", `/${id}/threads/${thread}/events?limit=1000`)).data;

async function childrenOf(id: string): Promise<ThreadShape[]> {
  return (await threadsOf(id)).filter(({ parent_thread_id: parent }) => parent !== null);
}

async function onlyChildOf(id: string): Promise<string> {
  const [child, ...more] = await childrenOf(id);
  assert.deepEqual(more, []);
  return child?.id ?? assert.fail("no child");
}

/**
 * Nothing is written to the session meanwhile; what wants to waits, and goes on in the order in which it came. `waits`
 * resolves when so many do.
 */
async function whileLocked(
  id: string,
  act: (waits: (count: number) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const { db } = opened.house.world;
  const waits = (count: number) =>
    until(async () => {
      const rows = await db.query(sql`
        select pid from pg_stat_activity where datname = current_database()
          and wait_event_type = 'Lock' and query ~ '^\\s*select'`);
      return rows.length >= count;
    }, `${count} that wait for ${id}`);
  await db.tx(async (tx) => {
    await tx.query(sql`select id from sessions where id = ${id} for no key update`);
    await act(waits);
  });
}

/** What a client sends stands in the log before the answer that its model gives at that moment. */
async function sendBefore(id: string, event: object, answer: () => void): Promise<void> {
  let sending: Promise<unknown> | undefined;
  await whileLocked(id, async (waits) => {
    sending = it.send(id, event);
    await waits(1);
    answer();
    await waits(2);
  });
  await sending;
}

const endTurn = { type: "end_turn" };
const stopOf = (events: readonly SessionEvent[]) => events.at(-1)?.["stop_reason"] as unknown;

test("[SES20] an interrupt that stands before the coordinator's answer gives no work away", async () => {
  const answer = Promise.withResolvers<ScriptedAnswer>();
  const asked = script("lead", answer.promise);
  const worked = script("worker", says("Done."));
  const id = await begin();
  await it.send(id, said("Go."));
  await until(async () => asked() === 1, "the lead to be asked");
  await sendBefore(id, interrupt, () => answer.resolve(calls(send("toolu_1"))));
  const events = await it.idle(id);
  const rest = events.slice(events.findIndex(({ type }) => type === "user.interrupt"));
  assert.deepEqual(typesOf(rest), [
    "user.interrupt",
    "agent.tool_use",
    "span.model_request_end",
    "agent.tool_result",
    "session.thread_status_idle",
    "session.status_idle",
  ]);
  assert.match(JSON.stringify(rest[3]), /Interrupted before it began/);
  assert.deepEqual(stopOf(events), endTurn);
  assert.deepEqual(await childrenOf(id), []);
  assert.equal(worked(), 0);
  script("lead", says("And on."));
  assert.deepEqual(wordsOf(await it.turn(id, said("More."))), ["And on."]);
});

test("[SES45] a member whose interrupt is not done with is not asked: another thread is", async () => {
  const answer = Promise.withResolvers<ScriptedAnswer>();
  const asked = script("lead", calls(send("toolu_1")), says("One."), answer.promise, says("Two."));
  script("worker", says("Done."));
  const id = await begin();
  await it.turn(id, said("Go."));
  const first = await onlyChildOf(id);
  await it.send(id, said("Again."));
  await until(async () => asked() === 3, "the lead to be asked");
  const ofFirst = { ...interrupt, session_thread_id: first };
  await sendBefore(id, ofFirst, () => answer.resolve(calls(send("toolu_2"))));
  const events = await it.idle(id);
  assert.deepEqual(wordsOf(events), ["One.", "Two."]);
  assert.equal(ofType(events, "agent.thread_message_received").length, 2);
  assert.doesNotMatch(JSON.stringify(events), /was interrupted/);
  assert.equal(ofType(await eventsOf(id, first), "span.model_request_start").length, 1);
  assert.equal((await childrenOf(id)).length, 2);
});

test("[SES45] what a thread had given away ends with it, and nobody waits for its calls", async () => {
  for (const working of [calls(call("toolu_w", "look")), new Promise<ScriptedAnswer>(() => {})]) {
    script("lead", calls(send("toolu_1")), says("On."));
    const worked = script("worker", working);
    const id = await begin();
    await it.send(id, said("Go."));
    await until(async () => worked() === 1, "the worker to be asked");
    if (!(working instanceof Promise)) await it.seen(id, "agent.custom_tool_use");
    const [own] = await threadsOf(id);
    const turn = await it.turn(id, { ...interrupt, session_thread_id: own?.id });
    assert.deepEqual(stopOf(turn), endTurn);
    const [told] = ofType(turn, "agent.tool_result");
    assert.match(JSON.stringify(told), /Interrupted while another agent worked on it/);
    const statuses = (await threadsOf(id)).map(({ status }) => status);
    assert.deepEqual(statuses, ["idle", "idle"]);
    assert.equal((await it.read(id)).status, "idle");
    assert.equal(worked(), 1);
  }
});

test("[SES44] an interrupt of a member that waits for a client: the session is told to run on", async () => {
  script("lead", calls(send("toolu_1")), says("On."));
  script("worker", calls(call("toolu_w", "look")));
  const id = await begin();
  await it.turn(id, said("Go."));
  const child = await onlyChildOf(id);
  const turn = await it.turn(id, { ...interrupt, session_thread_id: child });
  assert.deepEqual(
    typesOf(turn).filter((type) => type.startsWith("session.status")),
    ["session.status_running", "session.status_idle"],
  );
  assert.deepEqual(wordsOf(turn), ["On."]);
});
