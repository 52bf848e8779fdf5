// Which fields of a tool may go in headers of its calls.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hasGoodHeaders, namesHeaders } from "./headers.ts";

const field = (header: unknown, type: unknown = "string") => ({ type, "x-mcp-header": header });
const withFields = (properties: object) => ({ type: "object", properties });

test("[MCP36] a tool whose headers are not as the protocol has them is left out", () => {
  const good = [
    withFields({ region: field("Region"), count: field("Count", "integer") }),
    withFields({ deep: withFields({ flag: field("Flag", "boolean") }) }),
    withFields({ any: { type: "object", default: { "x-mcp-header": 1 } } }),
    withFields({ "x-mcp-header": { type: "string" } }),
  ];
  const bad = [
    withFields({ a: field("") }),
    withFields({ a: field(1) }),
    withFields({ a: field("Two words") }),
    withFields({ a: field("Region:") }),
    withFields({ a: field("Région") }),
    withFields({ a: field("Region\n") }),
    withFields({ a: field("A", "number") }),
    withFields({ a: field("A", "object") }),
    withFields({ a: field("A", ["string", "null"]) }),
    withFields({ a: field("A"), b: field("a") }),
    withFields({ list: { type: "array", items: field("A") } }),
    withFields({ either: { anyOf: [field("A")] } }),
    { ...withFields({}), $defs: { a: field("A") } },
    { ...withFields({}), "x-mcp-header": "A" },
    withFields({ list: { type: "array", items: withFields({ a: field("A") }) } }),
  ];
  for (const schema of good) assert.equal(hasGoodHeaders(schema), true, JSON.stringify(schema));
  for (const schema of bad) assert.equal(hasGoodHeaders(schema), false, JSON.stringify(schema));
  assert.deepEqual([good[0], withFields({ a: {} })].map(namesHeaders), [true, false]);
});
