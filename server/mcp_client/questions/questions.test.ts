// Rules MCP18 and MCP21 without a server: what can be asked, and which texts answer it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseExactly } from "../../../kernel/base/exact-json.ts";
import { limits } from "../limits.ts";
import { AnswerProblem, readAnswers, readAsked, type Questions } from "./questions.ts";
import { McpFault } from "../wire.ts";

const asIs = (text: string) => text;
const form = (properties: object, more: object = {}) => ({
  method: "elicitation/create",
  params: { message: "Say.", requestedSchema: { type: "object", properties, ...more } },
});
const page = (url: string) => ({
  method: "elicitation/create",
  params: { mode: "url", message: "Open it.", url, elicitationId: "1" },
});
const read = (inputRequests: object, scrub = asIs) => readAsked({ inputRequests }, scrub).questions;
const isRefused = (inputRequests: object, scrub = asIs) =>
  assert.throws(
    () => read(inputRequests, scrub),
    (error) => error instanceof McpFault && error.kind === "answer",
    JSON.stringify(inputRequests).slice(0, 200),
  );
const fieldOf = (questions: Questions) => {
  const question = questions["a"];
  assert.ok(question?.mode === "form");
  return question.requestedSchema.properties["x"];
};

/** The words of what is wrong with this value for a field; undefined where it fits. */
function problemWith(field: object, value: unknown): string | undefined {
  const questions = read({ a: form({ x: field }) });
  try {
    readAnswers(questions, JSON.stringify({ a: { action: "accept", content: { x: value } } }));
    return undefined;
  } catch (error) {
    assert.ok(error instanceof AnswerProblem);
    return /^a\.content\.x: (.*)\.$/.exec(error.message)?.[1] ?? assert.fail(error.message);
  }
}

const choices = { type: "string", enum: ["S", "M"] };
const titled = { type: "string", oneOf: [{ const: "s", title: "Small" }] };
const list = {
  type: "array",
  items: { type: "string", enum: ["a", "b"] },
  minItems: 1,
  maxItems: 2,
};
const titledList = { type: "array", items: { anyOf: [{ const: "a", title: "A" }] } };

const fits: [field: object, value: unknown][] = [
  [{ type: "string" }, ""],
  [{ type: "string", minLength: 1, maxLength: 1 }, "😀"],
  [{ type: "string", format: "email" }, "ada@example.com"],
  [{ type: "string", format: "uri" }, "mailto:ada@example.com"],
  [{ type: "string", format: "date" }, "2028-02-29"],
  [{ type: "string", format: "date-time" }, "2026-12-31T23:59:60.5+02:00"],
  [{ type: "string", format: "toString" }, "anything"],
  [choices, "M"],
  [titled, "s"],
  [{ type: "number", minimum: 0, maximum: 1 }, 0.5],
  [{ type: "integer", minimum: 1 }, 1],
  [{ type: "boolean" }, false],
  [list, ["b", "a"]],
  [titledList, []],
];
for (const [field, value] of fits)
  test(`[MCP21] ${JSON.stringify(value)} fits ${JSON.stringify(field)}`, () => {
    assert.equal(problemWith(field, value), undefined);
  });

const fails: [field: object, value: unknown, words: RegExp][] = [
  [{ type: "string" }, 1, /must be a text/],
  [{ type: "string" }, null, /must be a text/],
  [{ type: "string", minLength: 2 }, "😀", /at least 2 characters/],
  [{ type: "string", maxLength: 1 }, "ab", /at most 1 char/],
  [{ type: "string", format: "email" }, "ada", /an email address/],
  [{ type: "string", format: "email" }, "a b@c", /an email address/],
  [{ type: "string", format: "uri" }, "/path", /with its scheme/],
  [{ type: "string", format: "date" }, "2026-02-30", /a day/],
  [{ type: "string", format: "date" }, "2026-2-3", /a day/],
  [{ type: "string", format: "date-time" }, "2026-12-31", /a time with its offset/],
  [{ type: "string", format: "date-time" }, "2026-02-30T10:00:00Z", /a time with its offset/],
  [{ type: "string", format: "date-time" }, "2026-12-31T25:00:00Z", /a time with its offset/],
  [choices, "L", /must be one of "S", "M"/],
  [titled, "Small", /must be one of "s"/],
  [{ type: "number" }, "1", /must be a number/],
  [{ type: "number", minimum: 2 }, 1, /at least 2/],
  [{ type: "number", maximum: 2 }, 3, /at most 2/],
  [{ type: "integer" }, 1.5, /a whole number/],
  [{ type: "boolean" }, "true", /true or false/],
  [list, "a", /must be a list/],
  [list, [], /at least 1 items/],
  [list, ["a", "b", "a"], /at most 2 items/],
  [list, ["c"], /one of "a", "b"/],
  [titledList, [1], /one of "a"/],
];
for (const [field, value, words] of fails)
  test(`[MCP21] ${JSON.stringify(value)} does not fit ${JSON.stringify(field)}`, () => {
    assert.match(problemWith(field, value) ?? "", words);
  });

test("[MCP21] names that every object has are no fields and no keys", () => {
  const questions = read({ a: form({ x: { type: "string" } }) });
  const answers = (text: string) => () => readAnswers(questions, text);
  const accepts = (content: string) =>
    answers(`{"a": {"action": "accept", "content": ${content}}}`);
  assert.throws(accepts('{"__proto__": {"x": "y"}}'), /a\.content\.__proto__: is no field/);
  assert.throws(accepts('{"constructor": "y"}'), /is no field/);
  assert.throws(accepts('["x"]'), /a\.content: must be an object/);
  assert.throws(answers('{"a": {"action": "cancel"}, "toString": 1}'), /toString: is no question/);
  assert.throws(answers('{"__proto__": {"action": "cancel"}}'), /__proto__: is no question/);
  assert.throws(answers("[]"), /must be an object/);
  assert.throws(answers('{"a": {"action": "cancel", "more": 1}}'), /a\.more: is unknown/);
  const needs = read({ a: form({ toString: { type: "string" } }, { required: ["toString"] }) });
  assert.throws(
    () => readAnswers(needs, '{"a": {"action": "accept", "content": {}}}'),
    /a\.content\.toString: is required/,
  );
});

test("[MCP18] a form keeps the keywords that forms have, and no other", () => {
  const field = { type: "string", title: "X", format: "email", ["pattern"]: "(a+)+$", $ref: "#/x" };
  const given = form({ x: field }, { $schema: "https://json-schema.org/draft", allOf: [] });
  const questions = read({ a: given });
  assert.deepEqual(questions, {
    a: {
      mode: "form",
      message: "Say.",
      requestedSchema: {
        type: "object",
        properties: { x: { type: "string", title: "X", format: "email" } },
        required: [],
      },
    },
  });
  assert.deepEqual(fieldOf(read({ a: form({ x: { ...list, uniqueItems: true } }) })), list);
});

test("[MCP18] what no person can be shown is refused", () => {
  for (const field of [
    { type: "object", properties: {} },
    { type: "null" },
    { type: "toString" },
    { enum: ["a"] },
    { type: "string", enum: [1] },
    { type: "string", minLength: "1" },
    { type: "array", items: { type: "string" } },
    { type: "array" },
    { type: "number", minimum: "0" },
  ])
    isRefused({ a: form({ x: field }) });
  isRefused({ a: form({}, { required: ["x"] }) });
  isRefused({ a: { method: "elicitation/create", params: { message: "No form" } } });
  isRefused({ a: { method: "roots/other" } });
  isRefused({ a: null });
  for (const url of ["ftp://example.com", "javascript:alert(1)", "nothing", "https://"])
    isRefused({ a: page(url) });
  isRefused({ a: page(`https://example.com/${"x".repeat(limits.askedUrlCharactersMax)}`) });
  const yes = form({});
  for (const key of ["", "a\nb", "\ud800", "k".repeat(limits.questionKeyCharactersMax + 1)])
    isRefused({ [key]: yes });
  isRefused(parseExactly('{"__proto__": {}}') as object);
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, yes]));
  assert.equal(Object.keys(read(many(limits.questionsMax))).length, limits.questionsMax);
  isRefused(many(limits.questionsMax + 1));
  const long = { type: "string", description: "x".repeat(limits.questionsCharactersMax) };
  isRefused({ a: form({ x: long }) });
  const state = "s".repeat(limits.requestStateCharactersMax);
  assert.equal(readAsked({ requestState: state }, asIs).requestState, state);
  assert.throws(() => readAsked({ requestState: `${state}s` }, asIs), McpFault);
});

test("[MCP23] what is asked of the session itself is apart from questions of a person, under keys as good", () => {
  const both = { a: form({}), b: { method: "roots/list" } };
  const { questions, ofSession } = readAsked({ inputRequests: both }, asIs);
  assert.deepEqual(Object.keys(questions), ["a"]);
  assert.deepEqual(ofSession, { b: { method: "roots/list", params: undefined } });
  isRefused({ "a\nb": { method: "roots/list" } });
  isRefused({ token: { method: "roots/list" } }, (text) => text.replace("token", "[hidden]"));
});

test("[MCP18] the token of a server is taken out of a message, and nothing is asked that would need it elsewhere", () => {
  const scrub = (text: string) => text.replaceAll("token-of-it", "[hidden]");
  const said = { ...form({}).params, message: "With token-of-it.\0" };
  const questions = read({ a: { method: "elicitation/create", params: said } }, scrub);
  assert.equal(questions["a"]?.message, "With [hidden].\uFFFD");
  isRefused({ "token-of-it": form({}) }, scrub);
  isRefused({ a: form({ "token-of-it": { type: "string" } }) }, scrub);
  isRefused({ a: form({ x: { type: "string", enum: ["token-of-it"] } }) }, scrub);
  isRefused({ a: page("https://example.com/token-of-it") }, scrub);
});
