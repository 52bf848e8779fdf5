// The form that a JSON Schema of a tool becomes, and the input that it gives.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  faultsIn,
  inputFields,
  inputOf,
  notGiven,
} from "../../console/mcp-servers/tools/input-fields.ts";

const kindsOf = (schema: Record<string, unknown>) =>
  Object.fromEntries(inputFields(schema).map(({ name, kind, type }) => [name, [kind, type]]));

test("each property is a field of its kind", () => {
  const schema = {
    type: "object",
    $defs: { size: { enum: ["small", "large"] } },
    properties: {
      query: { type: "string" },
      day: { type: ["string", "null"], format: "date" },
      most: { anyOf: [{ type: "integer" }, { type: "null" }] },
      price: { type: "number" },
      exact: { type: "boolean" },
      size: { $ref: "#/$defs/size" },
      tags: { type: "array", items: { type: "string" } },
      where: { type: "object" },
      either: { anyOf: [{ type: "integer" }, { type: "string" }] },
      elsewhere: { $ref: "https://example.com/schema" },
      round: { $ref: "#/properties/round" },
    },
  };
  assert.deepEqual(kindsOf(schema), {
    query: ["text", "text"],
    day: ["text", "text (date)"],
    most: ["integer", "whole number"],
    price: ["number", "number"],
    exact: ["choice", "yes or no"],
    size: ["choice", "one of a few"],
    tags: ["json", "list of string"],
    where: ["json", "object"],
    either: ["json", "JSON"],
    elsewhere: ["json", "JSON"],
    round: ["json", "JSON"],
  });
  assert.deepEqual(kindsOf({ type: "object" }), {});
  const whole = { "": ["whole", "object"] };
  assert.deepEqual(
    kindsOf({ type: "object", oneOf: [{ required: ["a"] }], properties: {} }),
    whole,
  );
  assert.deepEqual(kindsOf({ type: "object", additionalProperties: true }), whole);
});

const schema = {
  type: "object",
  required: ["query", "exact", "tags"],
  properties: {
    query: { type: "string" },
    exact: { type: "boolean" },
    most: { type: "integer", default: 10 },
    order: { enum: ["new", 1, null] },
    tags: { type: "array" },
  },
};
const fields = inputFields(schema);
const startOf = () => Object.fromEntries(fields.map(({ name, start }) => [name, start]));

test("what stands in a form at first is what the schema says, and else nothing", () => {
  assert.deepEqual(startOf(), {
    query: "",
    exact: "true",
    most: "10",
    order: notGiven,
    tags: "",
  });
});

test("what is missing or cannot be read is told at its field", () => {
  assert.deepEqual(Object.keys(faultsIn(fields, startOf())), ["query", "tags"]);
  const wrong = { ...startOf(), query: "a", most: "1.5", tags: "a, b" };
  const faults = faultsIn(fields, wrong);
  assert.deepEqual(Object.keys(faults), ["most", "tags"]);
  assert.match(String(faults["most"]), /whole number/);
  assert.match(String(faults["tags"]), /no JSON/);
  const [whole] = inputFields({ oneOf: [] });
  assert.ok(whole !== undefined);
  assert.match(String(faultsIn([whole], { "": "[1]" })[""]), /JSON object/);
  assert.deepEqual(inputOf([whole], { "": '{"a": 1}' }), { a: 1 });
});

test("a tool is given values of their kinds, and nothing for what is left empty", () => {
  const typed = { ...startOf(), query: " a ", exact: "false", order: "1", tags: '["x"]' };
  assert.deepEqual(faultsIn(fields, typed), {});
  assert.deepEqual(inputOf(fields, typed), {
    query: " a ",
    exact: false,
    most: 10,
    order: 1,
    tags: ["x"],
  });
  const { query, exact, tags } = typed;
  const less = inputOf(fields, { query, exact, tags, most: "", order: notGiven });
  assert.deepEqual(less, { query: " a ", exact: false, tags: ["x"] });
  assert.equal(inputOf(fields, { ...typed, order: "null" })["order"], null);
});
