// Rules SES22 and SES24 to SES27: calls of tools, and the answers that clients give to them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { openUpstreamsHouse, type AskedBody } from "./fallbacks-upstreams-house.ts";
import { errorOf, statusesOf } from "./memory-house.ts";
import {
  computer,
  confirm,
  custom,
  customResult,
  managedAgents,
  ofType,
  openSessionHouse,
  result,
  said,
  sessionsOf,
  sessionsPath,
  system,
  text,
  toolset,
  typesOf,
  wordsOf,
  type SessionEvent,
  type SessionHouse,
} from "./sessions-house.ts";
import { askAt } from "./support.ts";

let it: SessionHouse;
before(async () => {
  it = await openSessionHouse();
});
after(() => it[Symbol.asyncDispose]());

const idle = "session.status_idle";
const endTurn = { type: "end_turn" };
const isCall = ({ type }: SessionEvent) => /^agent\.(custom_)?tool_use$/.test(type);
const callsOf = (events: readonly SessionEvent[]) => events.filter(isCall);
const stopOf = (events: readonly SessionEvent[]) => events.at(-1)?.["stop_reason"] as unknown;
const waitsFor = (...ids: readonly string[]) => ({ type: "requires_action", event_ids: ids });

/** A session whose agent has made these calls, which wait. */
async function calling(calls: string, tools: readonly object[]) {
  const { id } = await it.make({ tools });
  const turn = await it.turn(id, said(`[[tools ${calls}]]`));
  const ids = callsOf(turn).map((call) => call.id);
  return { id, turn, ids };
}
const threeCalls = () =>
  calling('look {"at": 1} | look {"at": 2} | look {"at": 3}', [custom("look")]);

test("[SES22] the calls of an answer and the idle event that lists them are written together", async () => {
  const { id, turn, ids } = await calling('look {"at": "sky"} | bash {"command": "ls"}', [
    custom("look"),
    computer(),
  ]);
  const [looked, ran] = callsOf(turn).map(({ processed_at, ...call }) => {
    assert.ok(processed_at !== null);
    return call;
  });
  const [first = "", second = ""] = ids;
  assert.deepEqual(looked, {
    id: first,
    type: "agent.custom_tool_use",
    name: "look",
    input: { at: "sky" },
  });
  assert.deepEqual(ran, {
    id: second,
    type: "agent.tool_use",
    name: "bash",
    input: { command: "ls" },
    evaluated_permission: "allow",
    evaluation: { type: "always_allow" },
  });
  assert.deepEqual(stopOf(turn), waitsFor(first, second));
  assert.deepEqual(turn.at(-2)?.["stop_reason"], waitsFor(first, second));
  assert.equal((await it.read(id)).status, "idle");
  // The transaction that wrote a row last stands in it.
  const told = turn.slice(turn.findIndex(isCall)).map((event) => event.id);
  const writers = await it.house.world.db.query(sql`
    select distinct writer from (
      select xmin::text as writer from log_events where id = any(${told}::text[])
      union all select xmin::text from session_calls where session_id = ${id}) as written`);
  assert.equal(writers.length, 1, "more than one transaction");
});

test("[SES22] a custom tool and a tool of the computer are answered, and the turn goes on", async () => {
  const { id, ids } = await calling('look {"at": "sky"} | bash {"command": "ls"}', [
    custom("look"),
    computer(),
  ]);
  const [look = "", bash = ""] = ids;
  const failed = { ...result(bash, "No such folder."), is_error: true };
  const turn = await it.turn(id, customResult(look, "It is blue."), failed);
  assert.deepEqual(typesOf(turn).slice(0, 4), [
    "user.custom_tool_result",
    "user.tool_result",
    "session.status_running",
    "session.thread_status_running",
  ]);
  assert.deepEqual(turn[0]?.["content"], [text("It is blue.")]);
  assert.equal(turn[1]?.["is_error"], true);
  assert.ok(turn.every(({ processed_at }) => processed_at !== null));
  const [words = ""] = wordsOf(turn);
  assert.match(words, /look answered: "It is blue\."\. bash failed: "No such folder\."\./);
  assert.deepEqual(stopOf(turn), endTurn);
});

test("[SES22] a result may be empty, and is a result", async () => {
  const { id, ids } = await calling("look", [custom("look")]);
  const [look = ""] = ids;
  const bare = { type: "user.custom_tool_result", custom_tool_use_id: look };
  assert.match(String(wordsOf(await it.turn(id, bare))), /look answered: ""/);
});

test("[SES22] in a cloud environment a custom tool is answered by the client too", async () => {
  const { id: agent } = await it.agent({ tools: [custom("look")] });
  const environment_id = (await it.environment("cloud")).id;
  const { id } = await it.begin({ agent, environment_id });
  const turn = await it.turn(id, said("[[tool look]]"));
  const [call] = callsOf(turn);
  assert.deepEqual(stopOf(turn), waitsFor(call?.id ?? ""));
  const done = await it.turn(id, customResult(call?.id ?? "", "Seen."));
  assert.match(String(wordsOf(done)), /look answered: "Seen\."/);
});

test("[SES22] round after round, each with calls of its own", async () => {
  const { id } = await it.make({ tools: [custom("look")] });
  let turn = await it.turn(id, said('[[tool look {"at": 1}]] [[tools look {"at": 2} | look]]'));
  const rounds: number[] = [];
  const seen = new Set<string>();
  for (let calls = callsOf(turn); calls.length > 0; calls = callsOf(turn)) {
    rounds.push(calls.length);
    for (const call of calls) seen.add(call.id);
    turn = await it.turn(id, ...calls.map((call) => customResult(call.id, "Seen.")));
  }
  assert.deepEqual(rounds, [1, 2]);
  assert.equal(seen.size, 3);
  assert.deepEqual(stopOf(turn), endTurn);
});

test("[SES24] an answer to one is followed by the idle event with the rest, the last by running", async () => {
  const { id, ids } = await threeCalls();
  const [one = "", two = "", three = ""] = ids;
  const rest = async (call: string) => {
    const [sent] = await it.send(id, customResult(call, "Seen."));
    const all = await it.events(id);
    return all.slice(all.findIndex((event) => event.id === sent?.id) + 1);
  };
  const thenIdle = ["session.thread_status_idle", idle];
  const behindTwo = await rest(two);
  assert.deepEqual(typesOf(behindTwo), thenIdle);
  assert.deepEqual(stopOf(behindTwo), waitsFor(one, three));
  const behindOne = await rest(one);
  assert.deepEqual(typesOf(behindOne), thenIdle);
  assert.deepEqual(stopOf(behindOne), waitsFor(three));
  assert.equal((await it.read(id)).status, "idle");
  const behindThree = await rest(three);
  assert.equal(behindThree[0]?.type, "session.status_running");
  const all = await it.idle(id);
  assert.deepEqual(stopOf(all), endTurn);
  assert.equal(ofType(all, "session.status_running").length, 2);
});

test("[SES24] two answers in one request leave one idle event, and all of them none", async () => {
  const { id, ids } = await threeCalls();
  const [one = "", two = "", three = ""] = ids;
  const some = await it.turn(id, customResult(three, "c"), customResult(one, "a"));
  assert.deepEqual(typesOf(some).slice(2), ["session.thread_status_idle", idle]);
  assert.deepEqual(stopOf(some), waitsFor(two));
  const last = await it.turn(id, customResult(two, "b"));
  assert.deepEqual(stopOf(last), endTurn);
  const again = await threeCalls();
  const turn = await it.turn(again.id, ...again.ids.map((call) => customResult(call, "x")));
  assert.equal(ofType(turn, idle).length, 1);
  assert.equal(turn[3]?.type, "session.status_running");
});

test("[SES24] answers that come to two processes at once wake the session once", async () => {
  await using second = await it.house.openSecondServer();
  const { api_key: key } = it.platform;
  const { id, ids } = await threeCalls();
  const urls = Array.from({ length: 5 }, () => [it.house.url, second.url]).flat();
  const answers = await Promise.all(
    ids.flatMap((call) =>
      urls.map((url) => {
        const body = { events: [customResult(call, `for ${call}`)] };
        const path = `${sessionsPath}/${id}/events`;
        return askAt(url, "POST", path, { key, headers: managedAgents, body });
      }),
    ),
  );
  const refused = Array.from({ length: 27 }, () => 400);
  assert.deepEqual(statusesOf(answers), [200, 200, 200, ...refused]);
  for (const answer of answers)
    if (answer.status === 400) errorOf(answer, 400, "tool_call_not_pending");
  const all = await it.idle(id);
  assert.equal(ofType(all, "user.custom_tool_result").length, 3);
  assert.equal(ofType(all, "session.status_running").length, 2);
  assert.equal(ofType(all, "agent.message").length, 1);
  assert.deepEqual(stopOf(all), endTurn);
});

test("[SES24] what is said while calls wait has its turn behind theirs", async () => {
  const { id, ids } = await calling("look", [custom("look")]);
  const [sent] = await it.send(id, said('[[say "Later."]]'));
  assert.equal(sent?.processed_at, null);
  assert.deepEqual((await it.events(id)).at(-1), sent);
  assert.equal((await it.read(id)).status, "idle");
  const turn = await it.turn(id, customResult(ids[0] ?? "", "Seen."));
  const words = wordsOf(turn);
  assert.deepEqual([words.length, words[1]], [2, "Later."]);
  assert.match(words[0] ?? "", /look answered/);
  assert.equal(ofType(turn, idle).length, 2);
});

test("[SES25] an answer to a call that is unknown or answered is refused, with all beside it", async () => {
  const { id, ids } = await calling("look | look", [custom("look")]);
  const elsewhere = await calling("look", [custom("look")]);
  const [one = "", two = ""] = ids;
  const code = "tool_call_not_pending";
  const before = await it.events(id);
  const other = elsewhere.ids[0] ?? "";
  for (const unknown of ["sevt_none", other, before[0]?.id ?? ""])
    await it.refuses(id, [customResult(one, "a"), customResult(unknown, "b")], code, /events\.1\./);
  await it.refuses(id, [customResult(one, "a"), customResult(one, "b")], code, /has been answered/);
  assert.deepEqual(await it.events(id), before);
  await it.send(id, customResult(one, "a"));
  const half = await it.events(id);
  await it.refuses(id, [customResult(one, "b")], code, new RegExp(one));
  assert.deepEqual(await it.events(id), half);
  await it.turn(id, customResult(two, "b"));
  await it.refuses(id, [customResult(two, "c")], code, new RegExp(two));
  // The other session's call still waits.
  assert.deepEqual(stopOf(await it.events(elsewhere.id)), waitsFor(other));
});

test("[SES25] an answer of the wrong kind is refused, and the call still waits", async () => {
  const { id, ids } = await calling("look | bash", [custom("look"), computer()]);
  const [look = "", bash = ""] = ids;
  const before = await it.events(id);
  await it.refuses(id, [result(look, "a")], undefined, /answer it with user\.custom_tool_result/);
  await it.refuses(id, [customResult(bash, "a")], undefined, /answer it with user\.tool_result/);
  const code = "tool_call_not_pending";
  await it.refuses(id, [confirm(look, "allow")], code, /waits for no confirmation/);
  await it.refuses(id, [confirm(bash, "deny")], code, /waits for no confirmation/);
  assert.deepEqual(await it.events(id), before);
  assert.deepEqual(stopOf(await it.turn(id, customResult(look, "a"), result(bash, "b"))), endTurn);
});

test("[SES26] a tool that the agent has not got is denied, and its result says so", async () => {
  const off = { type: toolset, configs: [{ name: "bash", enabled: false }] };
  const { id } = await it.make({ tools: [custom("look"), off] });
  const turn = await it.turn(id, said("[[tools fly | bash]]"));
  const calls = callsOf(turn);
  assert.deepEqual(
    calls.map((call) => [
      call.type,
      call["name"],
      call["evaluated_permission"],
      call["evaluation"],
    ]),
    [
      ["agent.tool_use", "fly", "deny", undefined],
      ["agent.tool_use", "bash", "deny", undefined],
    ],
  );
  const results = ofType(turn, "agent.tool_result");
  assert.deepEqual(
    results.map((each) => [each["tool_use_id"] as string, each["is_error"] as boolean]),
    calls.map((call) => [call.id, true]),
  );
  assert.match(results[0]?.["content"][0].text, /not permitted/);
  assert.match(String(wordsOf(turn)), /fly failed: .* bash failed: /);
  assert.equal(ofType(turn, idle).length, 1);
  assert.deepEqual(stopOf(turn), endTurn);
});

test("[SES26] beside one that is denied the others wait as ever", async () => {
  const { id, turn, ids } = await calling("fly | look", [custom("look")]);
  const [fly = "", look = ""] = ids;
  assert.deepEqual(stopOf(turn), waitsFor(look));
  assert.deepEqual(ofType(turn, "agent.tool_result")[0]?.["tool_use_id"], fly);
  await it.refuses(id, [result(fly, "Flown.")], "tool_call_not_pending", new RegExp(fly));
  const more = await it.turn(id, customResult(look, "Seen."));
  assert.match(String(wordsOf(more)), /fly failed: .* look answered: "Seen\."/);
});

test("[SES27] the model is shown the results in the order of its calls, and what the system says of them", async () => {
  await using opened = await openUpstreamsHouse([{ id: "watched" }]);
  const own = sessionsOf(() => opened.house);
  const use = (id: string) => ({ type: "tool_use", id, name: "look", input: {} });
  const uses = [use("toolu_1"), use("toolu_2"), use("toolu_3")];
  const asked: AskedBody[] = [];
  opened.models.set("watched", (body) => {
    asked.push(body);
    return asked.length === 1 ? { content: uses, stop: "tool_use" } : {};
  });
  const { id } = await own.make({ model: "watched", tools: [custom("look")] });
  const [one = "", two = "", three = ""] = callsOf(await own.turn(id, said("Hello"))).map(
    (call) => call.id,
  );
  await own.send(id, customResult(three, "third"));
  await own.send(id, customResult(one, "first"), system("One was quick."));
  await own.turn(id, customResult(two, "second"), system("Two was slow."));
  assert.equal(asked.length, 2);
  const [, , shown, beside] = asked[1]?.messages ?? [];
  const results = shown?.content as { tool_use_id: string; content: { text: string }[] }[];
  assert.deepEqual(
    results.map(({ tool_use_id, content }) => [tool_use_id, content[0]?.text]),
    [
      ["toolu_1", "first"],
      ["toolu_2", "second"],
      ["toolu_3", "third"],
    ],
  );
  assert.match(JSON.stringify(beside), /One was quick.*Two was slow/);
});

test("[SES19] what the system says behind a message is told to the model with it", async () => {
  await using opened = await openUpstreamsHouse([{ id: "watched" }]);
  const own = sessionsOf(() => opened.house);
  const { id } = await own.make({ model: "watched" });
  await own.turn(id, said("Hello"), system("Be brief."));
  assert.equal(opened.upstream.requests.length, 1);
  const told = JSON.stringify(opened.heard());
  assert.match(told, /"user".*Hello.*"system".*Be brief\./);
});

test("[SES27] a call that an answer breaks off is not made, and the model is told, twice in a row", async () => {
  await using opened = await openUpstreamsHouse([{ id: "watched" }]);
  const own = sessionsOf(() => opened.house);
  const use = { type: "tool_use", id: "toolu_1", name: "look", input: {} };
  const cutOff = () => ({ content: [text("I look."), use], stop: "max_tokens" });
  opened.models.set("watched", cutOff);
  const { id } = await own.make({ model: "watched", tools: [custom("look")] });
  const turn = await own.turn(id, said("Hello"));
  assert.deepEqual(callsOf(turn), []);
  assert.deepEqual(wordsOf(turn), ["I look.", "I look.", "I look."]);
  assert.deepEqual(stopOf(turn), endTurn);
  assert.match(JSON.stringify(opened.heard()), /broke off in a call of look/);
  // The conversation goes on without it; nothing but the call, and it is not an empty turn.
  opened.models.set("watched", () => {
    opened.models.delete("watched");
    return { content: [use], stop: "max_tokens" };
  });
  assert.equal(wordsOf(await own.turn(id, said("And?"))).length, 1);
  assert.ok(!JSON.stringify(opened.heard()).includes("toolu_1"));
});

test("[SES73] what no event can hold breaks no turn", async () => {
  await using opened = await openUpstreamsHouse([{ id: "watched" }]);
  const own = sessionsOf(() => opened.house);
  const input = { path: "a\0b", deep: [{ "k\0": "\ud800 x" }] };
  const use = { type: "tool_use", id: "toolu_1", name: "look", input };
  opened.models.set("watched", () => {
    opened.models.delete("watched");
    return { content: [text("I\0 look."), use], stop: "tool_use" };
  });
  const { id } = await own.make({ model: "watched", tools: [custom("look")] });
  const turn = await own.turn(id, said("Hello"));
  assert.deepEqual(wordsOf(turn), ["I\uFFFD look."]);
  const [call] = ofType(turn, "agent.custom_tool_use");
  assert.deepEqual(call?.["input"], { path: "a\uFFFDb", deep: [{ "k\uFFFD": "\uFFFD x" }] });
  const after = await own.turn(id, customResult(call?.id ?? "", "seen"));
  assert.deepEqual(stopOf(after), endTurn);
});
