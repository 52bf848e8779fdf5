// Rules of delegation where things meet: interrupts and archives that stand in the log before an answer does.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import type { Answer } from "../house.ts";
import {
  openUpstreamsHouse,
  type ScriptedAnswer,
  type UpstreamsHouse,
} from "./fallbacks-upstreams-house.ts";
import { errorOf, type Page } from "./memory-house.ts";
import {
  custom,
  customResult,
  interrupt,
  ofType,
  said,
  sessionsOf,
  system,
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

/** What a client asks for stands in the log before the answer that its model gives at that moment. */
async function actBefore(
  id: string,
  act: () => Promise<unknown>,
  answer: () => void,
): Promise<void> {
  let acting: Promise<unknown> | undefined;
  await whileLocked(id, async (waits) => {
    acting = act();
    await waits(1);
    answer();
    await waits(2);
  });
  await acting;
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
  await actBefore(
    id,
    () => it.send(id, interrupt),
    () => answer.resolve(calls(send("toolu_1"))),
  );
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
  await actBefore(
    id,
    () => it.send(id, ofFirst),
    () => answer.resolve(calls(send("toolu_2"))),
  );
  const events = await it.idle(id);
  assert.deepEqual(wordsOf(events), ["One.", "Two."]);
  assert.equal(ofType(events, "agent.thread_message_received").length, 2);
  assert.doesNotMatch(JSON.stringify(events), /was interrupted/);
  assert.equal(ofType(await eventsOf(id, first), "span.model_request_start").length, 1);
  assert.equal((await childrenOf(id)).length, 2);
});

test("[SES45] what a thread had given away ends with it, and nobody waits for its calls", async () => {
  const asks = calls(call("toolu_w", "look"));
  for (const [working, isForAll] of [
    [asks, false],
    [asks, true],
    [new Promise<ScriptedAnswer>(() => {}), false],
  ] as const) {
    script("lead", calls(send("toolu_1")), says("On."));
    const worked = script("worker", working);
    const id = await begin();
    await it.send(id, said("Go."));
    await until(async () => worked() === 1, "the worker to be asked");
    if (!(working instanceof Promise)) await it.seen(id, "agent.custom_tool_use");
    const [own] = await threadsOf(id);
    const named = isForAll ? {} : { session_thread_id: own?.id };
    const turn = await it.turn(id, { ...interrupt, ...named });
    assert.equal(ofType(turn, "session.status_idle").length, 1);
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

const archive = (id: string, thread: string) =>
  it.good<ThreadShape>("POST", `/${id}/threads/${thread}/archive`);
const archivedWords = /The agent's thread was archived before it was done/;

test("[SES46] a thread that is archived while it waits: its coordinator goes on with a result", async () => {
  script("lead", calls(send("toolu_1")), says("On."), says("Hello."));
  script("worker", calls(call("toolu_w", "look")));
  const id = await begin();
  const asked = await it.turn(id, said("Go."));
  const [waiting] = ofType(asked, "agent.custom_tool_use");
  const child = await onlyChildOf(id);
  assert.equal((await archive(id, child)).status, "terminated");
  const [sent] = ofType(asked, "agent.thread_message_sent");
  const all = await until(async () => {
    const events = await it.idle(id);
    return wordsOf(events).length > 0 && events;
  }, "the coordinator to go on");
  const rest = all.slice(asked.length);
  assert.deepEqual(typesOf(rest), [
    "session.thread_status_terminated",
    "agent.tool_result",
    "session.status_running",
    "span.model_request_start",
    "agent.message",
    "span.model_request_end",
    "session.thread_status_idle",
    "session.status_idle",
  ]);
  const [result] = ofType(rest, "agent.tool_result");
  assert.deepEqual([result?.["tool_use_id"], result?.["is_error"]], [sent?.id, true]);
  assert.match(JSON.stringify(result), archivedWords);
  assert.match(JSON.stringify(opened.heard().at(-1)), archivedWords);
  assert.deepEqual(stopOf(all), endTurn);
  const late = await it.trySend(id, [customResult(waiting?.id ?? "", "Late")]);
  errorOf(late, 400, "tool_call_not_pending");
  assert.deepEqual(wordsOf(await it.turn(id, said("Hello?"))), ["Hello."]);
});

test("[SES46] where others wait too, the session is told to wait for the rest, and the thread for them", async () => {
  script("lead", calls(send("toolu_1"), send("toolu_2")), says("On."));
  script("worker", calls(call("toolu_w", "look")), calls(call("toolu_w", "look")), says("Seen."));
  const id = await begin();
  await it.send(id, said("Go."));
  const asked = await until(async () => {
    const events = await it.idle(id);
    return ofType(events, "agent.custom_tool_use").length === 2 && events;
  }, "two calls");
  const [first, second] = ofType(asked, "agent.custom_tool_use");
  await archive(id, String(first?.["session_thread_id"]));
  const told = await until(async () => {
    const events = await it.events(id);
    return ofType(events, "agent.tool_result").length === 1 && events;
  }, "the result of the first one");
  assert.deepEqual(typesOf(told.slice(asked.length)), [
    "session.thread_status_terminated",
    "session.status_idle",
    "agent.tool_result",
  ]);
  const [idle] = ofType(told.slice(asked.length), "session.status_idle");
  assert.deepEqual(idle?.["stop_reason"], { type: "requires_action", event_ids: [second?.id] });
  assert.equal((await it.read(id)).status, "idle");
  const rest = await it.turn(id, customResult(second?.id ?? "", "42"));
  assert.deepEqual(wordsOf(rest), ["On."]);
  const results = JSON.stringify(opened.heard().at(-1));
  assert.match(results, archivedWords);
  assert.match(results, /Seen\./);
});

test("[SES46] a member that is archived before the answer that asks it again: another thread is asked", async () => {
  const answer = Promise.withResolvers<ScriptedAnswer>();
  const asked = script("lead", calls(send("toolu_1")), says("One."), answer.promise, says("Two."));
  script("worker", says("Done."));
  const id = await begin();
  await it.turn(id, said("Go."));
  const first = await onlyChildOf(id);
  await it.send(id, said("Again."));
  await until(async () => asked() === 3, "the lead to be asked");
  await actBefore(
    id,
    () => archive(id, first),
    () => answer.resolve(calls(send("toolu_2"))),
  );
  assert.deepEqual(wordsOf(await it.idle(id)), ["One.", "Two."]);
  const children = await childrenOf(id);
  assert.deepEqual(
    children.map(({ status }) => status),
    ["terminated", "idle"],
  );
});

test("[SES46] of an answer to its call and its archiving the first one counts, and there is one result", async () => {
  for (const isArchivedFirst of [true, false]) {
    script("lead", calls(send("toolu_1")), says("On."));
    script("worker", calls(call("toolu_w", "look")), says("Seen."));
    const id = await begin();
    const [waiting] = ofType(await it.turn(id, said("Go.")), "agent.custom_tool_use");
    const child = await onlyChildOf(id);
    const acts = [
      () => it.call("POST", `/${id}/threads/${child}/archive`),
      () => it.trySend(id, [customResult(waiting?.id ?? "", "42")]),
    ];
    if (!isArchivedFirst) acts.reverse();
    const acting: Promise<Answer>[] = [];
    await whileLocked(id, async (waits) => {
      for (const act of acts) await waits(acting.push(act()));
    });
    const [first, second] = await Promise.all(acting);
    assert.equal(first?.status, 200);
    errorOf(
      second ?? assert.fail(),
      400,
      isArchivedFirst ? "tool_call_not_pending" : "thread_running",
    );
    const events = await until(async () => {
      const all = await it.idle(id);
      return wordsOf(all).length > 0 && all;
    }, "the coordinator to go on");
    const results = ["agent.tool_result", "agent.thread_message_received"].map(
      (type) => ofType(events, type).length,
    );
    assert.deepEqual(results, isArchivedFirst ? [1, 0] : [0, 1]);
  }
});

test("[SES19][SES45] what the system says behind the result of a member's call goes with it", async () => {
  script("lead", calls(send("toolu_1")), says("On."));
  script("worker", calls(call("toolu_w", "look")), says("Vu."));
  const id = await begin();
  const [waiting] = ofType(await it.turn(id, said("Go.")), "agent.custom_tool_use");
  const child = await onlyChildOf(id);
  const words = system("Answer in French.");
  const turn = await it.turn(id, customResult(waiting?.id ?? "", "42"), words);
  const [told] = ofType(turn, "system.message");
  assert.equal(told?.["session_thread_id"], child);
  assert.deepEqual(ofType(await eventsOf(id, child), "system.message"), [told]);
  assert.ok(told?.processed_at !== null);
  const asked = opened.upstream.requests.map(({ body }) => String(body));
  const heard = asked.filter((body) => body.includes("Answer in French."));
  assert.equal(heard.length, 1);
  assert.match(heard[0] ?? "", /"model":"worker"/);
  assert.deepEqual(ofType(turn, "session.error"), []);
  assert.deepEqual(wordsOf(await it.turn(id, said("More."))), ["On."]);
});

test("[SES44] a thread whose calls are answered waits for its member, and the session with it", async () => {
  script("lead", calls(call("toolu_1", "mine"), send("toolu_2")), says("On."));
  script("worker", calls(call("toolu_w", "look")), says("Seen."));
  const id = await begin({ tools: [custom("mine")] });
  await it.send(id, said("Go."));
  const asked = await until(async () => {
    const events = await it.idle(id);
    return ofType(events, "agent.custom_tool_use").length === 2 && events;
  }, "two calls");
  const [mine, look] = ofType(asked, "agent.custom_tool_use");
  const turn = await it.turn(id, customResult(mine?.id ?? "", "Mine."));
  assert.deepEqual(
    typesOf(turn).filter((type) => type.startsWith("session.status")),
    ["session.status_running", "session.status_idle"],
  );
  assert.deepEqual(stopOf(turn), { type: "requires_action", event_ids: [look?.id] });
  assert.equal((await it.read(id)).status, "idle");
  const rest = await it.turn(id, customResult(look?.id ?? "", "Theirs."));
  assert.equal(ofType(rest, "session.status_running").length, 1);
  assert.deepEqual(wordsOf(rest), ["On."]);
});

test("[SES38] what a client sends before another thread's answer is done, also when its hint is lost", async () => {
  const second = Promise.withResolvers<ScriptedAnswer>();
  script("lead", calls(send("toolu_1"), send("toolu_2")), says("On."));
  const worked = script("worker", calls(call("toolu_w", "look")), second.promise, says("Seen."));
  const id = await begin();
  await it.send(id, said("Go."));
  const asked = await until(
    async () => worked() === 2 && ofType(await it.events(id), "agent.custom_tool_use")[0],
    "a call of the one, and an answer that the other waits for",
  );
  const { hints } = opened.house.world;
  const { send: tell } = hints;
  hints.send = () => {};
  const sends = () => it.send(id, customResult(asked.id, "Theirs."));
  await actBefore(id, sends, () => second.resolve(says("Done.")));
  hints.send = tell;
  assert.deepEqual(wordsOf(await it.idle(id)), ["On."]);
});
