// Two texts side by side, and two changes of one text as one: held against what must be so of any texts.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { matchesOf } from "../../client/text/diff.ts";
import { lineEndsOf, withLineEnds, asTyped } from "../../console/memory/memory.ts";
import { merge } from "../../console/memory/memories/merge.ts";
import {
  diffTexts,
  stretchesOf,
  type Part,
  type TextDiff,
} from "../../console/kit/text/text-diff.ts";

const few = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 24 });
const text = fc
  .array(fc.constantFrom("one\n", "two\n", "two three\n", "\n", "end", "é ü\r\n", "  x\n"), {
    maxLength: 20,
  })
  .map((lines) => lines.join(""));

/** The length of the longest common part, the slow way. */
function longest(a: string[], b: string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => new Int32Array(b.length + 1));
  for (let x = a.length - 1; x >= 0; x--)
    for (let y = b.length - 1; y >= 0; y--)
      table[x]![y] =
        a[x] === b[y] ? table[x + 1]![y + 1]! + 1 : Math.max(table[x + 1]![y]!, table[x]![y + 1]!);
  return table[0]![0]!;
}

const textOf = (parts: Part[] = []) => parts.map(({ text }) => text).join("");
const leftOf = ({ rows }: TextDiff) => rows.map(({ left }) => textOf(left?.parts)).join("");
const rightOf = ({ rows }: TextDiff) => rows.map(({ right }) => textOf(right?.parts)).join("");

test("what two lists have in common is in order, is so, and is as much as can be", () => {
  fc.assert(
    fc.property(few, few, (a, b) => {
      let [x, y, found] = [0, 0, 0];
      for (const match of matchesOf(a, b)) {
        assert.ok(match.old >= x && match.new >= y);
        [x, y] = [match.old + match.length, match.new + match.length];
        assert.deepEqual(a.slice(match.old, x), b.slice(match.new, y));
        found += match.length;
      }
      assert.equal(found, longest(a, b));
    }),
  );
});

test("both texts stand in the comparison, byte for byte, and each row once in its stretches", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = diffTexts(before, after);
      assert.equal(leftOf(diff), before);
      assert.equal(rightOf(diff), after);
      for (const { isSame, left, right } of diff.rows)
        if (isSame) assert.equal(textOf(left?.parts), textOf(right?.parts));
      assert.equal(diff.added + diff.removed === 0, before === after);
      let reached = 0;
      for (const { kind, from, to } of stretchesOf(diff)) {
        assert.equal(from, reached);
        if (kind === "same") assert.ok(diff.rows.slice(from, to).every(({ isSame }) => isSame));
        reached = to;
      }
      assert.equal(reached, diff.rows.length);
    }),
  );
});

test("within a line that changed the words that changed are marked, and no others", () => {
  const { rows } = diffTexts("Plan: Team, 40 seats.\nSame\n", "New\nPlan: Team, 55 seats.\nSame\n");
  const marked = (parts: Part[] = []) => parts.filter(({ isMarked }) => isMarked);
  assert.equal(rows.length, 3);
  assert.equal(rows[0]?.left, undefined);
  assert.deepEqual(marked(rows[1]?.left?.parts), [{ text: "40", isMarked: true }]);
  assert.deepEqual(marked(rows[1]?.right?.parts), [{ text: "55", isMarked: true }]);
  assert.equal(rows[1]?.right?.line, 2);
  // Two lines that have nothing in common are two lines.
  const [apart] = diffTexts("all of it\n", "entirely different\n").rows;
  assert.deepEqual([marked(apart?.left?.parts), marked(apart?.right?.parts)], [[], []]);
  // A line end that is missing is a difference.
  const [ending] = diffTexts("end", "end\n").rows;
  assert.deepEqual(marked(ending?.right?.parts), [{ text: "\n", isMarked: true }]);
});

test("texts of 100 kB are compared in a moment, whatever they are", () => {
  let seed = 1;
  const next = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const lines = (count: number, kinds: number) =>
    Array.from({ length: count }, () => `${next(kinds)}\n`).join("");
  const words = Array.from({ length: 16_000 }, () => `word${next(90)}`).join(" ");
  const cases: [string, string][] = [
    [lines(50_000, 2), lines(50_000, 2)],
    [lines(25_000, 500), lines(25_000, 500)],
    [lines(20_000, 90_000), lines(20_000, 90_000)],
    [words, words.replaceAll("word7", "term7")],
    ["x".repeat(100_000), `${"x".repeat(99_999)}y`],
  ];
  for (const [before, after] of cases) {
    const start = process.cpuUsage();
    const diff = diffTexts(before, after);
    const ms = process.cpuUsage(start).user / 1_000;
    assert.equal(leftOf(diff), before);
    assert.equal(rightOf(diff), after);
    // 100 ms; what else runs on the machine does not count.
    assert.ok(ms < 3_000, `${Math.round(ms)} ms`);
  }
});

test("what only one of two changed is taken over; what both did is shown twice", () => {
  const base = "a\nb\nc\nd\ne\n";
  assert.deepEqual(merge(base, "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n"), {
    text: "A\nb\nc\nd\nE\n",
    clashes: 0,
  });
  assert.deepEqual(merge(base, "a\nmine\nc\nd\ne\n", "a\ntheirs\nc\nd\ne\nf\n"), {
    text: "a\n<<<<<<< mine\nmine\n=======\ntheirs\n>>>>>>> theirs\nc\nd\ne\nf\n",
    clashes: 1,
  });
  fc.assert(
    fc.property(text, text, text, (base, mine, theirs) => {
      assert.equal(merge(base, mine, base).text, mine);
      assert.equal(merge(base, base, theirs).text, theirs);
      assert.deepEqual(merge(base, mine, mine), { text: mine, clashes: 0 });
      // No line of what was typed is lost.
      const { text } = merge(base, mine, theirs);
      const was = new Set(base.split("\n"));
      for (const line of mine.split("\n"))
        if (!was.has(line)) assert.ok(text.split("\n").includes(line), `lost: ${line}`);
    }),
  );
});

test("line ends that a text field does not keep come back", () => {
  assert.equal(lineEndsOf("a\nb\n"), "lf");
  assert.equal(lineEndsOf("a"), "lf");
  assert.equal(lineEndsOf("a\r\nb\r\n"), "crlf");
  assert.equal(lineEndsOf("a\r\nb\n"), "mixed");
  assert.equal(lineEndsOf("a\rb"), "mixed");
  const text = "a\r\n\r\nb\r\n";
  assert.equal(withLineEnds(asTyped(text), "crlf"), text);
});
