// JSON from clients: what is read, and what is too deep.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isTooDeep, parseShallow, TooDeep } from "./json.ts";
import { limits } from "./limits.ts";

const lists = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const objects = (levels: number) => '{"a":'.repeat(levels) + "1" + "}".repeat(levels);

test("as many levels as the limit are read, one more is refused", () => {
  for (const nested of [lists, objects]) {
    assert.doesNotThrow(() => parseShallow(nested(limits.jsonDepthMax)));
    assert.throws(() => parseShallow(nested(limits.jsonDepthMax + 1)), TooDeep);
    assert.throws(() => parseShallow(`[1,${nested(100_000)}]`), SyntaxError);
  }
  assert.throws(() => parseShallow("{"), SyntaxError);
  assert.deepEqual(parseShallow(`{"a":[1,${" ".repeat(300)}"[["]}`), { a: [1, "[["] });
  assert.equal(isTooDeep("text"), false);
});
