// The scanner against V8's parser: the same verdict on every text, the same place where V8 names one.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseJson } from "./body.ts";
import { Failure } from "../../base/failure.ts";
import { jsonFault } from "./json-fault.ts";

/** JSON with a cut, a swap or an addition somewhere. */
const nearlyJson = fc
  .tuple(
    fc.json(),
    fc.nat(),
    fc.nat({ max: 3 }),
    fc.constantFrom(
      "",
      ",",
      "}",
      "]",
      "{",
      "[",
      '"',
      ":",
      "1",
      "e",
      ".",
      "\\",
      "\n",
      "\0",
      "'",
      "t",
    ),
  )
  .map(([text, at, cut, put]) => {
    const from = at % (text.length + 1);
    return text.slice(0, from) + put + text.slice(from + cut);
  });

test("[HTP5] the scanner finds a fault exactly where JSON.parse refuses", () => {
  fc.assert(
    fc.property(fc.oneof(nearlyJson, fc.json(), fc.string()), (text) => {
      let reason: string | undefined;
      try {
        JSON.parse(text);
      } catch (error) {
        reason = error instanceof Error ? error.message : "";
      }
      const fault = jsonFault(text);
      assert.equal(fault === undefined, reason === undefined, `${text}: ${reason ?? "fine"}`);
      const column = /\(line 1 column (\d+)\)/.exec(reason ?? "")?.[1];
      // Inside escapes, numbers and words V8 points at a character of its choice.
      const comparable = /^(Expected|Unterminated string|Unexpected non-whitespace)/;
      if (fault === undefined || column === undefined || !comparable.test(reason ?? "")) return;
      if (fault.reason.includes("malformed")) return;
      if (fault.line === 1) assert.equal(fault.column, Number(column), `${text}: ${reason}`);
    }),
    { numRuns: 3000 },
  );
});

const cases: [text: string, sentence: string][] = [
  ["", "it is empty at line 1, column 1"],
  [" \n ", "it is empty at line 2, column 2"],
  ["{", "it ends too early at line 1, column 2"],
  ["[1,", "it ends too early at line 1, column 4"],
  ['{"a":1,}', "a field name in double quotes was expected at line 1, column 8"],
  ["[1,]", "a value was expected at line 1, column 4"],
  ["{'a':1}", "a field name in double quotes or } was expected at line 1, column 2"],
  ["{a:1}", "a field name in double quotes or } was expected at line 1, column 2"],
  ['{"a" 1}', ": was expected after the field name at line 1, column 6"],
  ["[1 2]", "a comma or the closing bracket was expected at line 1, column 4"],
  ["[1}", "a comma or the closing bracket was expected at line 1, column 3"],
  ['{"a":1}x', "it goes on after its end at line 1, column 8"],
  ['"abc', "a string is not closed at line 1, column 5"],
  ['{"a":"\0"}', "a string holds a control character that is not escaped at line 1, column 7"],
  ['"\\x"', "a backslash in a string starts no known escape at line 1, column 2"],
  ["01", "a number or word is malformed at line 1, column 2"],
  ["truely", "a number or word is malformed at line 1, column 5"],
  ["NaN", "a value was expected at line 1, column 1"],
  ["undefined", "a value was expected at line 1, column 1"],
  ["\ufeff\ufeff{}", "a value was expected at line 1, column 1"],
  ["// note\n{}", "a value was expected at line 1, column 1"],
  ['{\n  "a": 1\n  "b": 2\n}', "a comma or the closing bracket was expected at line 3, column 3"],
  ["[".repeat(100_000), "it ends too early at line 1, column 100001"],
];

for (const [text, sentence] of cases) {
  test(`[HTP5] ${JSON.stringify(text.slice(0, 24))}: ${sentence}`, () => {
    assert.throws(
      () => parseJson(text),
      new Failure("invalid_request_error", `The body is not JSON: ${sentence}.`),
    );
  });
}

test("[HTP5] no sentence quotes the body", () => {
  fc.assert(
    fc.property(nearlyJson, (broken) => {
      const text = `{"key":"hunter2","x":${broken}`;
      try {
        parseJson(text);
      } catch (error) {
        assert.doesNotMatch(String(error), /hunter2/);
      }
    }),
  );
  assert.throws(
    () => parseJson("hunter2"),
    (error) => !String(error).includes("hunter2"),
  );
});

test("[HTP5] what would hurt later is refused: depth, __proto__, U+0000", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  assert.ok(parseJson(nested(128)));
  assert.throws(() => parseJson(nested(129)), /nested deeper than 128 levels/);
  assert.throws(() => parseJson(nested(100_000)), /nested deeper than 128 levels/);
  assert.throws(
    () => parseJson('{"a":{"__proto__":{"admin":true}}}'),
    /^Failure: __proto__: is not/,
  );
  assert.throws(() => parseJson('{"a":["x\\u0000"]}'), /U\+0000/);
  assert.throws(() => parseJson('{"a\\u0000":1}'), /U\+0000/);
  assert.deepEqual(parseJson('{"a":"\\\\u0000"}'), { a: "\\u0000" });
  assert.deepEqual(parseJson('{"a":1,"a":2}'), { a: 2 });
});
