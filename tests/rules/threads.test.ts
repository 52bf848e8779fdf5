// Rules THR1 to THR11: what a request with a thread may be, and what it means.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { limits } from "../../server/messages/limits.ts";
import type { Usage } from "../../server/models/module.ts";
import type { Answer } from "../house.ts";
import { memoryBudgetsPart } from "../../server/messages/module.ts";
import { makeKey, until } from "./support.ts";
import { queryPosted } from "../posted.ts";
import {
  betas,
  body,
  continuing,
  create,
  errorOf,
  openThreads,
  textOf,
  user,
  type ThreadsHouse,
} from "./threads-house.ts";

let t: ThreadsHouse;
before(async () => {
  const wide = { id: "wide", upstream: "house", max_input_tokens: 100_000_000 };
  const models = { upstreams: { house: { kind: "simulator" } }, models: [wide] };
  t = await openThreads({ sections: { models } });
});
after(() => t[Symbol.asyncDispose]());

const tools = [
  {
    name: "look",
    input_schema: { type: "object", properties: { at: { type: "string" } } },
  },
];

test("[THR1] a thread is created or continued, and anything else names its path", async () => {
  const messages = [user("Hello")];
  const odd: [unknown, RegExp][] = [
    ["create", /^thread: must be an object/],
    [[], /^thread: must be an object/],
    [{}, /^thread\.type: must be create or continue/],
    [{ type: "fork" }, /^thread\.type: must be create or continue; found "fork"/],
    [{ type: "create", previous_message_id: "msg_1" }, /^thread\.previous_message_id: stands only/],
    [{ type: "continue" }, /^thread\.previous_message_id: must be the id/],
    [{ type: "continue", previous_message_id: 5 }, /^thread\.previous_message_id: must be the id/],
    [{ type: "continue", previous_message_id: "" }, /^thread\.previous_message_id: must be the id/],
    [{ type: "create", id: "x" }, /^thread\.id: is not known here/],
  ];
  for (const [thread, sentence] of odd) {
    const { status, code, message } = errorOf(await t.post({ messages, thread }));
    assert.deepEqual([status, code], [400, undefined], message);
    assert.match(message, sentence);
  }
  const twice = JSON.stringify({ ...body, messages, thread: create });
  const again = twice.replace('"type":"create"', '"type":"create","type":"create"');
  const { status, message } = errorOf(await t.post({}, { ...asked, body: again }));
  assert.deepEqual([status, message], [400, "thread.type: is given twice; send it once."]);
  const none = await t.turn({ messages, thread: null });
  assert.equal(await t.kept(none.id), undefined);
  const without = errorOf(await t.post({ messages, thread: create }, { ...asked, headers: {} }));
  assert.deepEqual([without.status, without.code], [400, "thread_unsupported_request"]);
  assert.match(without.message, /vendor-beta: message-threads-2026-08-12/);
});

const asked = {
  headers: betas,
  get key() {
    return t.house.organizations.platform.api_key;
  },
};

const withoutId = ({ id, ...rest }: { id: string }) => {
  assert.match(id, /^msg_/);
  return rest;
};

test("[THR2] a turn is answered, counted and cached as the whole conversation", async () => {
  const long = "All of this is background, word for word. ".repeat(160);
  const system = [
    { type: "text", text: long, cache_control: { type: "ephemeral" } },
    { type: "text", text: "Be brief." },
  ];
  const common = { model: "sim-large", max_tokens: 300, system, tools };
  const questions = [user('Look. [[tool look {"at":"x"}]]'), "result", user("And now?")];
  const whole: Record<string, unknown>[] = [];
  let last: Answer["body"];
  let previous: string | undefined;
  let call: string | undefined;
  for (const each of questions) {
    const next =
      each === "result"
        ? user([{ type: "tool_result", tool_use_id: call, content: "a tree" }])
        : each;
    whole.push(next as Record<string, unknown>);
    const { system: _s, tools: _t, ...fields } = common;
    const given =
      previous === undefined
        ? { ...common, thread: create }
        : { ...fields, thread: continuing(previous) };
    const message = await t.turn({ ...given, messages: [next] });
    const same = await t.turn({ ...common, messages: whole });
    last = message;
    // The first of the two writes the cache, the second reads it: all but the classes is the same.
    const total = (usage: Usage) =>
      usage.input_tokens +
      (usage.cache_read_input_tokens ?? 0) +
      (usage.cache_creation_input_tokens ?? 0);
    assert.equal(total(message.usage), total(same.usage));
    assert.equal(message.usage.output_tokens, same.usage.output_tokens);
    const { usage: _a, ...one } = withoutId(message) as { usage: unknown };
    const { usage: _b, ...other } = withoutId(same) as { usage: unknown };
    assert.deepEqual(one, other);
    if (previous !== undefined) assert.ok(message.usage.cache_read_input_tokens > 1_000);
    whole.push({ role: "assistant", content: message.content });
    previous = message.id;
    call = message.content.find(({ type }: { type: string }) => type === "tool_use")?.id;
  }
  assert.match(textOf(last), /^You said: "And now\?"/);
  const rows = await queryPosted<{ nano: number }>(t.house.world.db, {
    text: "select amount_nano as nano from ledger where model = 'sim-large' order by at, id",
    values: [],
  });
  assert.equal(rows.length, 6);
  assert.ok(rows.every(({ nano }) => nano > 0));
});

test("[THR3] what is not there, has expired or is another's is not found", async () => {
  const { id } = await t.created("Hello");
  const next = { messages: [user("More")], thread: continuing(id) };
  const { organizations } = t.house;
  const elsewhere = await t.house.ask("POST", "/console/api/workspaces", {
    cookie: organizations.platform.cookie,
    body: { name: "Elsewhere" },
  });
  assert.equal(elsewhere.status, 200, JSON.stringify(elsewhere.body));
  const inOther = await makeKey(t.house, organizations.platform, {
    kind: "api",
    workspace_id: elsewhere.body.id,
  });
  const answers = [
    await t.post({ ...next, thread: continuing("msg_never") }),
    await t.post({ ...next, thread: continuing("x".repeat(5_000)) }),
    await t.post(next, { ...asked, key: organizations.other.api_key }),
    await t.post(next, { ...asked, key: inOther.secret }),
  ];
  for (const answer of answers) {
    const { status, code, message } = errorOf(answer);
    assert.deepEqual([status, code], [404, "thread_not_found"], message);
    assert.equal(answer.body.error.type, "not_found_error");
    assert.match(message, /\{"type": "create"\}/);
    assert.ok(message.length < 400);
  }
  await t.turn(next);
});

test("[THR4] each answer is continued once", async () => {
  const first = await t.created("Hello");
  const second = await t.turn({ messages: [user("More")], thread: continuing(first.id) });
  const again = await t.post({ messages: [user("Other")], thread: continuing(first.id) });
  const { status, code } = errorOf(again);
  assert.deepEqual([status, code], [400, "thread_already_continued"]);
  assert.equal(again.body.error.type, "invalid_request_error");
  await t.turn({ messages: [user("Onward")], thread: continuing(second.id) });
});

test("[THR5] one request at a time continues a thread, on every process", async () => {
  await using second = await t.house.openSecondServer();
  const { id } = await t.created("Hello");
  const next = { messages: [user("[[tokens 30]] [[rate 60]]")], thread: continuing(id) };
  const slow = t.post(next);
  const answering = sql`select id from message_threads where answering_id is not null`;
  await until(async () => (await t.house.world.db.query(answering)).length === 1, "the first one");
  const elsewhere = async () => {
    const reply = await fetch(`${second.url}/v1/messages`, {
      method: "POST",
      headers: { ...betas, "x-api-key": asked.key, "content-type": "application/json" },
      body: JSON.stringify({ ...body, ...next }),
    });
    return { status: reply.status, body: await reply.json(), headers: reply.headers };
  };
  const codes = new Set<unknown>();
  const over = { is: false };
  const watching = slow.finally(() => (over.is = true));
  while (!over.is) codes.add(errorOf(await elsewhere()).code);
  assert.equal((await watching).status, 200);
  assert.deepEqual([...codes].slice(0, 1), ["thread_continue_in_flight"]);
  assert.deepEqual(errorOf(await elsewhere()).code, "thread_already_continued");
  // Many at once: exactly one wins.
  const { id: other } = await t.created("Hello again");
  const many = await Promise.all(
    Array.from({ length: 8 }, () =>
      t.post({ messages: [user("[[tokens 9]] [[rate 90]]")], thread: continuing(other) }),
    ),
  );
  assert.equal(many.filter(({ status }) => status === 200).length, 1);
  for (const answer of many.filter(({ status }) => status !== 200))
    assert.match(String(errorOf(answer).code), /^thread_(continue_in_flight|already_continued)$/);
});

test("[THR6] system and tools stay, and all else may change", async () => {
  const system = "Be brief.";
  const { id } = await t.created("Hello", { system, tools });
  const next = { messages: [user("More")], thread: continuing(id) };
  const changes: [Record<string, unknown>, string][] = [
    [{ system: "Be long." }, "system"],
    [{ tools: [] }, "tools"],
    [
      { system: [{ type: "text", text: system }], tools: [{ ...tools[0], name: "b" }] },
      "system and tools",
    ],
  ];
  for (const [change, named] of changes) {
    const { status, code, message } = errorOf(await t.post({ ...next, ...change }));
    assert.deepEqual([status, code], [400, "thread_fingerprint_mismatch"]);
    assert.ok(message.startsWith(`${named}: `), message);
  }
  const [{ name, input_schema }] = tools as [(typeof tools)[0]];
  const same = { system, tools: [{ input_schema, name }] };
  const second = await t.turn({ ...next, ...same });
  const changed = await t.turn({
    model: "sim-small",
    max_tokens: 90,
    tool_choice: { type: "tool", name: "look" },
    messages: [user("Once more")],
    thread: continuing(second.id),
  });
  assert.deepEqual([changed.model, changed.stop_reason], ["sim-small", "tool_use"]);
  const bare = await t.created("Hello");
  await t.turn({ messages: [user("More")], tools: [], thread: continuing(bare.id) });
});

test("[THR7] after a pause nothing new is needed, and only then", async () => {
  const first = await t.created('[[say "One two"]] [[stop pause_turn]]');
  assert.equal(first.stop_reason, "pause_turn");
  const second = await t.turn({
    messages: [],
    thinking: { type: "adaptive" },
    thread: continuing(first.id),
  });
  assert.equal(second.stop_reason, "end_turn");
  const none = errorOf(await t.post({ messages: [], thread: continuing(second.id) }));
  assert.equal(none.status, 400);
  assert.match(none.message, /^messages: must hold what is new: only .* pause_turn/);
  const { message } = errorOf(await t.post({ messages: "x", thread: continuing(second.id) }));
  assert.match(message, /^messages: must be an array/);
  assert.equal(errorOf(await t.post({ messages: [], thread: create })).status, 400);
  await t.turn({ messages: [user("Go on")], thread: continuing(second.id) });
});

test("[THR8] what does not go with a thread is named before all else", async () => {
  const mark = { type: "ephemeral" };
  const block_binding = { type: "strict" };
  const refused: [Record<string, unknown>, string[]][] = [
    [{ cache_control: mark }, ["cache_control"]],
    [{ context_management: { edits: [] } }, ["context_management"]],
    [{ fallbacks: "default", cache_control: mark }, ["cache_control", "fallbacks"]],
    [{ thinking: { type: "adaptive", block_binding } }, ["thinking"]],
  ];
  for (const [fields, unsupported] of refused)
    for (const thread of [create, continuing("msg_never")]) {
      const answer = await t.post({ odd: 1, messages: 5, thread, ...fields });
      assert.deepEqual(errorOf(answer).code, "thread_unsupported_request");
      assert.deepEqual(answer.body.error.details.unsupported, unsupported);
    }
  const { model } = body;
  const counted = await t.house.ask("POST", "/v1/messages/count_tokens", {
    ...asked,
    body: { model, messages: [user("Hello")], thread: create },
  });
  assert.deepEqual(errorOf(counted).code, "thread_unsupported_request");
  const off = { cache_control: null, context_management: null, fallbacks: null };
  const { id } = await t.created("Hello", { ...off, thinking: { type: "adaptive" } });
  const block = { type: "text", text: "More", cache_control: mark };
  await t.turn({ messages: [user([block])], thread: continuing(id) });
});

test("[THR9] paths number the messages as the request did", async () => {
  const first = await t.created('[[tool look {"at":"x"}]]', { tools });
  const next = (messages: unknown) => t.post({ messages, thread: continuing(first.id) });
  const odd: [unknown, RegExp][] = [
    [[user("a"), { role: "user", content: 5 }], /^messages\.1\.content: must be/],
    [[user([{ type: "text", text: "" }])], /; messages\.0\.content\.0 is empty or blank/],
    [
      [user([{ type: "tool_result", tool_use_id: "x" }])],
      /^messages\.0\.content\.0\.tool_use_id: /,
    ],
    [[user("No result")], /^the thread's messages\.1\.content\.0: is a tool_use without/],
  ];
  for (const [messages, sentence] of odd) {
    const { status, message } = errorOf(await next(messages));
    assert.equal(status, 400);
    assert.match(message, sentence);
  }
});

test("[THR10] marks of kept messages never make a request of too many", async () => {
  const marked = (text: string, ttl?: string) =>
    user([{ type: "text", text, cache_control: { type: "ephemeral", ...(ttl && { ttl }) } }]);
  const long = "Each of these words is counted, one by one. ".repeat(110);
  const system = [{ type: "text", text: long, cache_control: { type: "ephemeral", ttl: "1h" } }];
  let last = await t.created("", { messages: [marked("0", "5m")], system });
  for (let turn = 1; turn < 7; turn++) {
    last = await t.turn({ messages: [marked(`${turn}`)], thread: continuing(last.id) });
    assert.ok(last.usage.cache_read_input_tokens > 1_000, `turn ${turn} reads what was written`);
  }
  // What was marked is read where the request marks nothing.
  last = await t.turn({ messages: [user("plain")], thread: continuing(last.id) });
  assert.ok(last.usage.cache_read_input_tokens > 1_200);
  // An hour's mark stands before those of five minutes.
  last = await t.turn({ messages: [marked("hour", "1h")], thread: continuing(last.id) });
  const four = [1, 2, 3, 4].map((each) => marked(`${each}`));
  const tooMany = errorOf(await t.post({ messages: four, thread: continuing(last.id) }));
  assert.match(tooMany.message, /^messages\.3\.content\.0\.cache_control: is one mark too many/);
});

test("[THR11] a conversation is as long as a request may be, and no longer", async () => {
  const said = user(`${"x".repeat(limits.bodyBytesMax - 4_000)} [[say "y"]]`);
  const wide = { model: "wide", max_tokens: 10 };
  // As the newer version of the wire has it, which is as it is kept.
  const newer = { ...asked, headers: { ...betas, "vendor-version": "2026-10-21" } };
  const first = await t.turn({ ...wide, messages: [said], thread: create }, newer);
  const answered = { role: "assistant", content: first.content };
  const whole = (text: string) => ({ ...wide, messages: [said, answered, user(text)] });
  const text = "z".repeat(limits.bodyBytesMax - JSON.stringify(whole("")).length);
  const next = { ...wide, messages: [user(text)], thread: continuing(first.id) };
  const over = errorOf(await t.post({ ...next, messages: [user(`${text}z`)] }));
  assert.equal(over.status, 413);
  assert.match(over.message, /33554433 bytes; a request takes at most 33554432/);
  const { messages: budget } = memoryBudgetsPart.of(t.house.world);
  let taken = 0;
  const answer = t.turn(next);
  await until(async () => (taken = Math.max(taken, budget.taken())) > 0, "its bytes are counted");
  await answer;
  assert.ok(taken > limits.bodyBytesMax - 8_000, `${taken} bytes`);
  assert.equal(budget.taken(), 0);
});
