// Rule SES23: calls that wait for the word of a person before they are run.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { statusesOf } from "./memory-house.ts";
import {
  computer,
  confirm,
  custom,
  customResult,
  ofType,
  openSessionHouse,
  result,
  said,
  typesOf,
  wordsOf,
  type SessionEvent,
  type SessionHouse,
} from "./sessions-house.ts";
import { sentenceOf } from "./support.ts";

let it: SessionHouse;
before(async () => {
  it = await openSessionHouse();
});
after(() => it[Symbol.asyncDispose]());

const stopOf = (events: readonly SessionEvent[]) => events.at(-1)?.["stop_reason"] as unknown;
const waitsFor = (...ids: readonly string[]) => ({ type: "requires_action", event_ids: ids });
const endTurn = { type: "end_turn" };
const notPending = "tool_call_not_pending";

async function asking(calls = "bash", tools: readonly object[] = [computer("always_ask")]) {
  const { id } = await it.make({ tools });
  const turn = await it.turn(id, said(`[[tools ${calls}]]`));
  const made = turn.filter(({ type }) => /^agent\.(custom_)?tool_use$/.test(type));
  const ids = made.map((call) => call.id);
  return { id, turn, ids, first: ids[0] ?? "", calls: made };
}

test("[SES23] a call that asks waits for a word, then for its result", async () => {
  const { id, turn, first, calls } = await asking();
  assert.equal(calls[0]?.["evaluated_permission"], "ask");
  assert.deepEqual(calls[0]["evaluation"], { type: "always_ask" });
  assert.deepEqual(stopOf(turn), waitsFor(first));
  const before = await it.events(id);
  await it.refuses(
    id,
    [result(first, "Early")],
    "tool_confirmation_pending",
    /user\.tool_confirma/,
  );
  assert.deepEqual(await it.events(id), before);
  const allowed = await it.turn(id, confirm(first, "allow"));
  assert.deepEqual(typesOf(allowed), [
    "user.tool_confirmation",
    "session.thread_status_idle",
    "session.status_idle",
  ]);
  assert.deepEqual(stopOf(allowed), waitsFor(first));
  await it.refuses(id, [confirm(first, "allow")], notPending, /waits for no confirmation/);
  await it.refuses(id, [confirm(first, "deny")], notPending, /waits for no confirmation/);
  const done = await it.turn(id, result(first, "Three files."));
  assert.match(String(wordsOf(done)), /bash answered: "Three files\."/);
  assert.deepEqual(stopOf(done), endTurn);
});

test("[SES23] word and result may come in one request", async () => {
  const { id, first } = await asking();
  const turn = await it.turn(id, confirm(first, "allow"), result(first, "Three files."));
  assert.equal(turn[2]?.type, "session.status_running");
  assert.match(String(wordsOf(turn)), /bash answered: "Three files\."/);
});

test("[SES23] one that is denied is not run, and its result says why", async () => {
  const words = async (more: object) => {
    const { id, first } = await asking();
    const turn = await it.turn(id, confirm(first, "deny", more));
    assert.equal(turn[1]?.type, "session.status_running");
    const [told] = ofType(turn, "agent.tool_result");
    assert.deepEqual([told?.["tool_use_id"], told?.["is_error"]], [first, true]);
    await it.refuses(id, [result(first, "Late")], notPending, new RegExp(first));
    await it.refuses(id, [confirm(first, "allow")], notPending, new RegExp(first));
    assert.deepEqual(stopOf(turn), endTurn);
    assert.match(String(wordsOf(turn)), /bash failed: "The call was denied/);
    return told?.["content"][0].text as string;
  };
  assert.equal(
    await words({ deny_message: "Not on a Friday." }),
    "The call was denied: Not on a Friday.",
  );
  assert.equal(await words({}), "The call was denied.");
  assert.equal(await words({ deny_message: null }), "The call was denied.");
});

test("[SES23] a reason goes with a denial alone, and has at most 10,000 characters", async () => {
  const { id, first } = await asking();
  const before = await it.events(id);
  const reason = (length: number) => ({ deny_message: "d".repeat(length) });
  const allowed = await it.trySend(id, [confirm(first, "allow", reason(1))]);
  assert.match(sentenceOf(allowed, 400), /deny_message: is only taken with the result deny/);
  sentenceOf(await it.trySend(id, [confirm(first, "deny", reason(10_001))]), 400);
  assert.deepEqual(await it.events(id), before);
  await it.turn(id, confirm(first, "deny", reason(10_000)));
});

test("[SES23] with the policy auto it is asked, because nobody can tell", async () => {
  const { id, first, calls } = await asking("bash", [computer("auto")]);
  assert.equal(calls[0]?.["evaluated_permission"], "ask");
  assert.deepEqual(calls[0]["evaluation"], {
    type: "auto",
    evaluated_permission: { type: "ask", reason_code: "indeterminate" },
  });
  await it.refuses(id, [result(first, "Early")], "tool_confirmation_pending", /confirmation/);
  assert.deepEqual(stopOf(await it.turn(id, confirm(first, "allow"), result(first, "x"))), endTurn);
});

test("[SES23] the policy of a tool goes before that of its set", async () => {
  const mixed = {
    ...computer("always_ask"),
    configs: [{ name: "read", enabled: true, permission_policy: { type: "always_allow" } }],
  };
  const { calls } = await asking('bash | read {"file_path": "/a"}', [mixed]);
  assert.deepEqual(
    calls.map((call) => call["evaluated_permission"] as string),
    ["ask", "allow"],
  );
});

test("[SES23] words about some of several calls, each in its own time", async () => {
  const { id, turn, ids } = await asking("bash | bash | look | bash", [
    computer("always_ask"),
    custom("look"),
  ]);
  const [one = "", two = "", look = "", last = ""] = ids;
  assert.deepEqual(stopOf(turn), waitsFor(one, two, look, last));
  await it.send(id, confirm(two, "deny"));
  const told = await it.seen(id, "agent.tool_result");
  assert.equal(told["tool_use_id"], two);
  const denied = (await it.events(id)).slice(turn.length);
  assert.deepEqual(typesOf(denied), [
    "user.tool_confirmation",
    "session.thread_status_idle",
    "session.status_idle",
    "agent.tool_result",
  ]);
  assert.deepEqual(stopOf(denied.slice(0, -1)), waitsFor(one, look, last));
  assert.equal((await it.read(id)).status, "idle");
  // Still of the round: what was allowed waits on for its result.
  const allowed = await it.turn(id, confirm(one, "allow"), customResult(look, "Seen."));
  assert.deepEqual(stopOf(allowed), waitsFor(one, last));
  const done = await it.turn(
    id,
    confirm(last, "deny", { deny_message: "No." }),
    result(one, "Ran."),
  );
  assert.match(
    String(wordsOf(done)),
    /bash answered: "Ran\."\. bash failed: "The call was denied\."\. look answered: "Seen\."\. bash failed: "The call was denied: No\."/,
  );
  assert.deepEqual(stopOf(done), endTurn);
});

test("[SES23] of two words at once the first counts", async () => {
  const { id, first } = await asking();
  const answers = await Promise.all([
    it.trySend(id, [confirm(first, "deny")]),
    it.trySend(id, [confirm(first, "allow")]),
    it.trySend(id, [confirm(first, "deny")]),
  ]);
  assert.deepEqual(statusesOf(answers), [200, 400, 400]);
  assert.equal(ofType(await it.events(id), "user.tool_confirmation").length, 1);
});
