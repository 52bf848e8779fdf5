// Rules SML1 to SML11, of the simulator itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Failure } from "../../kernel/base/failure.ts";
import { makeSimulator } from "../../server/models/simulator/adapter.ts";
import { readDirectives } from "../../server/models/steering/directives.ts";
import {
  accumulate,
  piecesOfText,
  tokensOfBlock,
  tokensOfBody,
  tokensOfText,
  type Block,
  type Message,
  type MessageBody,
} from "../../server/models/module.ts";
import {
  attempt,
  eventsOf,
  failure,
  kinds,
  options,
  reply,
  textOf,
  thinking,
} from "./simulator-asks.ts";
import { cpuMsOf } from "./support.ts";

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.constantFrom(
    '[[say "x ]] {"]]',
    "[[refuse after=3]]",
    "[[tokens 40]] [[stop max_tokens]]",
    '[[tool read {"a":[[1]]}]]',
    "[[think 5]] hello",
    "[[fail status=500 times=0]]",
  ),
);
const anyChanges = fc.record(
  {
    on: fc.constantFrom("sim-large", "sim-medium", "sim-small", "sim-classic", "sim-classic-small"),
    max_tokens: fc.integer({ min: 0, max: 90 }),
    thinking: fc.constantFrom(thinking, { ...thinking, display: "omitted" }, { type: "disabled" }),
    output_config: fc.record({ effort: fc.constantFrom("low", "medium", "high", "xhigh", "max") }),
    stop_sequences: fc.array(fc.constantFrom("e", "same", "You"), { maxLength: 2 }),
  },
  { requiredKeys: [] },
);

test("[SML1] the stream adds up to the reply, one delta a token, and the same request gets the same", () =>
  fc.assert(
    fc.asyncProperty(anyText, anyChanges, async (text, changes) => {
      const sum = accumulate();
      const events = await eventsOf(text, changes);
      for (const event of events) sum.add(event);
      const whole = await reply(text, changes);
      assert.deepEqual(sum.message(), whole);
      assert.deepEqual(await reply(text, changes), whole);
      const shown = changes.thinking && "display" in changes.thinking ? "text" : "";
      const deltas = events.filter(
        ({ type, delta }) =>
          type === "content_block_delta" &&
          (delta as Block).type !== "signature_delta" &&
          (shown === "" || (delta as Block).type !== "thinking_delta"),
      );
      const names = whole.content.reduce(
        (sum, { type, name }) => sum + (type === "tool_use" ? tokensOfText(String(name)) : 0),
        0,
      );
      const details = whole.usage["output_tokens_details"] as { thinking_tokens: number };
      const hidden = shown === "" ? 0 : details.thinking_tokens;
      assert.equal(deltas.length + names + hidden, whole.usage.output_tokens);
      assert.ok(whole.usage.output_tokens <= (changes.max_tokens ?? 10_000));
    }),
    { numRuns: 300 },
  ));

test("[SML1] the events of a stream stand in the order of the contract", async () => {
  const events = await eventsOf('[[think 2]] [[say "12345678"]]', { thinking });
  assert.deepEqual(
    events.map(({ type, index, delta }) =>
      [type, index, (delta as Block | undefined)?.type].join(),
    ),
    [
      "message_start,,",
      "content_block_start,0,",
      "content_block_delta,0,thinking_delta",
      "content_block_delta,0,thinking_delta",
      "content_block_delta,0,signature_delta",
      "content_block_stop,0,",
      "content_block_start,1,",
      "content_block_delta,1,text_delta",
      "content_block_delta,1,text_delta",
      "content_block_stop,1,",
      "message_delta,,",
      "message_stop,,",
    ],
  );
  const sum = accumulate();
  for (const event of events) sum.add(event);
  sum.add({ type: "message_delta", delta: {}, usage: { input_tokens: null } });
  assert.ok(sum.message()?.usage.input_tokens);
  const start = events[0]?.["message"] as Message;
  assert.deepEqual([start.content, start.stop_reason, start.usage.output_tokens], [[], null, 0]);
  assert.deepEqual(events[6]?.["content_block"], { type: "text", text: "", citations: null });
});

test("[SML2] tokens are bytes over four for each piece, and cutting a text keeps the count", async () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 80 }), fc.nat(30), (text, count) => {
      const pieces = piecesOfText(text);
      assert.equal(pieces.join(""), text);
      assert.equal(pieces.length, Math.ceil(Buffer.byteLength(text) / 4));
      assert.ok(!pieces.includes(""));
      const kept = pieces.slice(0, count);
      assert.equal(tokensOfText(kept.join("")), kept.length);
    }),
    { numRuns: 500 },
  );
  const body: MessageBody = {
    model: "sim-large",
    max_tokens: 1,
    system: [{ type: "text", text: "12345", cache_control: { type: "ephemeral" } }],
    tools: [{ name: "t", input_schema: {}, cache_control: { type: "ephemeral" } }],
    messages: [
      { role: "user", content: "1234" },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "toolu_1", name: "abc", input: { a: 1 } }],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "ok" }] },
          { type: "image", source: { type: "base64", data: "A".repeat(9_000) } },
          { type: "document", source: { type: "text", data: "123456789" } },
        ],
      },
    ],
  };
  const tool = Math.ceil('{"name":"t","input_schema":{}}'.length / 4);
  assert.equal(tokensOfBody(body), 2 + tool + 3 * 3 + 1 + (1 + 2) + 1 + 1_600 + 3);
  const { usage } = await reply("", body);
  assert.equal(usage.input_tokens, tokensOfBody(body));
});

test("[SML3] only the last user turn that has text steers, and directives are not read", async () => {
  const result = [
    { role: "user" as const, content: '[[say "first"]]' },
    { role: "assistant" as const, content: "first" },
    { role: "user" as const, content: 'Hello [[think 3]] [[what]] "there"' },
    { role: "assistant" as const, content: [{ type: "tool_use", id: "1", name: "x", input: {} }] },
    {
      role: "user" as const,
      content: [{ type: "tool_result", tool_use_id: "1", content: 'it says [[say "no"]] this' }],
    },
  ];
  assert.match(textOf(await reply("", { messages: result })), /^x answered: "it says {1,2}this"\./);
  const first = textOf(await reply("", { messages: result.slice(0, 3) }));
  assert.match(first, /^You said: "Hello \[\[what\]\] "there""/);
  assert.equal(textOf(await reply("", { messages: result.slice(0, 1) })), "first");
  for (const text of [
    "[[say 3]]",
    "[[refuse category=x]]",
    "[[tokens -1]]",
    '[[say "a',
    "[[ ]]",
    "[[fail status=200]]",
  ])
    assert.equal(readDirectives(text).rest, text);
  const tookMs = cpuMsOf(() => void readDirectives("[[say {".repeat(200_000)));
  assert.ok(tookMs < 5_000, "brackets that never close take for ever");
});

test("[SML4] effort decides lengths, and thinking is where it is on", async () => {
  const lengths = async (effort: string | undefined, on = "sim-large") => {
    const output_config = effort === undefined ? {} : { effort };
    const { content } = await reply("How long?", { thinking, output_config, on });
    return content.map(tokensOfBlock);
  };
  assert.deepEqual(await lengths(undefined), await lengths("high"));
  const [low, medium, high, xhigh, max] = await Promise.all(
    ["low", "medium", "high", "xhigh", "max"].map((each) => lengths(each)),
  );
  assert.equal(low?.length, 1);
  const sums = [low, medium, high, xhigh, max].map((each = []) => each.reduce((a, b) => a + b, 0));
  assert.deepEqual(
    sums,
    [...new Set(sums)].sort((a, b) => a - b),
    String(sums),
  );
  assert.equal(kinds(await reply("x", { on: "sim-small", thinking })), "text");
  assert.equal(kinds(await reply("x", { thinking: { type: "between_tools" } })), "text");
  const classic = await reply("[[think 40]]", {
    on: "sim-classic",
    thinking: { type: "enabled", budget_tokens: 30 },
  });
  assert.deepEqual(classic.usage["output_tokens_details"], { thinking_tokens: 30 });
  const omitted = await reply("[[think 40]]", { thinking: { ...thinking, display: "omitted" } });
  assert.equal(omitted.content[0]?.["thinking"], "");
  assert.deepEqual(omitted.usage["output_tokens_details"], { thinking_tokens: 40 });
});

test("[SML5] text, length, end and speed are as told", async () => {
  assert.equal(
    textOf(await reply('[[say "a ]] \\"b\\" [[tool x {}]]"]] rest')),
    'a ]] "b" [[tool x {}]]',
  );
  assert.equal((await reply("[[tokens 500]]")).usage.output_tokens, 500);
  assert.equal((await reply("[[stop pause_turn]]")).stop_reason, "pause_turn");
  const startedMs = performance.now();
  await eventsOf("[[tokens 30]] [[rate 100]]");
  const tookMs = performance.now() - startedMs;
  assert.ok(tookMs > 280 && tookMs < 3_000, `${tookMs} ms for 30 tokens at 100 a second`);
});

test("[SML6] the named models decline, before output or in the middle", async () => {
  const plain = await reply("[[refuse category=cyber]]");
  assert.deepEqual(
    [plain.stop_reason, plain.content, plain.usage.output_tokens, plain.stop_details?.category],
    ["refusal", [], 0, "cyber"],
  );
  assert.equal((await reply("[[refuse]]")).stop_details?.category, null);
  assert.equal((await reply("[[refuse category=none models=*]]")).stop_reason, "refusal");
  const other = await reply("[[refuse category=bio]]", { on: "sim-medium" });
  assert.deepEqual([other.stop_reason, other.stop_details], ["end_turn", null]);
  const late = await reply("[[refuse models=sim-small after=12]] [[tokens 30]]", {
    on: "sim-small",
  });
  assert.deepEqual([late.stop_reason, textOf(late).length], ["refusal", 48]);
  const events = await eventsOf('[[refuse after=3]] [[tool abcd {"x":"12345678901234567890"}]]');
  assert.deepEqual(events.map(({ type }) => type).slice(-3), [
    "content_block_stop",
    "message_delta",
    "message_stop",
  ]);
});

test("[SML7] calls come one in a turn, in order, and then an answer", async () => {
  const at = makeSimulator(options());
  const tools = [{ name: "read", input_schema: { type: "object" } }, { name: "write" }];
  const messages: MessageBody["messages"][number][] = [
    { role: "user", content: '[[tool read {"path":"a"}]] then [[tool write {"n":[[1]]}]]' },
  ];
  const ids = new Set<unknown>();
  for (const [name, input] of [
    ["read", { path: "a" }],
    ["write", { n: [[1]] }],
  ] as const) {
    const message = await reply("", { messages, tools, at });
    const [call] = message.content;
    assert.deepEqual(
      [message.stop_reason, call?.["name"], call?.["input"]],
      ["tool_use", name, input],
    );
    ids.add(call?.["id"]);
    messages.push(
      { role: "assistant", content: message.content },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: call?.["id"],
            content: "fine",
            is_error: name === "write",
          },
        ],
      },
    );
  }
  assert.equal(ids.size, 2);
  const last = await reply("", { messages, tools, at });
  assert.deepEqual(
    [last.stop_reason, textOf(last).slice(0, 22)],
    ["end_turn", 'write failed: "fine". '],
  );
  assert.equal(
    kinds(await reply("[[tool read {}]]", { tools, tool_choice: { type: "none" } })),
    "text",
  );
  const schema = {
    type: "object",
    properties: { n: { type: "integer", minimum: 7 } },
    required: ["n"],
  };
  const forced = await reply("hello", {
    tools: [{ name: "read", input_schema: schema }],
    tool_choice: { type: "tool", name: "read" },
  });
  assert.deepEqual([forced.stop_reason, forced.content[0]?.["input"]], ["tool_use", { n: 7 }]);
  assert.equal(
    (await reply("hi", { tools, tool_choice: { type: "any" } })).content[0]?.["name"],
    "read",
  );
});

test("[SML8] it fails as told, for so many attempts with one body", async () => {
  const at = makeSimulator(options());
  const text = "[[fail status=429 times=2 retry_after=7]]";
  const first = await failure(text, { at });
  assert.deepEqual([first.status, first.type], [429, "rate_limit_error"]);
  assert.equal(first.options.headers?.["retry-after"], "7");
  await failure(text, { at });
  assert.equal((await reply(text, { at })).stop_reason, "end_turn");
  assert.equal((await failure(text, { at, max_tokens: 5 })).status, 429);
  assert.deepEqual(
    [(await failure("[[fail]]")).status, (await failure("[[fail status=503]]")).type],
    [529, "api_error"],
  );
  const broken = await attempt("[[tokens 20]] [[fail status=500 after=5]]", {}, true);
  assert.ok(broken.kind === "stream");
  let deltas = 0;
  await assert.rejects(async () => {
    for await (const batch of broken.events)
      deltas += batch.filter(({ name }) => name === "content_block_delta").length;
  }, Failure);
  assert.equal(deltas, 5);
  const named = await attempt('[[tool abcdefgh {"x":1}]] [[fail after=1]]', {}, true);
  assert.ok(named.kind === "stream");
  const seen: string[] = [];
  await assert.rejects(async () => {
    for await (const batch of named.events) seen.push(...batch.map(({ name }) => name));
  }, Failure);
  assert.deepEqual(seen, ["message_start"]);
  assert.equal((await failure("[[tokens 20]] [[fail status=500 after=5]]")).status, 500);
});

test("[SML9] limits cut, formats are kept, and it goes on where it was", async () => {
  const cut = await reply("[[tokens 20]]", { max_tokens: 7 });
  assert.deepEqual([cut.stop_reason, cut.usage.output_tokens], ["max_tokens", 7]);
  const none = await reply("hello", { max_tokens: 0 });
  assert.deepEqual([none.stop_reason, none.content], ["max_tokens", []]);
  const stopped = await reply('[[say "one two three"]]', { stop_sequences: ["three", "two"] });
  assert.deepEqual(
    [stopped.stop_reason, stopped.stop_sequence, textOf(stopped)],
    ["stop_sequence", "two", "one "],
  );
  const schema = {
    $defs: { leaf: { enum: ["a", "b"] } },
    type: "object",
    properties: {
      list: { type: "array", items: { $ref: "#/$defs/leaf" }, minItems: 2 },
      when: { type: "string", format: "date" },
      size: { type: "number", exclusiveMinimum: 3 },
    },
    required: ["list"],
  };
  const format = { type: "json_schema", schema };
  const value = JSON.parse(textOf(await reply("x", { output_config: { format } })));
  assert.equal(value.list.length, 2);
  assert.ok(value.list.every((each: string) => ["a", "b"].includes(each)) && value.size > 3);
  const whole = textOf(await reply("hello"));
  const partial = textOf(await reply("hello", { max_tokens: 9 }));
  const messages = [
    { role: "user" as const, content: "hello" },
    { role: "assistant" as const, content: partial },
  ];
  assert.equal(partial + textOf(await reply("", { messages })), whole);
  const other = textOf(await reply("", { messages, on: "sim-medium" }));
  assert.equal(partial + other, whole.replace("sim-large", "sim-medium"));
});

test("[SML10] a scenario steers by position and by text", async () => {
  const at = makeSimulator({
    ...options(),
    scenario: [
      { contains: "weather", tools: [{ name: "look" }], say: "It rains." },
      { turn: 2, say: "second" },
      { contains: "no", refuse: { category: "bio", models: ["*"] } },
    ],
  });
  assert.equal((await reply("the weather?", { at })).stop_reason, "tool_use");
  assert.equal((await reply("no", { at })).stop_details?.category, "bio");
  assert.equal(textOf(await reply('[[say "else"]]', { at })), "else");
  const messages = ["one", "two", "three"].map((content, index) => ({
    role: index === 1 ? ("assistant" as const) : ("user" as const),
    content,
  }));
  assert.equal(textOf(await reply("", { at, messages })), "second");
});

test("[SML11] changed thinking and prompts that are too long are 400, foreign thinking is not read", async () => {
  const { content } = await reply("hi", { thinking });
  const user = (words: string) => ({ role: "user" as const, content: words });
  const said = (content: readonly Block[]) => ({ role: "assistant" as const, content });
  const messages = (blocks: readonly Block[]) => [user("hi"), said(blocks), user("go on")];
  const hidden = await reply("hi", { thinking: { ...thinking, display: "omitted" } });
  const foreign = content.map((block) => ({ ...block, signature: "E" }));
  for (const blocks of [content, hidden.content, foreign])
    assert.equal((await reply("", { messages: messages(blocks) })).stop_reason, "end_turn");
  const changed = content.map((block) => ({ ...block, thinking: "other" }));
  const { message } = await failure("", { messages: messages(changed) });
  assert.match(message, /^messages\.1\.content\.0\.signature: /);
  const long = await failure("x".repeat(800_001));
  assert.match(`${long.status} ${long.message}`, /^400 prompt is too long/);
});
