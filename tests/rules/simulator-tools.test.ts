// The simulator: tools beyond those of the request, the early name of a format, turns of several blocks.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Block, Message, Turn } from "../../server/models/module.ts";
import { eventsOf, reply, textOf, thinking } from "./simulator-asks.ts";

test("[SML7] tools that came in on the way are called too, and those that went are not", async () => {
  const definition = {
    name: "late",
    input_schema: { type: "object", properties: { n: { const: 3 } }, required: ["n"] },
  };
  const system = (type: string, tool: object) => ({
    role: "system" as const,
    content: [{ type, tool }],
  });
  const added = [
    { role: "user" as const, content: "Go." },
    system("tool_addition", { type: "tool_definition", definition }),
  ];
  for (const tool_choice of [{ type: "tool", name: "late" }, { type: "any" }]) {
    const { stop_reason, content } = await reply("", { messages: added, tool_choice });
    assert.deepEqual([stop_reason, content[0]?.["input"]], ["tool_use", { n: 3 }]);
    assert.deepEqual(content[0]?.["caller"], { type: "direct" });
  }
  // Typed tools may come without a name of their own: nobody could call those.
  const nameless = { tools: [{ type: "bash_20250124" }], tool_choice: { type: "any" } };
  assert.equal((await reply("", { messages: added, ...nameless })).content[0]?.["name"], "late");
  assert.equal((await reply("Go.", nameless)).stop_reason, "end_turn");
  const gone = system("tool_removal", { type: "tool_reference", name: "late" });
  const tools = [{ name: "left", input_schema: { type: "object" } }];
  const messages = [...added, gone];
  const left = await reply("", { messages, tools, tool_choice: { type: "any" } });
  assert.equal(left.content[0]?.["name"], "left");
});

test("[SML9] the early name of the format is one", async () => {
  const schema = { type: "object", properties: { n: { const: 3 } }, required: ["n"] };
  const format = { type: "json_schema", schema };
  const early = await reply("hello", { output_format: format });
  const late = await reply("hello", { output_config: { format } });
  assert.deepEqual([textOf(early), early.usage], [textOf(late), late.usage]);
  assert.equal(textOf(early), '{"n":3}');
});

test("[SML3] it quotes the last block of the turn that says something, and every block steers", async () => {
  const blocks = [
    { type: "text", text: "<context>Today is Sunday.</context> [[think 3]]" },
    { type: "text", text: "What day is it?" },
    { type: "text", text: "[[rate 900]]" },
  ];
  const about = await reply("", { thinking, messages: [{ role: "user", content: blocks }] });
  assert.match(textOf(about), /^You said: "What day is it\?"/, "the last block is the question");
  assert.doesNotMatch(textOf(about), /Sunday/);
  const { thinking_tokens: thought } = about.usage["output_tokens_details"] as Record<
    string,
    number
  >;
  assert.equal(thought, 3, "directives of every block steer");
});

const callsIn = ({ content }: Message) =>
  content.filter(({ type }) => type === "tool_use").map(({ name, input }) => [name, input]);

/** The conversation with an answer and a result for each of its calls. */
const answered = (messages: readonly Turn[], { content }: Message): Turn[] => [
  ...messages,
  { role: "assistant", content },
  {
    role: "user",
    content: content
      .filter(({ type }) => type === "tool_use")
      .map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "done" })),
  },
];

test("[SML12] several calls stand in one response, in order, and none is made again", async () => {
  const text = 'Go. [[tool a {"n":1}]] [[tools b {"n":2} | c | b {"n":[4]}]] [[tool d]]';
  let messages: Turn[] = [{ role: "user", content: text }];
  const seen: unknown[] = [];
  const ids: unknown[] = [];
  for (let turn = 0; turn < 4; turn++) {
    const message = await reply("", { messages });
    seen.push(callsIn(message));
    ids.push(...message.content.map(({ id }) => id));
    if (message.stop_reason === "tool_use") messages = answered(messages, message);
    else assert.match(textOf(message), /^d answered: "done"\. That is all I needed/);
  }
  assert.deepEqual(seen, [
    [["a", { n: 1 }]],
    [
      ["b", { n: 2 }],
      ["c", {}],
      ["b", { n: [4] }],
    ],
    [["d", {}]],
    [],
  ]);
  const named = ids.filter((id) => id !== undefined);
  assert.equal(new Set(named).size, 5, "each call has an id of its own");
  const streamed = await eventsOf("[[tools b | c]]");
  const starts = streamed.filter(({ type }) => type === "content_block_start");
  assert.deepEqual(
    starts.map(({ index, content_block: block }) => [index, (block as Block)["name"]]),
    [
      [0, "b"],
      [1, "c"],
    ],
  );
});

test("[SML12] one by one where the caller wants that, and text where it is no whole directive", async () => {
  const tools = [{ name: "b", input_schema: { type: "object" } }];
  const tool_choice = { type: "auto", disable_parallel_tool_use: true };
  let messages: Turn[] = [{ role: "user", content: "[[tools b {} | c]]" }];
  const first = await reply("", { messages, tools, tool_choice });
  messages = answered(messages, first);
  const second = await reply("", { messages, tools, tool_choice });
  assert.deepEqual([callsIn(first), callsIn(second)], [[["b", {}]], [["c", {}]]]);
  const third = await reply("", { messages: answered(messages, second), tools, tool_choice });
  assert.equal(third.stop_reason, "end_turn");
  for (const text of [
    "[[tools]]",
    "[[tools | b]]",
    "[[tools b |]]",
    '[[tools b "x"]]',
    "[[tools b c]]",
  ])
    assert.ok(textOf(await reply(text)).includes(text), text);
});

test("[SML13] a grade is the whole answer, wherever its rubric stands", async () => {
  const ok = { result: "satisfied", explanation: 'It is "fine".' };
  const said = '[[grade satisfied "It is \\"fine\\"."]]';
  const schema = {
    type: "object",
    properties: { result: { enum: ["needs_revision"] }, explanation: { type: "string" } },
    required: ["result", "explanation"],
  };
  const output_config = { format: { type: "json_schema", schema } };
  const earlier = '[[grade needs_revision "no"]] [[tool a]] [[say "x"]] Look at this.';
  for (const changes of [{}, { output_config }]) {
    const { content, stop_reason } = await reply(`${earlier} ${said}`, changes);
    assert.deepEqual([content.length, stop_reason], [1, "end_turn"]);
    assert.deepEqual(JSON.parse(String(content[0]?.["text"])), ok);
  }
  const system = [
    { type: "text", text: "Rubric." },
    { type: "text", text: said },
  ];
  assert.deepEqual(JSON.parse(textOf(await reply("Well?", { system }))), ok);
  assert.equal(JSON.parse(textOf(await reply(earlier, { system }))).result, "needs_revision");
  for (const text of [
    "[[grade]]",
    "[[grade satisfied]]",
    '[[grade good "x"]]',
    "[[grade satisfied {}]]",
  ])
    assert.ok(textOf(await reply(text)).includes(text), text);
});

test("[SML9] having paused it goes on to its end", async () => {
  const text = '[[say "One two three"]] [[stop pause_turn]]';
  const paused = await reply(text);
  assert.deepEqual([textOf(paused), paused.stop_reason], ["One two three", "pause_turn"]);
  const messages: Turn[] = [
    { role: "user", content: text },
    { role: "assistant", content: [{ type: "text", text: "One two" }] },
  ];
  const rest = await reply("", { messages });
  assert.deepEqual([textOf(rest), rest.stop_reason], [" three", "end_turn"]);
});
