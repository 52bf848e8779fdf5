// Differences of texts: always right, never longer than need be, and as `patch` takes them.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { changesOf, linesOf, type Change } from "../../client/text/diff.ts";
import { unifiedDiff } from "../../cli/memory/unified-diff.ts";

/** Few different lines, so that there are many ways to pair them; ends with and without a line feed. */
const text = fc
  .tuple(
    fc.array(fc.constantFrom("a", "b", "c", "", "-x", "+y", "\r"), { maxLength: 30, size: "max" }),
    fc.boolean(),
  )
  .map(([lines, hasEnd]) => lines.join("\n") + (hasEnd && lines.length > 0 ? "\n" : ""));

/** What stands there once the changes are made. */
function apply(before: readonly string[], after: readonly string[], changes: readonly Change[]) {
  const out: string[] = [];
  let at = 0;
  for (const { oldFrom, oldTo, newFrom, newTo } of changes) {
    assert.ok(
      oldFrom >= at && (oldTo > oldFrom || newTo > newFrom),
      "changes in order, none empty",
    );
    out.push(...before.slice(at, oldFrom));
    assert.equal(out.length, newFrom, "it stands elsewhere in the new text");
    out.push(...after.slice(newFrom, newTo));
    at = oldTo;
  }
  return [...out, ...before.slice(at)];
}

/** Lines that go and come, by the slow and plain way: a table of longest common parts. */
function fewest(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const line of a) {
    const next = [0];
    for (let y = 0; y < b.length; y++)
      next.push(line === b[y] ? (row[y] ?? 0) + 1 : Math.max(row[y + 1] ?? 0, next[y] ?? 0));
    row = next;
  }
  return a.length + b.length - 2 * (row.at(-1) ?? 0);
}

const costOf = (changes: readonly Change[]) =>
  changes.reduce((sum, c) => sum + c.oldTo - c.oldFrom + c.newTo - c.newFrom, 0);

test("changes made in one text give the other, and no fewer lines would", () => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      const [a, b] = [linesOf(one), linesOf(other)];
      assert.equal(a.join(""), one);
      const changes = changesOf(a, b);
      assert.deepEqual(apply(a, b, changes), b);
      assert.equal(costOf(changes), fewest(a, b));
    }),
    { numRuns: 2_000 },
  );
});

test("texts that differ everywhere are compared in reasonable time, and rightly", () => {
  // The longest memory there is: 51,200 lines of one sign each, of few kinds.
  let state = 1;
  const random = () => (state = (state * 48_271) % 2_147_483_647);
  const long = () => Array.from({ length: 51_200 }, () => `${random() % 7}\n`);
  const [a, b] = [long(), long()];
  assert.deepEqual(apply(a, b, changesOf(a, b)), b);
  const upside = a.toReversed();
  assert.deepEqual(apply(a, upside, changesOf(a, upside)), upside);
  const others = b.map((line) => `x${line}`);
  assert.deepEqual(changesOf(a, others), [
    { oldFrom: 0, oldTo: a.length, newFrom: 0, newTo: others.length },
  ]);
});

/** Reads a unified difference as its format says, and does to a text what stands in it. */
function patch(before: string, difference: string): string {
  const lines = linesOf(before);
  const out: string[] = [];
  let at = 0;
  const body = difference.split(/(?<=\n)/).slice(2);
  for (const [index, line] of body.entries()) {
    const [, from, count = "1"] = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@\n$/.exec(line) ?? [];
    const hasNoEnd = body[index + 1]?.startsWith("\\") === true;
    const bare = hasNoEnd ? line.slice(1, -1) : line.slice(1);
    if (from !== undefined) {
      const start = count === "0" ? Number(from) : Number(from) - 1;
      out.push(...lines.slice(at, start));
      at = start;
    } else if (line.startsWith("+")) out.push(bare);
    else if (!line.startsWith("\\")) {
      assert.equal(lines[at], bare, `line ${at + 1}`);
      at++;
      if (line.startsWith(" ")) out.push(bare);
    }
  }
  return [...out, ...lines.slice(at)].join("");
}

test("the unified form says where each change is: made by its words alone, it gives the other text", () => {
  fc.assert(
    fc.property(text, text, fc.integer({ min: 0, max: 4 }), (one, other, context) => {
      const lines = unifiedDiff(
        { text: one, name: "one" },
        { text: other, name: "other" },
        context,
      );
      const written = lines.map((line) => line.text).join("");
      if (one === other) assert.equal(written, "");
      else {
        assert.match(written, /^--- one\n\+\+\+ other\n@@ /);
        assert.equal(patch(one, written), other);
      }
    }),
    { numRuns: 1_000 },
  );
});

test("it looks as diff -u writes it", () => {
  const before = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n";
  const after = "one\n2\nthree\nfour\nfive\nsix\nseven\neight\nnine";
  const lines = unifiedDiff({ text: before, name: "old" }, { text: after, name: "new" });
  assert.equal(
    lines.map(({ text: line }) => line).join(""),
    "--- old\n+++ new\n@@ -1,8 +1,9 @@\n one\n-two\n+2\n three\n four\n five\n six\n seven\n eight\n" +
      "+nine\n\\ No newline at end of file\n",
  );
});
