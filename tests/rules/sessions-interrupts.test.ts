// Rule SES20: an interrupt ends what runs, wherever it runs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openUpstreamsHouse } from "./fallbacks-upstreams-house.ts";
import { errorOf } from "./memory-house.ts";
import {
  computer,
  confirm,
  custom,
  customResult,
  interrupt,
  managedAgents,
  ofType,
  openSessionHouse,
  result,
  said,
  sessionsOf,
  sessionsPath,
  system,
  typesOf,
  wordsOf,
  type SessionEvent,
  type SessionHouse,
} from "./sessions-house.ts";
import { askAt, seconds, sentenceOf, until } from "./support.ts";

let it: SessionHouse;
before(async () => {
  it = await openSessionHouse();
});
after(() => it[Symbol.asyncDispose]());

const endTurn = { type: "end_turn" };
const stopOf = (events: readonly SessionEvent[]) => events.at(-1)?.["stop_reason"] as unknown;
const idle = ["session.thread_status_idle", "session.status_idle"];
const msBetween = (one: SessionEvent | undefined, other: SessionEvent | undefined) =>
  Date.parse(other?.processed_at ?? "") - Date.parse(one?.processed_at ?? "");

test("[SES20] while the model writes: idle within a second, and its span has ended", async () => {
  const { id } = await it.make();
  await it.busy(id);
  const turn = await it.turn(id, interrupt);
  assert.deepEqual(typesOf(turn), ["user.interrupt", "span.model_request_end", ...idle]);
  assert.equal(turn[1]?.["is_error"], true);
  assert.deepEqual(stopOf(turn), endTurn);
  assert.ok(msBetween(turn[0], turn.at(-1)) < seconds(1));
  assert.equal((await it.read(id)).status, "idle");
});

test("[SES20] from any process: idle within a second, whoever works on it", async () => {
  await using second = await it.house.openSecondServer();
  const { api_key: key } = it.platform;
  const sessions = await Promise.all(Array.from({ length: 6 }, () => it.make()));
  await Promise.all(sessions.map(({ id }) => it.busy(id)));
  for (const [at, { id }] of sessions.entries()) {
    const url = at % 2 === 0 ? it.house.url : second.url;
    const body = { events: [interrupt] };
    const path = `${sessionsPath}/${id}/events`;
    const sent = await askAt(url, "POST", path, { key, headers: managedAgents, body });
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    const all = await it.idle(id);
    assert.ok(msBetween(ofType(all, "user.interrupt")[0], all.at(-1)) < seconds(1));
    assert.deepEqual(stopOf(all), endTurn);
  }
});

test("[SES20] also when its hint is lost: the process that works on it looks for itself", async () => {
  const sessions = await Promise.all(Array.from({ length: 6 }, () => it.make()));
  await Promise.all(sessions.map(({ id }) => it.busy(id)));
  const { hints } = it.house.world;
  const { send: tell } = hints;
  hints.send = () => {};
  await Promise.all(sessions.map(({ id }) => it.send(id, interrupt)));
  hints.send = tell;
  for (const { id } of sessions) {
    const all = await it.idle(id);
    assert.ok(msBetween(ofType(all, "user.interrupt")[0], all.at(-1)) < seconds(3));
    assert.deepEqual(stopOf(all), endTurn);
  }
});

test("[SES20] while calls wait: each has a result that says so, and takes no other", async () => {
  const { id } = await it.make({ tools: [custom("look"), computer("always_ask")] });
  const made = await it.turn(id, said("[[tools look | bash | look]]"));
  const [look = "", bash = "", last = ""] = made
    .filter(({ type }) => type.endsWith("tool_use"))
    .map((call) => call.id);
  await it.turn(id, customResult(last, "Seen."));
  const turn = await it.turn(id, interrupt);
  assert.deepEqual(typesOf(turn), [
    "user.interrupt",
    "agent.tool_result",
    "agent.tool_result",
    ...idle,
  ]);
  assert.deepEqual(stopOf(turn), endTurn);
  const told = ofType(turn, "agent.tool_result");
  assert.deepEqual(
    told.map((each) => [each["tool_use_id"] as string, each["is_error"] as boolean]),
    [
      [look, true],
      [bash, true],
    ],
  );
  for (const each of told) assert.match(each["content"][0].text, /^Interrupted before it began/);
  const code = "tool_call_not_pending";
  await it.refuses(id, [customResult(look, "Late")], code, new RegExp(look));
  await it.refuses(id, [confirm(bash, "allow")], code, new RegExp(bash));
  await it.refuses(id, [result(bash, "Late")], code, new RegExp(bash));
  assert.deepEqual(wordsOf(await it.turn(id, said('[[say "Go on."]]'))), ["Go on."]);
});

test("[SES20] an answer beside an interrupt counts, and calls behind it are answered so", async () => {
  const { id } = await it.make({ tools: [custom("look")] });
  const made = await it.turn(id, said("[[tools look | look]]"));
  const [one = "", two = ""] = ofType(made, "agent.custom_tool_use").map((call) => call.id);
  const turn = await it.turn(id, customResult(one, "Seen."), interrupt);
  const told = ofType(turn, "agent.tool_result").map((each) => each["tool_use_id"] as string);
  assert.deepEqual(told, [two]);
  assert.deepEqual(stopOf(turn), endTurn);
});

test("[SES20] while it is idle: it says that it is, and goes on with what is said next", async () => {
  const { id } = await it.make();
  const [fresh] = [await it.turn(id, interrupt)];
  assert.deepEqual(typesOf(fresh), ["user.interrupt", ...idle]);
  assert.deepEqual(stopOf(fresh), endTurn);
  assert.deepEqual(wordsOf(await it.turn(id, said('[[say "One."]]'))), ["One."]);
  const again = await it.turn(id, interrupt);
  assert.deepEqual(typesOf(again), ["user.interrupt", ...idle]);
  assert.deepEqual(wordsOf(await it.turn(id, said('[[say "Two."]]'))), ["Two."]);
});

test("[SES20] what had waited is told to the model with what is said next, without a turn", async () => {
  await using opened = await openUpstreamsHouse([{ id: "watched" }]);
  const own = sessionsOf(() => opened.house);
  const { id } = await own.make({ model: "watched" });
  const writing = Promise.withResolvers<object>();
  opened.models.set("watched", () => writing.promise);
  await own.send(id, said("First"));
  await until(async () => opened.upstream.requests.length === 1, "the model to be asked");
  const waiting = await own.send(id, said("Second"), said("Third"), system("Be brief."));
  const turn = await own.turn(id, interrupt);
  opened.models.delete("watched");
  writing.resolve({});
  assert.ok(!typesOf(turn).includes("session.status_running"));
  const all = await own.events(id);
  for (const { id: sent } of waiting)
    assert.ok(all.find((event) => event.id === sent)?.processed_at != null, "it still waits");
  assert.equal(opened.upstream.requests.length, 1);
  const next = await own.turn(id, said("Fourth"));
  assert.equal(ofType(next, "session.status_running").length, 1);
  assert.equal(opened.upstream.requests.length, 2);
  assert.match(JSON.stringify(opened.heard()), /First.*Second.*Third.*Be brief\..*Fourth/);
});

test("[SES20] what is sent behind an interrupt has a turn of its own", async () => {
  const { id } = await it.make();
  await it.busy(id);
  await it.send(id, said("Overtaken"));
  await it.send(id, interrupt, said('[[say "Mine."]] [[rate 1000]]'));
  const all = await it.idle(id);
  const behind = all.slice(all.findIndex(({ type }) => type === "user.interrupt"));
  assert.deepEqual(wordsOf(behind), ["Mine."]);
  assert.equal(ofType(behind, "session.status_idle").length, 2);
  assert.equal(ofType(behind, "session.status_running").length, 1);
});

test("[SES20] while it waits for another try: idle within a second", async () => {
  const { id } = await it.make();
  await it.send(id, said("[[fail status=529 retry_after=20]]"));
  await it.seen(id, "session.status_rescheduled");
  const turn = await it.turn(id, interrupt);
  assert.deepEqual(stopOf(turn), endTurn);
  assert.ok(msBetween(turn[0], turn.at(-1)) < seconds(1));
});

test("[SES20] a session that waits for its model to be back is idle, and asks no more", async () => {
  await using opened = await openUpstreamsHouse([{ id: "watched" }]);
  const own = sessionsOf(() => opened.house);
  const { id } = await own.make({ model: "watched" });
  opened.models.set("watched", () => ({ status: 529 }));
  await own.send(id, said("Hello"));
  await own.seen(id, "session.status_rescheduled");
  const turn = await own.turn(id, interrupt);
  assert.deepEqual(stopOf(turn), endTurn);
  assert.ok(!JSON.stringify(turn).includes("exhausted"));
  const asked = opened.upstream.requests.length;
  opened.models.delete("watched");
  const next = await own.turn(id, said("And now?"));
  assert.deepEqual(wordsOf(next), ["All of it."]);
  assert.equal(opened.upstream.requests.length, asked + 1);
});

test("[SES20] several at once end one turn, and the next is whole", async () => {
  const { id } = await it.make();
  await it.busy(id);
  await Promise.all([1, 2, 3].map(() => it.send(id, interrupt)));
  await it.idle(id);
  const next = await it.turn(id, said('[[say "Whole."]] [[rate 1000]]'));
  assert.deepEqual(wordsOf(next), ["Whole."]);
  assert.deepEqual(stopOf(next), endTurn);
});

test("[SES20] one may name the session's thread, and no thread that is not there", async () => {
  const { id } = await it.make();
  const [thread] = (await it.good<{ data: { id: string }[] }>("GET", `/${id}/threads`)).data;
  await it.busy(id);
  const { id: other } = await it.make();
  const theirs = (await it.good<{ data: { id: string }[] }>("GET", `/${other}/threads`)).data[0];
  for (const session_thread_id of ["sthr_none", theirs?.id]) {
    const answer = await it.trySend(id, [{ ...interrupt, session_thread_id }]);
    assert.match(sentenceOf(answer, 404), /events\.0\.session_thread_id/);
  }
  assert.equal((await it.read(id)).status, "running");
  const named = { ...interrupt, session_thread_id: thread?.id };
  const turn = await it.turn(id, named);
  assert.equal(turn[0]?.["session_thread_id"], thread?.id);
  assert.deepEqual(stopOf(turn), endTurn);
  errorOf(await it.trySend(id, [{ ...interrupt, more: 1 }]), 400);
});
