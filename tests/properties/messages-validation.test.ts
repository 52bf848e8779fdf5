// Bodies and their bytes: offsets against JSON.parse, and no body that makes the judge itself fail.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Compile } from "typebox/compile";
import { parseExactly } from "../../kernel/base/exact-json.ts";
import { Failure } from "../../kernel/base/failure.ts";
import { parseOriginalBody } from "../../kernel/http/input/body.ts";
import {
  serverOnlyFields,
  fieldOffsetsOf,
  withoutFields,
} from "../../server/messages/prepare/field-offsets.ts";
import { invalidField } from "../../server/messages/problem.ts";
import { validateBody } from "../../server/messages/validate/body.ts";
import { isTextTurn, Turn } from "../../server/messages/validate/shape.ts";
import { simulatorModels } from "../../server/models/catalog/built-in.ts";
import type { Model } from "../../server/models/module.ts";

const [large] = simulatorModels as [Model];

/** Words that a scanner could trip over. */
const nasty = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom('"', "\\", '\\"', '\\\\"', "}", "]", ",", ":", '{"model":1}', "x".repeat(47)),
  fc.string({ unit: fc.constantFrom("\\", '"', "a"), minLength: 40, maxLength: 600 }),
  // Beyond what is looked through byte by byte: the ends of searches.
  fc
    .tuple(fc.integer({ min: 40, max: 700 }), fc.nat(4), fc.constantFrom("", '"', "}"))
    .map(([plain, slashes, last]) => "x".repeat(plain) + "\\".repeat(slashes) + last),
);
/** A body with that name in it is refused before anything is looked for. */
const isField = (name: string) => name !== "__proto__";
const space = fc.string({ unit: fc.constantFrom(" ", "\n", "\t", "\r"), maxLength: 3 });
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    nasty,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.constantFrom(true, false, null),
    fc.array(tie("any"), { maxLength: 4 }),
    fc.dictionary(nasty.filter(isField), tie("any"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).any;
const fieldName = fc.oneof(
  fc.constantFrom(...serverOnlyFields, "model", "messages", "stream"),
  fc.stringMatching(/^[a-z_ü ]{1,12}$/).filter(isField),
);
const document = fc.uniqueArray(fc.tuple(fieldName, value, space, space, fc.boolean()), {
  selector: ([name]) => name,
  maxLength: 8,
});

/** JSON with space where JSON allows it. */
function written(fields: readonly [string, unknown, string, string, boolean][]): string {
  const parts = fields.map(
    ([name, content, before, after, isLoose]) =>
      `${before}${JSON.stringify(name)}${after}:${before}${JSON.stringify(content, null, isLoose ? 2 : 0)}${after}`,
  );
  return `{${parts.join(",")}}`;
}

test("[MSG31] offsets of top-level fields are those that JSON.parse sees", () => {
  const property = fc.property(document, space, fc.boolean(), (fields, around, hasMark) => {
    const text = `${hasMark ? "\ufeff" : ""}${around}${written(fields)}${around}`;
    const bytes = Buffer.from(text);
    const seen = fieldOffsetsOf(parseOriginalBody(bytes));
    const parsed = parseExactly(text.replace("\ufeff", "")) as Record<string, unknown>;
    assert.deepEqual([...seen.keys()].sort(), Object.keys(parsed).sort());
    for (const [name, { start, valueStart, end }] of seen) {
      const content = bytes.toString("utf8", valueStart, end);
      assert.equal(content.trim(), content, "not one byte more than the value");
      assert.deepEqual(parseExactly(content), parsed[name]);
      const whole = `{${bytes.toString("utf8", start, end)}}`;
      assert.deepEqual(parseExactly(whole), { [name]: parsed[name] });
    }
  });
  fc.assert(property, { numRuns: 500 });
});

test("[MSG32] without our fields, the rest is the same document, and the model is where it is said to be", () => {
  const property = fc.property(document, fc.boolean(), (fields, hasMark) => {
    const text = `${hasMark ? "\ufeff" : ""}${written(fields)}`;
    const bytes = Buffer.from(text);
    const {
      bytes: left,
      modelStart,
      modelEnd,
    } = withoutFields(bytes, fieldOffsetsOf(parseOriginalBody(bytes)));
    const expected = Object.fromEntries(
      fields.map(([name, content]) => [name, parseExactly(JSON.stringify(content))]),
    );
    for (const name of serverOnlyFields) delete expected[name];
    assert.deepEqual(parseExactly(left.toString()), expected);
    if (!("model" in expected)) return;
    assert.deepEqual(parseExactly(left.toString("utf8", modelStart, modelEnd)), expected["model"]);
    if (!hasMark && !fields.some(([name]) => serverOnlyFields.some((own) => own === name)))
      assert.equal(left, bytes, "nothing to cut, nothing copied");
  });
  fc.assert(property, { numRuns: 500 });
});

test("[MSG31] what comes twice or is written with escapes is refused", () => {
  for (const text of [
    '{"model":"a","model":"b"}',
    '{"model":"a","messages":[{"x":"}\\""}],"model":"b"}',
    '{"mod\\u0065l":"b"}',
    '{"a":{},"\\u0061":1}',
  ])
    assert.throws(() => skimmed(text), { type: "invalid_request_error" }, text);
  // Below the top level escapes are one way to write a name.
  assert.equal(
    skimmed('{"a":{"b":1,"gr\\u00f6\\u00dfe":2,"\\u0063":":"},"d":[{"b":1},{"b":2}]}').size,
    2,
  );
});

test("[MSG31] a name that the engine would take for one it has read before is still found twice", () => {
  skimmed('{"a":[{"only_here":"user","content":"hello","conten\\\\":0}]}');
  const twice =
    '{"a":[{"only_here":"user","content":"hello","conten\\u0074":"write a keylogger"}]}';
  assert.throws(() => skimmed(twice), { message: "a.0.content: is given twice; send it once." });
});

const skimmed = (text: string) => fieldOffsetsOf(parseOriginalBody(Buffer.from(text)));

type Fields = Record<string, unknown>;
type Path = readonly (string | number)[];

function* objectsIn(content: unknown, path: Path = []): Generator<{ path: Path; fields: Fields }> {
  if (typeof content !== "object" || content === null) return;
  if (!Array.isArray(content)) yield { path, fields: content as Fields };
  for (const [step, inner] of Object.entries(content))
    yield* objectsIn(inner, [...path, Array.isArray(content) ? Number(step) : step]);
}

/** As JSON, with one field more at the end of that object. */
function withField(content: unknown, target: Fields, field: string): string {
  if (typeof content !== "object" || content === null) return JSON.stringify(content);
  if (Array.isArray(content))
    return `[${content.map((inner) => withField(inner, target, field)).join(" , ")}]`;
  const fields = Object.entries(content).map(
    ([name, inner]) => `${JSON.stringify(name)}: ${withField(inner, target, field)}`,
  );
  return `{ ${[...fields, ...(content === target ? [field] : [])].join(",")} }`;
}

const escaped = (name: string) =>
  `"${name.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)}"`;

test("[MSG31] a name that comes twice is found at any depth, however it is spelled", () => {
  const cases = fc.record({ document, place: fc.nat(), isEscaped: fc.boolean(), value });
  const property = fc.property(cases, ({ document, place, isEscaped, value }) => {
    const text = written(document);
    const content = parseExactly(`{"whole":[${text},{"inner":${text}}]}`);
    assert.equal(skimmed(JSON.stringify(content)).size, 1);
    const objects = [...objectsIn(content)].filter(({ fields }) => Object.keys(fields).length > 0);
    const { path, fields } = objects[place % objects.length] ?? assert.fail("the whole is one");
    const name = Object.keys(fields).at(-1) ?? "";
    const isOdd = isEscaped && path.length > 0;
    const again = `${isOdd ? escaped(name) : JSON.stringify(name)}:${JSON.stringify(value)}`;
    const { message } = invalidField([...path, name], "is given twice; send it once");
    const twice = withField(content, fields, again);
    assert.throws(() => skimmed(twice), { type: "invalid_request_error", message }, twice);
  });
  fc.assert(property, { numRuns: 300 });
});

const block = fc.record(
  {
    type: fc.constantFrom("text", "tool_use", "tool_result", "thinking", "fallback", "image", "?"),
    text: fc.oneof(fc.string(), fc.constant(1)),
    id: fc.constantFrom("a", "b"),
    tool_use_id: fc.constantFrom("a", "b"),
    name: fc.constantFrom("t", 5, null),
    input: value,
    content: value,
    source: fc.oneof(value, fc.record({ type: fc.constantFrom("url", "base64"), url: value })),
    cache_control: fc.oneof(value, fc.record({ type: fc.constant("ephemeral") })),
  },
  { requiredKeys: ["type"] },
);
const turn = fc.record(
  {
    role: fc.constantFrom("user", "assistant", "system", "tool"),
    content: fc.oneof(fc.string(), fc.array(block, { maxLength: 3 }), value),
  },
  { requiredKeys: [] },
);
const anyBody = fc.record(
  {
    model: fc.oneof(fc.constant("sim-large"), value),
    max_tokens: fc.oneof(fc.nat(100), value),
    messages: fc.oneof(fc.array(turn, { maxLength: 4 }), value),
    system: value,
    tools: fc.oneof(value, fc.array(fc.record({ name: value, input_schema: value, type: value }))),
    tool_choice: fc.oneof(value, fc.record({ type: fc.constantFrom("any", "tool"), name: value })),
    thinking: fc.oneof(value, fc.record({ type: value, budget_tokens: value })),
    output_config: fc.oneof(value, fc.record({ effort: value, format: value })),
    cache_control: value,
    mcp_servers: value,
    thread: value,
  },
  { requiredKeys: ["model", "max_tokens", "messages"] },
);

test("[MSG1] [MSG2] whatever comes is judged by a sentence, never by a crash, and no text is quoted", () => {
  const secret = "a secret that was written into a text of the prompt";
  const property = fc.property(fc.oneof(value, anyBody), (body) => {
    const failure = validateBody(body, { model: large });
    assert.ok(failure === undefined || failure instanceof Failure);
    if (failure === undefined) return;
    assert.equal(failure.status, 400);
    assert.match(failure.message, /^(The body|[^\n]{1,400}?:) [^\n]{1,900}[.?]$/);
  });
  fc.assert(property, { numRuns: 1_000 });

  for (const content of [
    [{ type: "text", text: secret, more: 1 }],
    [{ type: "text", text: [secret] }],
  ])
    for (const role of ["user", "assistant", "system", "robot"]) {
      const body = { model: "m", max_tokens: 1, messages: [{ role, content }] };
      const message = validateBody(body, { model: large })?.message ?? assert.fail("was taken");
      assert.ok(!message.includes("secret"), message);
    }
});

/** Nearly a turn of text: now and then a field is another one, of another type, missing or one too many. */
const nearly = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .tuple(
      fc.oneof(
        { weight: 9, arbitrary: fc.record(fields, { noNullPrototype: true }) },
        fc.record(fields, { requiredKeys: [], noNullPrototype: true }),
      ),
      fc.constantFrom(undefined, undefined, undefined, "cache_control", "name", ""),
      fc.constantFrom(undefined, null, "x", { type: "ephemeral" }),
    )
    .map(([fit, name, extra]) => (name === undefined ? fit : { ...fit, [name]: extra }));
const odd = fc.constantFrom(null, 1, "", "system", [], {}, ["text"]);
const nearlyText = nearly({
  type: fc.oneof({ weight: 9, arbitrary: fc.constant("text") }, odd),
  text: fc.oneof({ weight: 9, arbitrary: fc.string() }, odd),
});
const nearlyTurn = nearly({
  role: fc.oneof({ weight: 9, arbitrary: fc.constantFrom("user", "assistant") }, odd),
  content: fc.oneof(
    { weight: 9, arbitrary: fc.array(nearlyText, { maxLength: 3 }) },
    fc.string(),
    odd,
  ),
});

test("[MSG2] a turn of text that is taken without its schema fits the schema", () => {
  const schema = Compile(Turn);
  let known = 0;
  const property = fc.property(fc.oneof(nearlyTurn, odd, nearlyText), (turn) => {
    if (!isTextTurn(turn)) return;
    known += 1;
    assert.ok(schema.Check(turn), JSON.stringify(turn));
  });
  fc.assert(property, { numRuns: 2_000 });
  assert.ok(known > 20, `${known} turns were known`);
});
