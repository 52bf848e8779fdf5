// Words of the console's plain code: what is found by typing, and times.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ranked } from "../../console/kit/page/ranked.ts";
import { jsonText } from "../../console/kit/text/json.ts";
import { axisTimes, relativeTime } from "../../console/kit/value/time.ts";

const labels = (typed: string, all: readonly { label: string; words?: string }[]) =>
  ranked(all, typed).map(({ one }) => one.label);

test("what is typed is found: the label itself, its beginning, a word of it, a part, other words", () => {
  const all = [
    { label: "Service accounts" },
    { label: "Discount" },
    { label: "Sign out", words: "leave the account" },
    { label: "Accounting" },
    { label: "New account" },
    { label: "Account" },
    { label: "Files" },
  ];
  assert.deepEqual(labels("Account", all), [
    "Account",
    "Accounting",
    "Service accounts",
    "New account",
    "Sign out",
  ]);
  assert.deepEqual(labels("count", all), [
    "Service accounts",
    "Discount",
    "Accounting",
    "New account",
    "Account",
    "Sign out",
  ]);
  assert.deepEqual(labels("  new   ACC ", all), ["New account"]);
  assert.deepEqual(labels("out leave", all), ["Sign out"]);
  assert.deepEqual(
    labels("", all),
    all.map(({ label }) => label),
  );
  assert.deepEqual(labels("zebra", all), []);
});

test("a label with signs is found by any of its words", () => {
  const all = [{ label: "Workspace: Research lab" }, { label: "Usage & cost" }];
  assert.deepEqual(labels("research l", all), ["Workspace: Research lab"]);
  assert.deepEqual(labels("cost", all), ["Usage & cost"]);
  assert.deepEqual(labels("workspace: r", all), ["Workspace: Research lab"]);
});

test("how long ago is short in a column, and a sentence's own words elsewhere", () => {
  const from = new Date("2026-11-26T12:00:00Z");
  const at = "2026-11-26T11:10:00Z";
  assert.equal(relativeTime(at, { from }), "50 minutes ago");
  assert.equal(relativeTime(at, { from, isShort: true }), "50 min ago");
  assert.equal(relativeTime("2026-11-26T10:00:00Z", { from, isShort: true }), "2 hr ago");
  assert.equal(relativeTime("2026-11-25T10:00:00Z", { from, isShort: true }), "yesterday");
});

test("under a chart stand days, hours of a day, or months, in UTC", () => {
  const at = Date.parse("2026-10-28T00:00:00Z") / 1000;
  const [hour, day] = [3_600, 86_400];
  assert.deepEqual(axisTimes([at, at + day], day), ["28 Oct", "29 Oct"]);
  assert.deepEqual(axisTimes([at - hour, at, at + 9 * hour], hour), ["23:00", "28 Oct", "09:00"]);
  assert.deepEqual(axisTimes([at + 4 * day], 30 * day), ["Nov 2026"]);
});

test("JSON stands in one line where it fits, and says the same as it did", () => {
  assert.equal(
    jsonText({ a: [1, "two", null], b: {}, c: undefined }),
    '{ "a": [1, "two", null], "b": {} }',
  );
  const text = "x".repeat(50);
  const long = {
    list: [{ text, more: { on: true } }, []],
    'a "name"': "\n",
    key: ["y".repeat(50)],
  };
  assert.deepEqual(jsonText(long).split("\n"), [
    "{",
    '  "list": [',
    "    {",
    `      "text": "${text}",`,
    '      "more": { "on": true }',
    "    },",
    "    []",
    "  ],",
    '  "a \\"name\\"": "\\n",',
    // The key takes room, too.
    '  "key": [',
    `    "${"y".repeat(50)}"`,
    "  ]",
    "}",
  ]);
  assert.deepEqual(JSON.parse(jsonText(long)), long);
});
