// Two texts side by side: which lines went, came or changed, and which words changed within a line.
import { linesOf, matchesOf, type Match } from "../../../client/text/diff.ts";

/** Some of a line; marked where the other side has something else. */
export interface Part {
  text: string;
  isMarked: boolean;
}

export interface Side {
  /** From 1. */
  line: number;
  parts: Part[];
}

/** What stands on one height. `isSame` rows have both sides. */
export interface Row {
  isSame: boolean;
  left?: Side;
  right?: Side;
}

export interface TextDiff {
  rows: Row[];
  added: number;
  removed: number;
}

export function diffTexts(before: string, after: string): TextDiff {
  const [left, right] = [linesOf(before), linesOf(after)];
  const diff: TextDiff = { rows: [], added: 0, removed: 0 };
  let [a, b] = [0, 0];
  const replaced = (aEnd: number, bEnd: number) => {
    diff.removed += aEnd - a;
    diff.added += bEnd - b;
    diff.rows.push(...paired(left.slice(a, aEnd), a + 1, right.slice(b, bEnd), b + 1));
  };
  for (const match of matchesOf(left, right)) {
    replaced(match.old, match.new);
    for (let at = 0; at < match.length; at++) {
      const parts = [{ text: left[match.old + at]!, isMarked: false }];
      diff.rows.push({
        isSame: true,
        left: { line: match.old + at + 1, parts },
        right: { line: match.new + at + 1, parts },
      });
    }
    [a, b] = [match.old + match.length, match.new + match.length];
  }
  replaced(left.length, right.length);
  return diff;
}

/** Of so many lines each is held against each; of more, those at the same height. */
const comparedMax = 1_000;
/** Lines with less in common are two lines, not one that changed. */
const alikeMin = 0.35;

function paired(removed: string[], firstLeft: number, added: string[], firstRight: number): Row[] {
  const rows: Row[] = [];
  let [a, b] = [0, 0];
  const apart = (aEnd: number, bEnd: number) => {
    for (; a < aEnd || b < bEnd; a++, b++) {
      const row: Row = { isSame: false };
      if (a < aEnd) row.left = { line: firstLeft + a, parts: unmarked(removed[a]!) };
      if (b < bEnd) row.right = { line: firstRight + b, parts: unmarked(added[b]!) };
      rows.push(row);
    }
    [a, b] = [aEnd, bEnd];
  };
  for (const [x, y] of pairsOf(removed, added)) {
    apart(x, y);
    const [left, right] = markWords(removed[x]!, added[y]!);
    rows.push({
      isSame: false,
      left: { line: firstLeft + x, parts: left },
      right: { line: firstRight + y, parts: right },
    });
    [a, b] = [x + 1, y + 1];
  }
  apart(removed.length, added.length);
  return rows;
}

const unmarked = (text: string): Part[] => [{ text, isMarked: false }];

/** Which removed line became which added one: in order, and as alike as can be. */
function pairsOf(removed: string[], added: string[]): [number, number][] {
  const [n, m] = [removed.length, added.length];
  if (n * m > comparedMax)
    return Array.from({ length: Math.min(n, m) }, (_, at): [number, number] => [at, at]).filter(
      ([x, y]) => likeness(removed[x]!, added[y]!) >= alikeMin,
    );
  const likenesses = removed.map((one) => added.map((other) => likeness(one, other)));
  // The best sum from here on, from the end.
  const best = Array.from({ length: n + 1 }, () => new Float64Array(m + 1));
  const withPair = (x: number, y: number) => {
    const alike = likenesses[x]![y]!;
    return alike < alikeMin ? -1 : alike + best[x + 1]![y + 1]!;
  };
  for (let x = n - 1; x >= 0; x--)
    for (let y = m - 1; y >= 0; y--)
      best[x]![y] = Math.max(withPair(x, y), best[x + 1]![y]!, best[x]![y + 1]!);
  const pairs: [number, number][] = [];
  let [x, y] = [0, 0];
  while (x < n && y < m) {
    if (withPair(x, y) === best[x]![y]) pairs.push([x++, y++]);
    else if (best[x]![y] === best[x + 1]![y]) x++;
    else y++;
  }
  return pairs;
}

const wordsOf = (line: string): string[] => line.match(/[\p{L}\p{N}_]+|[^\p{L}\p{N}_]/gu) ?? [];

/** From 0 to 1: how much of the longer line's words the other one has too, in any order. */
function likeness(one: string, other: string): number {
  const counts = new Map<string, number>();
  for (const word of wordsOf(one)) counts.set(word, (counts.get(word) ?? 0) + word.length);
  let common = 0;
  for (const word of wordsOf(other)) {
    const left = counts.get(word) ?? 0;
    if (left === 0 || /\s/.test(word)) continue;
    counts.set(word, left - word.length);
    common += word.length;
  }
  const longer = Math.max(one.replaceAll(/\s/g, "").length, other.replaceAll(/\s/g, "").length);
  // Of two lines without a letter both are alike, whatever their spaces are.
  return longer === 0 ? 1 : common / longer;
}

export function markWords(before: string, after: string): [Part[], Part[]] {
  const [left, right] = [wordsOf(before), wordsOf(after)];
  const matches = matchesOf(left, right);
  return [marked(left, matches, "old"), marked(right, matches, "new")];
}

function marked(words: string[], matches: readonly Match[], side: "old" | "new"): Part[] {
  const parts: Part[] = [];
  const add = (text: string, isMarked: boolean) => {
    const last = parts.at(-1);
    if (last?.isMarked === isMarked) last.text += text;
    else if (text !== "") parts.push({ text, isMarked });
  };
  let at = 0;
  for (const match of matches) {
    const start = match[side];
    add(words.slice(at, start).join(""), true);
    at = start + match.length;
    const same = words.slice(start, at).join("");
    // One space between two marks is no rest for the eye.
    add(same, same === " " && parts.at(-1)?.isMarked === true && at < words.length);
  }
  add(words.slice(at).join(""), true);
  return parts;
}

/** A stretch of rows to show, or of rows that are the same and need not be. */
export type Stretch =
  | { kind: "rows"; from: number; to: number }
  | { kind: "same"; from: number; to: number };

const context = 3;
/** Fewer rows are shown: a line that hides them takes as much room. */
const hiddenMin = 4;

/** Around each change a few rows that stay; the others can be asked for. */
export function stretchesOf({ rows }: TextDiff): Stretch[] {
  const stretches: Stretch[] = [];
  const show = (from: number, to: number) => {
    const last = stretches.at(-1);
    if (last?.kind === "rows") last.to = to;
    else if (from < to) stretches.push({ kind: "rows", from, to });
  };
  let at = 0;
  while (at < rows.length) {
    let end = at;
    while (end < rows.length && rows[end]!.isSame) end++;
    const from = at === 0 ? 0 : at + context;
    const to = end === rows.length ? end : end - context;
    if (to - from < hiddenMin) show(at, end);
    else {
      show(at, from);
      stretches.push({ kind: "same", from, to });
      show(to, end);
    }
    at = end;
    while (end < rows.length && !rows[end]!.isSame) end++;
    show(at, end);
    at = end;
  }
  return stretches;
}
