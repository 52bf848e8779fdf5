// The simulator: tools beyond those of the request, the early name of a format, turns of several blocks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { reply, textOf, thinking } from "./simulator-asks.ts";

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
