// Rules THR12 to THR18: when a turn is kept, and that a thread is as it was before in all other cases.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { nodeOf } from "../../server/usage/module.ts";
import {
  blockFrames,
  endFrames,
  frameOf,
  openMessagesHouse,
  startFrame,
  type LedgerRow,
  type MessagesHouse,
} from "./messages-house.ts";
import { credit07 } from "./fallbacks-house.ts";
import { until } from "./support.ts";
import { betas, continuing, create, errorOf, textOf, user } from "./threads-house.ts";

let h: MessagesHouse;
before(async () => {
  h = await openMessagesHouse();
});
after(() => h[Symbol.asyncDispose]());
beforeEach(() => {
  h.upstream.answer = ({ head, chunk, end, reply, received }) => {
    if (!received.body.includes('"stream":true')) return reply(200, JSON.stringify(whole));
    head(200);
    chunk(startFrame() + blockFrames(["Well."]).join("") + endFrames({ output_tokens: 3 }));
    end();
  };
});

const whole = {
  id: "msg_up",
  type: "message",
  role: "assistant",
  model: "theirs",
  content: [{ type: "text", text: "Well." }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 7, output_tokens: 3 },
};

const ask = (given: Record<string, unknown>, headers: Record<string, string> = betas) =>
  h.house.ask("POST", "/v1/messages", {
    key: h.house.organizations.platform.api_key,
    headers,
    body: { model: "mimic", max_tokens: 100, ...given },
  });

async function answered(given: Record<string, unknown>, headers?: Record<string, string>) {
  const { status, body } = await ask(given, headers);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

const created = (more: Record<string, unknown> = {}) =>
  answered({ messages: [user("Hello")], thread: create, ...more });

/** The thread can be continued from there, and the model sees that much of it. */
async function continues(id: string, more: Record<string, unknown> = {}) {
  return answered({ messages: [user("Go on")], thread: continuing(id), ...more });
}

const turnsOf = async (id: string) => {
  const [row] = await h.house.world.db.query<{ turns: number; answering: string | null }>(sql`
    select thread.turns, thread.answering_id as answering
    from message_thread_turns as turn join message_threads as thread on thread.id = turn.thread_id
    where turn.message_id = ${id}`);
  return row;
};

test("[THR12] every answer but a refusal is kept, streamed or whole, with an id of its own", async () => {
  const first = await created({ model: "ours" });
  const second = await continues(first.id, { model: "ours" });
  // The upstream gave one id twice.
  assert.notEqual(first.id, second.id);
  for (const directive of [
    "[[stop max_tokens]]",
    "[[tokens 200]]",
    "[[tool look]]",
    "[[stop model_context_window_exceeded]]",
  ]) {
    const { id, content } = await created({ messages: [user(`Hello ${directive}`)] });
    const calls = (content as { type: string; id: string }[]).filter(
      ({ type }) => type === "tool_use",
    );
    const results = calls.map((call) => ({ type: "tool_result", tool_use_id: call.id }));
    const said = [...results, { type: "text", text: "And?" }];
    const text = textOf(await continues(id, { messages: [user(said)] }));
    assert.match(text, calls.length > 0 ? /^look answered/ : /^You said: "And\?"/);
  }
  // An answer without a word is a turn, too.
  const silent = await created({ messages: [user("Hello [[tokens 0]]")] });
  assert.deepEqual(silent.content, []);
  await continues(silent.id);
  for (const model of ["ours", "mimic"]) {
    const asked = h.upstream.requests.length;
    const { answered: reply } = h.begin({ model, stream: true, thread: create }, betas);
    const response = await reply;
    let text = "";
    // As soon as the last event is there, and before the connection is over.
    const done = new Promise<string>((resolve) => {
      response.on("data", (bytes: Buffer) => {
        text += bytes.toString();
        if (text.includes("event: message_stop")) resolve(/"id":"(msg_\w+)"/.exec(text)?.[1] ?? "");
      });
    });
    await continues(await done, { model });
    if (model === "mimic") continue;
    const sent = JSON.parse(h.upstream.requests[asked + 1]?.body.toString() ?? "{}");
    assert.deepEqual(sent.messages[1].content, [{ type: "text", text: "Well." }]);
    assert.deepEqual([sent.messages.length, sent.thread], [3, undefined]);
  }
});

test("[THR13] a refusal keeps nothing, and its credit redeems by either way", async () => {
  const headers = { "vendor-beta": `${betas["vendor-beta"]},${credit07}` };
  const large = { model: "sim-large", max_tokens: 50 };
  const first = await answered({ ...large, messages: [user("Hello")], thread: create }, headers);
  for (const stream of [false, true]) {
    const next = { ...large, messages: [user("Go on [[refuse]]")], thread: continuing(first.id) };
    const reply = await fetch(`${h.house.url}/v1/messages`, {
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/json",
        "x-api-key": h.house.organizations.platform.api_key,
      },
      body: JSON.stringify({ ...next, stream }),
    });
    const text = await reply.text();
    assert.match(text, /"stop_reason":"refusal"/);
    const token = /"fallback_credit_token":"([^"]+)"/.exec(text)?.[1];
    assert.ok(token !== undefined);
    assert.deepEqual(await turnsOf(first.id), { turns: 1, answering: null });
    const id = /"id":"(msg_\w+)"/.exec(text)?.[1] ?? "";
    assert.equal(errorOf(await ask({ ...next, thread: continuing(id) })).code, "thread_not_found");
    const retry = { model: "sim-medium", fallback_credit_token: token };
    const { thread: _thread, ...rest } = next;
    const whole = [
      user("Hello"),
      { role: "assistant", content: first.content },
      user("Go on [[refuse]]"),
    ];
    const redeemed = await answered({ ...rest, ...retry, messages: whole }, headers);
    assert.deepEqual(redeemed.usage.fallback_credit, { status: { type: "redeemed" } });
    if (!stream) continue;
    const kept = await answered({ ...next, ...retry }, headers);
    assert.deepEqual(kept.usage.fallback_credit, { status: { type: "redeemed" } });
    await continues(kept.id);
  }
  const refused = await created({ model: "sim-large", messages: [user("[[refuse]]")] });
  const none = await ask({ messages: [user("a")], thread: continuing(refused.id) });
  assert.equal(errorOf(none).code, "thread_not_found");
});

const money = ({ outcome, estimated, input, output, nano }: LedgerRow) => ({
  outcome,
  estimated,
  input,
  output,
  nano,
});

/** Fails in the same way with and without a thread, costs the same, and leaves the thread as it was. */
async function leavesAsItWas(
  model: string,
  last: string,
  act: (body: Record<string, unknown>) => Promise<void>,
) {
  const first = await created({ model });
  const rest = { model, stream: true };
  const whole = [user("Hello"), { role: "assistant", content: first.content }, user(last)];
  const plain = await h.rowsOf(() => act({ ...rest, messages: whole }));
  const next = { ...rest, messages: [user(last)], thread: continuing(first.id) };
  const threaded = await h.rowsOf(() => act(next));
  assert.deepEqual(threaded.map(money), plain.map(money));
  await until(async () => (await turnsOf(first.id))?.answering === null, "the mark is gone");
  assert.equal((await turnsOf(first.id))?.turns, 1);
  await continues(first.id, { model: "mimic" });
  return plain;
}

test("[THR14] what fails before output leaves the thread as it was", async () => {
  await leavesAsItWas("mimic", "[[fail status=529]]", async (body) => {
    assert.equal((await ask(body)).status, 529);
  });
  const first = await created();
  const wrong = { messages: [user("a")], thread: continuing(first.id), top_k: -1 };
  assert.equal((await ask(wrong)).status, 400);
  assert.equal((await ask({ ...wrong, top_k: 1, model: "none" })).status, 404);
  assert.deepEqual(await turnsOf(first.id), { turns: 1, answering: null });
  await continues(first.id);
});

test("[THR14] a stream that breaks leaves the thread as it was", async () => {
  const [row] = await leavesAsItWas("mimic", "[[tokens 40]] [[fail after=9]]", async (body) => {
    const { answered: reply } = h.begin(body, betas);
    let text = "";
    for await (const bytes of await reply) text += String(bytes);
    assert.match(text, /event: error/);
    assert.doesNotMatch(text, /message_stop/);
  });
  assert.equal(row?.outcome, "failed");
});

test("[THR14] a client that leaves, leaves the thread as it was", async () => {
  const upstream: MessagesHouse["upstream"]["answer"] = ({ head, chunk, end, received }) => {
    head(200);
    chunk(startFrame() + blockFrames(["Well."]).slice(0, 2).join(""));
    if (!received.body.includes("stay")) return;
    chunk(frameOf({ type: "content_block_stop", index: 0 }) + endFrames({ output_tokens: 3 }));
    end();
  };
  const first = h.upstream.answer;
  h.upstream.answer = (answering) =>
    (answering.received.body.includes("leave") ? upstream : first)(answering);
  const [row] = await leavesAsItWas("ours", "Now leave", async (body) => {
    const { answered: reply, leave } = h.begin(body, betas);
    (await reply).once("data", leave).on("error", () => {});
  });
  assert.equal(row?.outcome, "cut");
});

test("[THR15] a request under way ends with its process", async () => {
  const { db } = h.house.world;
  const { id } = await created();
  const claim = (node: string, epoch: number, ago: string) =>
    db.query(sql`
      update message_threads
      set answering_id = 'msg_dead', node = ${node}, node_epoch = ${epoch},
        claimed_at = clock_timestamp() - ${ago}::interval
      where id = (select thread_id from message_thread_turns where message_id = ${id})`);
  const { id: node, epoch } = await nodeOf(h.house.world).acquire();
  const next = { messages: [user("Go on")], thread: continuing(id) };
  await claim(node, epoch, "59 minutes");
  assert.equal(errorOf(await ask(next)).code, "thread_continue_in_flight");
  const free: [string, number, string][] = [
    ["node_none", 1, "0"],
    [node, epoch - 1, "0"],
    [node, epoch, "61 minutes"],
  ];
  let last = id;
  for (const [name, at, ago] of free) {
    await claim(name, at, ago);
    last = (await continues(last)).id;
  }
  // The node itself, with nobody who holds it any more.
  await db.query(sql`
    insert into ledger_nodes (id, lease_owner, lease_epoch, lease_until)
    values ('node_late', 'process_late', 3, clock_timestamp() - interval '1 second')`);
  await claim("node_late", 3, "0");
  await continues(last);
});

test("[THR16] a process that was taken for dead keeps nothing", async () => {
  const { db } = h.house.world;
  const { id } = await created();
  const slow = ask({ messages: [user("[[tokens 40]] [[rate 80]]")], thread: continuing(id) });
  await until(async () => (await turnsOf(id))?.answering !== null, "it is under way");
  const taken = sql`
    update message_threads set node = 'node_none'
    where id = (select thread_id from message_thread_turns where message_id = ${id})`;
  await db.query(taken);
  const { id: winner } = await continues(id);
  const { status, body: late } = await slow;
  assert.equal(status, 200, "its client has the answer");
  const next = { messages: [user("a")], thread: continuing(late.id) };
  assert.equal(errorOf(await ask(next)).code, "thread_not_found");
  assert.deepEqual(await turnsOf(winner), { turns: 2, answering: null });
  assert.match(textOf(await continues(winner)), /^You said: "Go on"/);
});

test("[THR17] what cannot be stored costs no answer", async () => {
  const { db } = h.house.world;
  const { id } = await created();
  const rename = (from: string, to: string) =>
    db.query({
      text: `alter table message_thread_turns rename column ${from} to ${to}`,
      values: [],
    });
  const slow = ask({ messages: [user("[[tokens 20]] [[rate 60]]")], thread: continuing(id) });
  await until(async () => (await turnsOf(id))?.answering !== null, "it is under way");
  await rename("content", "elsewhere");
  const { status, body: lost } = await slow;
  await rename("elsewhere", "content");
  assert.equal(status, 200);
  const gone = await ask({ messages: [user("a")], thread: continuing(lost.id) });
  assert.equal(errorOf(gone).code, "thread_not_found");
  await continues(id);
  assert.ok(h.house.log.some(({ message }) => message === "a turn of a conversation is not kept"));
});

test("[THR18] each message is stored once, encrypted, and what wants no thread stores nothing", async () => {
  const { db, secrets } = h.house.world;
  const rows = () =>
    db.query<{ id: string; content: string; workspace: string }>(sql`
      select turn.message_id as id, turn.content, thread.workspace_id as workspace
      from message_thread_turns as turn join message_threads as thread on thread.id = turn.thread_id
      order by turn.message_id`);
  const before = await rows();
  await answered({ messages: [user("Hello")] });
  assert.equal((await rows()).length, before.length);
  const long = "A very long beginning. ".repeat(900);
  let last = await created({ messages: [user(long)], system: "Know nothing." });
  for (let turn = 0; turn < 5; turn++) last = await continues(last.id);
  const added = (await rows()).slice(before.length);
  assert.equal(added.length, 6);
  const [first, ...later] = added.map(({ content }) => content.length);
  assert.ok(first !== undefined && first > long.length);
  assert.ok(
    later.every((length) => length < 1_500),
    later.join(),
  );
  assert.ok(added.every(({ content }) => content.startsWith("v1.")));
  const [one, other] = added;
  assert.ok(one && other);
  const context = (id: string, workspace: string) => `a turn of a conversation ${workspace} ${id}`;
  const open = secrets.decrypt(one.content, context(one.id, one.workspace)).toString();
  assert.equal(JSON.parse(open).system, "Know nothing.");
  for (const [id, workspace] of [
    [other.id, one.workspace],
    [one.id, "wrkspc_other"],
  ] as const)
    assert.throws(() => secrets.decrypt(one.content, context(id, workspace)));
});
