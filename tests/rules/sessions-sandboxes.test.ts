// Rules SES60 to SES62 and SES68: calls of built-in tools in cloud sessions, which this server runs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { errorOf } from "./memory-house.ts";
import {
  computer,
  confirm,
  custom,
  customResult,
  ofType,
  result,
  said,
  typesOf,
  wordsOf,
} from "./sessions-house.ts";
import {
  callsIn,
  commandsOf,
  openCloudHouse,
  resultsOf,
  shell,
  type CloudHouse,
} from "./sessions-sandboxes-house.ts";
import { until } from "./support.ts";

let it: CloudHouse;
before(async () => {
  it = await openCloudHouse();
});
after(async () => {
  assert.deepEqual(it.machine.faults, []);
  await it[Symbol.asyncDispose]();
});

test("[SES60] calls run one after the other in their order, and the model is shown their results", async () => {
  const id = await it.cloud();
  await it.send(id, said(shell("wait first", "say two", "say three")));
  await it.began("wait first");
  assert.equal((await it.read(id)).status, "running");
  assert.deepEqual(commandsOf(it.machine, id), ["wait first"]);
  it.machine.release("first");
  const events = await it.idle(id);
  assert.deepEqual(commandsOf(it.machine, id), ["wait first", "say two", "say three"]);
  assert.deepEqual(resultsOf(events), ["first", "two", "three"]);
  assert.deepEqual(
    ofType(events, "agent.tool_result").map((each) => each["tool_use_id"] as string),
    callsIn(events),
  );
  assert.equal(ofType(events, "session.status_idle").length, 1, "nothing waited for a client");
  assert.match(wordsOf(events).at(-1) ?? "", /bash answered: "first".*"two".*"three"/s);
});

test("[SES60] what else waits for a client waits beside them, and the answer comes when all are there", async () => {
  const id = await it.cloud({ tools: [computer(), custom("look")] });
  const first = await it.turn(id, said(`[[tools look | bash {"command":"say beside"}]]`));
  assert.deepEqual(resultsOf(first), ["beside"]);
  const [look] = ofType(first, "agent.custom_tool_use");
  const reason = { type: "requires_action", event_ids: [look?.id] };
  assert.deepEqual(first.at(-1)?.["stop_reason"], reason);
  const turn = await it.turn(id, customResult(look?.id ?? "", "Seen."));
  assert.match(wordsOf(turn).at(-1) ?? "", /look answered: "Seen\.".*"beside"/s);
});

test("[SES60] a file is kept from call to call and from turn to turn", async () => {
  const id = await it.cloud();
  await it.turn(id, said(shell("append one", "append two")));
  assert.deepEqual(resultsOf(await it.turn(id, said(shell("list")))), ["one\ntwo"]);
});

test("[SES61] what is to be asked first runs when it is allowed, and not when it is denied", async () => {
  const id = await it.cloud({ tools: [computer("always_ask")] });
  const asked = await it.turn(id, said(shell("append allowed", "append denied", "append last")));
  assert.deepEqual(commandsOf(it.machine, id), []);
  const [first = "", second = "", third = ""] = callsIn(asked);
  const waits = { type: "requires_action", event_ids: [first, second, third] };
  assert.deepEqual(asked.at(-1)?.["stop_reason"], waits);
  // The third is allowed first, and runs while the others wait.
  const allowed = await it.turn(id, confirm(third, "allow"));
  assert.deepEqual(typesOf(allowed), [
    "user.tool_confirmation",
    "session.status_running",
    "session.thread_status_running",
    "agent.tool_result",
    "session.thread_status_idle",
    "session.status_idle",
  ]);
  assert.deepEqual(commandsOf(it.machine, id), ["append last"]);
  const left = { type: "requires_action", event_ids: [first, second] };
  assert.deepEqual(allowed.at(-1)?.["stop_reason"], left);
  const rest = await it.turn(
    id,
    confirm(first, "allow"),
    confirm(second, "deny", { deny_message: "Not today." }),
  );
  assert.deepEqual(commandsOf(it.machine, id), ["append last", "append allowed"]);
  assert.deepEqual(resultsOf(rest).toSorted(), [
    "allowed",
    "error: The call was denied: Not today.",
  ]);
  assert.match(
    wordsOf(rest).at(-1) ?? "",
    /answered: "allowed".*failed: "The call was denied: Not today\.".*answered: "last"/s,
  );
});

test("[SES61] a result of a client for what this server runs is 400, before and while it runs", async () => {
  const id = await it.cloud({ tools: [computer("always_ask")] });
  const [call = ""] = callsIn(await it.turn(id, said(shell("wait own"))));
  await it.refuses(id, [result(call, "Mine")], undefined, /is run by this server/);
  await it.send(id, confirm(call, "allow"));
  await it.began("wait own");
  await it.refuses(id, [result(call, "Mine")], "tool_call_not_pending", new RegExp(call));
  await it.refuses(id, [confirm(call, "deny")], "tool_call_not_pending", new RegExp(call));
  it.machine.release("own");
  assert.deepEqual(resultsOf(await it.idle(id)), ["own"]);
});

const send = (message: string) => `send_to_agent ${JSON.stringify({ agent: "Worker", message })}`;
/** Brackets within the input of a call would end its directive. */
const within = (text: string) => text.replaceAll("[", "\\u005b").replaceAll("]", "\\u005d");

/** A lead and what it may send work to, each with the tools of a computer. */
const team = async () => {
  const { id: worker } = await it.agent({ name: "Worker", tools: [computer()] });
  return it.cloud({ name: "Lead", multiagent: { type: "coordinator", agents: [worker] } });
};

test("[SES62] the threads of a session share its sandbox, one call at a time", async () => {
  const id = await team();
  const parts = [1, 2, 3].map((at) => within(send(shell(`append part ${at}`, `wait part ${at}`))));
  await it.send(id, said(`[[tools ${parts.join(" | ")}]]`));
  const waiting = () => commandsOf(it.machine, id).filter((each) => each.startsWith("wait"));
  for (let count = 1; count <= 3; count++) {
    await until(async () => waiting().length === count, `call ${count} to wait`);
    const events = await it.events(id);
    assert.ok(ofType(events, "agent.tool_use").length >= 3, "each of the others has a call");
    it.machine.release(waiting().at(-1)?.slice(5) ?? "");
  }
  const events = await it.idle(id);
  assert.equal(it.machine.workspaces.get(id)?.length, 3);
  for (const call of callsIn(events)) {
    const results = ofType(events, "agent.tool_result").filter(
      (each) => each["tool_use_id"] === call,
    );
    assert.equal(results.length, 1);
  }
  assert.deepEqual(it.machine.faults, []);
});

test("[SES68] a sandbox that cannot be made is said in the result, and the turn goes on", async () => {
  const id = await it.cloud();
  it.machine.refusal = "There is no room on the disk.";
  const turn = await it.turn(id, said(shell("say one")));
  it.machine.refusal = undefined;
  assert.deepEqual(resultsOf(turn), ["error: There is no room on the disk."]);
  assert.deepEqual(ofType(turn, "session.error"), []);
  assert.equal(turn.at(-1)?.["stop_reason"].type, "end_turn");
  assert.deepEqual(resultsOf(await it.turn(id, said(shell("say two")))), ["two"]);
});

test("[SES68] one that breaks while it runs is said too, and so is a fault of this server", async () => {
  const id = await it.cloud();
  const turn = await it.turn(id, said(shell("break It fell over.", "say on")));
  assert.deepEqual(resultsOf(turn), ["error: It fell over.", "on"]);
  const [failed] = resultsOf(await it.turn(id, said(shell("bug A secret."))));
  assert.equal(failed, "error: The call could not be run: this server failed. Its log says more.");
  const [logged] = it.house.expectErrors();
  assert.match(String(logged?.["message"]), /a tool could not be run/);
});

test("[SES68] where none can be made no session with tools of a computer begins, and none gets any", async () => {
  const { id: agent } = await it.agent({ tools: [computer()] });
  const environment_id = (await it.environment("cloud")).id;
  const plain = await it.cloud({ tools: [custom("look")] });
  it.machine.refusal = "User namespaces are closed here.";
  const words =
    /^environment_id: is a cloud environment.*none can be made here\. User namespaces are closed here\.$/;
  const refused = errorOf(await it.tryBegin({ agent, environment_id }), 400, "unsupported");
  assert.match(refused.message, words);
  const update = { agent: { tools: [computer()] } };
  assert.match(errorOf(await it.tryUpdate(plain, update), 400, "unsupported").message, words);
  it.machine.refusal = undefined;
  await it.begin({ agent, environment_id });
  await it.update(plain, update);
  assert.deepEqual(resultsOf(await it.turn(plain, said(shell("say now")))), ["now"]);
});

test("[SES72] what no event can hold is a result all the same", async () => {
  const id = await it.cloud();
  const { outputs } = it.machine;
  outputs.set("nul", Buffer.from("a\0b"));
  outputs.set("broken", Buffer.from([0x61, 0xff, 0xed, 0xa0, 0x80, 0x62]));
  outputs.set("control", Buffer.alloc(400_000, 1));
  outputs.set("pairs", Buffer.from("\u{1f600}".repeat(60_000)));
  const turn = await it.turn(
    id,
    said(shell("give nul", "give broken", "give control", "give pairs")),
  );
  assert.deepEqual(ofType(turn, "session.error"), []);
  const [nul, broken, control = "", pairs = ""] = resultsOf(turn);
  assert.equal(nul, "a\uFFFDb");
  assert.match(broken ?? "", /^a\uFFFD+b$/);
  for (const long of [control, pairs]) assert.match(long, /characters are left out here/);
  assert.ok(pairs.isWellFormed());
  assert.deepEqual(typesOf(turn).at(-1), "session.status_idle");
});
