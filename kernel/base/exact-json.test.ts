// Names that the engine misreads, and that everything else is what JSON.parse says.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseExactly, TooDeep } from "./exact-json.ts";
import { limits } from "./limits.ts";

/** So that the engine knows these names to come one after another. */
function readBefore(...names: string[]): void {
  JSON.parse(JSON.stringify(Object.fromEntries(names.map((name) => [name, 1]))));
}

test("a name written with an escape is itself, whatever name was read before", () => {
  let misread = 0;
  for (const [index, [before, spelled, name]] of (
    [
      ["conten\\", "conten\\u0074", "content"],
      ["\\", '\\"', '"'],
      ["\\", "\\u00fc", "ü"],
      ["a\\n", "a\\nb", "a\nb"],
      ["\\u006", "\\u0063onte", "conte"],
      ["gr\\u0", "gr\\u00f6\\u00dfe", "größe"],
    ] as const
  ).entries()) {
    const first = `field ${index}`;
    readBefore(first, before);
    const text = `{"${first}":1,"${spelled}":{"${spelled}":[true,null,-0.5e3,"\\"}"]} }`;
    const inner = { [name]: [true, null, -500, '"}'] };
    assert.deepEqual(parseExactly(text), { [first]: 1, [name]: inner });
    if (!(name in (JSON.parse(text) as object))) misread += 1;
    const twice = `[{"${first}":1,${JSON.stringify(name)}:2,"${spelled}":3}]`;
    readBefore(first, name, before);
    assert.deepEqual(parseExactly(twice), [{ [first]: 1, [name]: 3 }]);
  }
  assert.ok(misread > 0, "the engine reads all of them now: this file has done its duty");
});

test("what is read again is what JSON.parse says, place and kind of every value", () => {
  const text = fc.string({ unit: fc.constantFrom("\\", '"', "a", "ü", "\n", "}", ":", ",") });
  const { any } = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(true, false, null, 0, 12, -7),
      fc.array(tie("any"), { maxLength: 4 }),
      fc.dictionary(text, tie("any"), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  const property = fc.property(any, fc.constantFrom(0, 1, "\t"), (value, indent) => {
    // A name with a backslash: everything is read a second time.
    const written = JSON.stringify({ "\\": value, "": [] }, null, indent);
    const read = parseExactly(written) as object;
    assert.deepEqual(Object.keys(read), ["\\", ""]);
    assert.equal(JSON.stringify(read, null, indent), written);
  });
  fc.assert(property, { numRuns: 1_000 });
  assert.deepEqual(parseExactly('{"\\\\":1,"b":2,"\\\\":3,"2":4,"1":5}'), {
    1: 5,
    2: 4,
    "\\": 3,
    b: 2,
  });
  assert.ok(Object.hasOwn(parseExactly('{"\\\\":1,"__proto__":2}') as object, "__proto__"));
});

test("what is no JSON or too deep is refused as such", () => {
  const nested = (levels: number) => `{"\\\\":1,"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  assert.doesNotThrow(() => parseExactly(nested(limits.jsonDepthMax - 1)));
  assert.throws(() => parseExactly(nested(100_000)), TooDeep);
  for (const text of ['{"\\\\":1', '{"\\x":1}', '{"\\\\":1}}', ""])
    assert.throws(() => parseExactly(text), SyntaxError, text);
});
