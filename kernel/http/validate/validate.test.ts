// What a caller reads when an input is wrong: the exact sentence for each kind of fault.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import Type, { type TSchema } from "typebox";
import { Check as fits } from "typebox/schema";
import { problemOf } from "./explain.ts";
import { closed } from "../route.ts";
import { checker } from "./validate.ts";

const Text = closed({ type: Type.Literal("text"), text: Type.String({ minLength: 1 }) });
const Source = Type.Union([
  closed({ type: Type.Literal("base64"), data: Type.String() }),
  closed({ type: Type.Literal("url"), url: Type.String({ pattern: "^https://" }) }),
]);
const Image = closed({ type: Type.Literal("image"), source: Source });
const Message = closed({
  role: Type.Union([Type.Literal("user"), Type.Literal("assistant")]),
  content: Type.Union([Type.String(), Type.Array(Type.Union([Text, Image]), { minItems: 1 })]),
});
const Request = closed({
  model: Type.String({ minLength: 1, maxLength: 10 }),
  max_tokens: Type.Integer({ minimum: 1, maximum: 100 }),
  messages: Type.Array(Message, { maxItems: 3 }),
  stream: Type.Optional(Type.Boolean()),
  temperature: Type.Optional(Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 2 })),
  effort: Type.Optional(Type.Enum(["low", "high"])),
  metadata: Type.Optional(
    Type.Record(Type.String({ pattern: "^[a-z]{1,8}$" }), Type.String({ maxLength: 3 }), {
      maxProperties: 2,
    }),
  ),
  system: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  stop: Type.Optional(Type.Array(Type.String(), { uniqueItems: true })),
  name: Type.Optional(Type.Union([Type.Literal("a"), Type.Literal("b"), Type.Null()])),
  step: Type.Optional(Type.Integer({ multipleOf: 5 })),
  at: Type.Optional(Type.String({ format: "date-time" })),
  mail: Type.Optional(Type.String({ format: "email" })),
  nothing: Type.Optional(closed({})),
  pair: Type.Optional(Type.Tuple([Type.String(), Type.Integer()])),
  limit: Type.Optional(
    Type.Union([closed({ amount: Type.Integer() }), closed({ unlimited: Type.Literal(true) })]),
  ),
});

const good = { model: "m", max_tokens: 1, messages: [] };
const message = (content: unknown) => ({ ...good, messages: [{ role: "user", content }] });
const many = "x".repeat(50);
const fields = "model, max_tokens";

const table: [value: unknown, sentence: string][] = [
  [[], "The body must be an object, not an array."],
  [null, "The body must be an object, not null."],
  ["secret", "The body must be an object, not a string."],
  [{}, "model: is required and must be a string."],
  [{ model: "m" }, "max_tokens: is required and must be a whole number."],
  [{ ...good, model: undefined }, "model: must be a string, not another value."],
  [{ ...good, model: 5 }, "model: must be a string, not a whole number."],
  [{ ...good, model: "" }, "model: must not be empty."],
  [{ ...good, model: many }, "model: must have at most 10 characters."],
  [{ ...good, max_tokens: "1" }, "max_tokens: must be a whole number, not a string."],
  [{ ...good, max_tokens: 1.5 }, "max_tokens: must be a whole number, not a fraction."],
  [{ ...good, max_tokens: 0 }, "max_tokens: must be at least 1."],
  [{ ...good, max_tokens: 101 }, "max_tokens: must be at most 100."],
  [{ ...good, max_token: 1 }, "max_token: is not known here; did you mean max_tokens?"],
  [{ ...good, [many]: 1 }, `${"x".repeat(40)}…: is not known here.`],
  [{ ...good, "a\nb\u0007": 1 }, "a?b?: is not known here."],
  [JSON.parse(`{"__proto__":1,"model":"m"}`), "__proto__: is not known here."],
  [{ ...good, constructor: 1 }, "constructor: is not known here."],
  [{ ...good, messages: {} }, "messages: must be an array, not an object."],
  [{ ...good, messages: [1] }, "messages.0: must be an object, not a whole number."],
  [
    { ...good, messages: [{}] },
    'messages.0.role: is required and must be one of "user", "assistant".',
  ],
  [
    { ...good, messages: [{ role: "system", content: "" }] },
    'messages.0.role: must be one of "user", "assistant".',
  ],
  [{ ...good, messages: [{ role: "user" }] }, "messages.0.content: is required."],
  [
    { ...good, messages: Array.from({ length: 4 }, () => ({ role: "user", content: "" })) },
    "messages: must have at most 3 items.",
  ],
  [message(5), "messages.0.content: must be a string or an array, not a whole number."],
  [message([]), "messages.0.content: must not be empty."],
  [message(["x"]), "messages.0.content.0: must be an object, not a string."],
  [message([{}]), 'messages.0.content.0.type: is required and must be one of "text", "image".'],
  [message([{ type: "img" }]), 'messages.0.content.0.type: must be one of "text", "image".'],
  [message([{ type: "text" }]), "messages.0.content.0.text: is required and must be a string."],
  [message([{ type: "text", text: "" }]), "messages.0.content.0.text: must not be empty."],
  [
    message([{ type: "text", txt: "a" }]),
    "messages.0.content.0.txt: is not known here; did you mean text?",
  ],
  [
    message([{ type: "text", text: "a", zzzzz: 1 }]),
    "messages.0.content.0.zzzzz: is not known here; known are type, text.",
  ],
  [
    message([{ type: "text", text: "a" }, { type: "image" }]),
    "messages.0.content.1.source: is required.",
  ],
  [
    message([{ type: "image", source: { type: "url" } }]),
    "messages.0.content.0.source.url: is required and must be a string.",
  ],
  [
    message([{ type: "image", source: { type: "url", url: "http://secret" } }]),
    "messages.0.content.0.source.url: must match the pattern ^https://.",
  ],
  [
    message([{ type: "image", source: { type: "file" } }]),
    'messages.0.content.0.source.type: must be one of "base64", "url".',
  ],
  [{ ...good, stream: "yes" }, "stream: must be true or false, not a string."],
  [{ ...good, temperature: 0 }, "temperature: must be more than 0."],
  [{ ...good, temperature: 2 }, "temperature: must be less than 2."],
  [{ ...good, temperature: "hot" }, "temperature: must be a number, not a string."],
  [{ ...good, effort: "medium" }, 'effort: must be one of "low", "high".'],
  [{ ...good, metadata: { a: 1 } }, "metadata.a: must be a string, not a whole number."],
  [{ ...good, metadata: { a: "long" } }, "metadata.a: must have at most 3 characters."],
  [{ ...good, metadata: { a: "", b: "", c: "" } }, "metadata: must have at most 2 fields."],
  [{ ...good, system: 5 }, "system: must be a string or null, not a whole number."],
  [{ ...good, stop: ["a", "a"] }, "stop: must not hold the same item twice."],
  [{ ...good, stop: ["a", 1] }, "stop.1: must be a string, not a whole number."],
  [{ ...good, name: "c" }, 'name: must be one of "a", "b" or null.'],
  [{ ...good, step: 7 }, "step: must be a multiple of 5."],
  [
    { ...good, at: "2026-12-31T23:59:60Z" },
    "at: must be a date and time such as 2026-01-31T08:00:00Z.",
  ],
  [{ ...good, at: "yesterday" }, "at: must be a date and time such as 2026-01-31T08:00:00Z."],
  [{ ...good, mail: "nobody" }, "mail: must be an e-mail address."],
  [{ ...good, nothing: { a: 1 } }, "nothing.a: is not known here; nothing is taken."],
  [{ ...good, pair: ["a", "b"] }, "pair.1: must be a whole number, not a string."],
  [{ ...good, limit: { amount: "x" } }, "limit.amount: must be a whole number, not a string."],
  [{ ...good, limit: { unlimited: false } }, "limit.unlimited: must be true."],
];

const check = checker(Request, "body");

test("a good value passes", () => {
  assert.equal(check(good), undefined);
  assert.equal(check(message([{ type: "text", text: "a" }])), undefined);
});

for (const [value, sentence] of table) {
  test(`[HTP6] ${sentence} (${fields.length > 0 ? JSON.stringify(value)?.slice(0, 30) : ""})`, () => {
    assert.equal(check(value)?.message, sentence);
  });
}

test("[HTP6] a query parameter is called by its name, and an empty query says so", () => {
  assert.equal(
    checker(closed({}), "query")({ a: "1" })?.message,
    "a: is not known here; nothing is taken.",
  );
});

test("a closed intersection knows the fields of all its members", () => {
  const both = Type.Intersect(
    [Type.Object({ one: Type.Integer() }), Type.Object({ two: Type.Integer() })],
    { unevaluatedProperties: false },
  );
  const check = checker(both, "body");
  assert.equal(check({ one: 1, two: 2 }), undefined);
  assert.equal(
    check({ one: 1, two: 2, thre: 3 })?.message,
    "thre: is not known here; known are one, two.",
  );
  assert.equal(check({ one: 1 })?.message, "two: is required and must be a whole number.");
});

test("[HTP6] every value that does not fit has a sentence: one, short, and without the value's text", () => {
  const schemas: TSchema[] = [Request, Message, Source, Type.Array(Text)];
  const value = fc.oneof(
    fc.jsonValue(),
    fc.record({
      model: fc.jsonValue(),
      max_tokens: fc.jsonValue(),
      messages: fc.array(fc.record({ role: fc.constant("user"), content: fc.jsonValue() })),
    }),
    fc.record(
      { type: fc.constantFrom("base64", "url", "x"), data: fc.jsonValue() },
      { requiredKeys: [] },
    ),
  );
  fc.assert(
    fc.property(fc.constantFrom(...schemas), value, (schema, candidate) => {
      const problem = problemOf(schema, candidate);
      assert.equal(problem === undefined, fits(schema, candidate));
      if (problem === undefined) return;
      const { message } = checker(schema, "body")(candidate) ?? { message: "" };
      assert.match(message, /^[^\n]{3,400}[.?]$/);
      assert.doesNotMatch(problem.text, /does not fit|does not have the form/);
    }),
    { numRuns: 1000 },
  );
});
