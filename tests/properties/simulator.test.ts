// The simulator's short ways against the long ones: a whole answer, and the beginning of a text.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { accumulate, type MessageBody } from "../../server/models/module.ts";
import { exampleOf } from "../../server/models/simulator/example.ts";
import { signatureOf } from "../../server/models/simulator/plan.ts";
import { excerpt, hashOf } from "../../server/models/simulator/words.ts";
import { attempt, thinking } from "../rules/simulator-asks.ts";

const schema = {
  type: "object",
  properties: { name: { type: "string" }, ages: { type: "array", items: { type: "integer" } } },
};
const odd = fc.string({
  unit: fc.constantFrom("a", "é", "漢", "😀", "\ud83d", " ", "\n", '"', "\\"),
});
const directive = fc.oneof(
  fc.constantFrom(
    "[[refuse]]",
    "[[refuse category=bio models=* after=3]]",
    "[[refuse models=* after=1000]]",
    '[[tool read {"path":"/tmp/ü","deep":{"a":[1,2.5,null,"]]"]}}]]',
    "[[tool read]]",
    "[[think 9]]",
    "[[tokens 300]]",
    "[[stop pause_turn]]",
    "[[fail status=503 times=0]]",
    "[[fail status=503 after=5]]",
    "[[rate 1000000]]",
  ),
  odd.map((text) => `[[say ${JSON.stringify(text)}]]`),
);
const prompt = fc
  .tuple(odd, fc.array(directive, { maxLength: 4 }))
  .map(([text, directives]) => `${text} ${directives.join(" ")}`);
const past: readonly MessageBody["messages"][number][] = [
  { role: "user", content: "What time is it?" },
  {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "A watch.", signature: signatureOf("A watch.") },
      { type: "redacted_thinking", data: "c2VjcmV0" },
      { type: "tool_use", id: "toolu_1", name: "read", input: {} },
    ],
  },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "Noon 😀" }] },
];
const messagesOf = (text: string): fc.Arbitrary<MessageBody["messages"]> =>
  fc.constantFrom<MessageBody["messages"]>(
    [{ role: "user", content: text }],
    [{ role: "user", content: text }, ...past.slice(1)],
    [...past, { role: "user", content: text }],
    [
      { role: "user", content: text },
      { role: "assistant", content: "You said" },
    ],
  );
const changes = fc.record(
  {
    max_tokens: fc.integer({ min: 0, max: 120 }),
    thinking: fc.constantFrom(
      thinking,
      { ...thinking, display: "omitted" },
      { type: "between_tools" },
      { type: "enabled", budget_tokens: 7 },
    ),
    output_config: fc.constantFrom(
      { effort: "low" },
      { effort: "max" },
      { format: { type: "json_schema", schema } },
    ),
    stop_sequences: fc.array(fc.constantFrom("e", "same", "You", "漢", ":"), { maxLength: 2 }),
    tools: fc.constant([{ name: "write", input_schema: schema }]),
    tool_choice: fc.constantFrom({ type: "any" }, { type: "none" }, { type: "auto" }),
    speed: fc.constantFrom("fast", null),
  },
  { requiredKeys: [] },
);
const on = fc.constantFrom(
  "sim-large",
  "sim-medium",
  "sim-small",
  "sim-classic",
  "sim-classic-small",
);
const asked = prompt.chain((text) => fc.record({ messages: messagesOf(text), changes, on }));

test("[SML1] a whole answer is, to the byte, what its stream adds up to", () =>
  fc.assert(
    fc.asyncProperty(asked, async ({ messages, changes: fields, on: name }) => {
      const body = { ...fields, messages, on: name };
      const whole = await attempt("", body, false);
      const streamed = await attempt("", body, true);
      if (streamed.kind !== "stream") {
        assert.deepEqual(whole, streamed);
        return;
      }
      const sum = accumulate();
      try {
        for await (const batch of streamed.events) for (const each of batch) sum.add(each.data());
      } catch (error) {
        assert.deepEqual(whole, { kind: "failure", failure: error });
        return;
      }
      assert.ok(whole.kind === "message", JSON.stringify(whole));
      assert.equal(JSON.stringify(whole.message), JSON.stringify(sum.message()));
      // Cut or hidden, a thought can be sent back as it came.
      for (const { type, thinking: thought, signature } of whole.message.content)
        if (type === "thinking") assert.equal(signature, signatureOf(String(thought)));
    }),
    { numRuns: 1_000 },
  ));

test("[SML3] of a long text the beginning is quoted as if all of it had been read", () => {
  const blank = fc.constantFrom(" ", "\n\t ", " ".repeat(40));
  const word = fc.string({
    unit: fc.constantFrom("a", "漢", "😀", "\ud83d", "\ude00"),
    maxLength: 9,
  });
  const long = fc.array(fc.tuple(word, blank), { maxLength: 20 }).map((parts) => parts.flat());
  fc.assert(
    fc.property(long, fc.integer({ min: 1, max: 12 }), (parts, max) => {
      const text = parts.join("");
      const line = text.replaceAll(/\s+/g, " ").trim();
      const characters = Array.from(line.slice(0, max * 2));
      const begun = `${characters.slice(0, max).join("")}...`;
      assert.equal(excerpt(text, max), characters.length <= max ? line : begun);
    }),
    { numRuns: 2_000 },
  );
  // FNV-1a's own examples: who answers with what hangs on them.
  const hashes = ["", "a", "foobar"].map((text) => hashOf(text));
  assert.deepEqual(hashes, [0x811c9dc5, 0xe40c292c, 0xbf9cf968]);
  assert.equal(hashOf("bar", hashOf("foo")), hashes[2]);
});

test("[SML9] which of the values that fit is taken hangs on the prompt and on the place", () => {
  const letter = { enum: Array.from("abcdefghijklmnopqrstuvwxyz") };
  const pair = { type: "array", items: letter, minItems: 2 };
  const tree = { type: "object", properties: { first: letter, ü: pair, inner: { allOf: [pair] } } };
  fc.assert(
    fc.property(odd, (key) => {
      const at = (place: string) => letter.enum[hashOf(key + place) % letter.enum.length];
      assert.deepEqual(exampleOf(tree, key), {
        first: at("first"),
        ü: [at("ü0"), at("ü1")],
        inner: [at("inner0"), at("inner1")],
      });
    }),
  );
});
