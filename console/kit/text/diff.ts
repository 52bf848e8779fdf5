// What two lists have in common, in order: the ground of comparing texts by lines and lines by words.

/** `length` items from `a` on are the items from `b` on. */
export interface Match {
  a: number;
  b: number;
  length: number;
}

/** Beyond so many differences in one stretch an exact answer costs more than it is worth. */
const differencesMax = 500;

/**
 * The runs that stay, ascending on both sides. Exact up to 500 differences between two things both sides have once;
 * beyond that it may find less than there is in common, and never anything that is not so.
 */
export function matchesOf(left: readonly string[], right: readonly string[]): Match[] {
  const ids = new Map<string, number>();
  const numbered = (items: readonly string[]) =>
    Int32Array.from(items, (item) => {
      const id = ids.get(item) ?? ids.size;
      ids.set(item, id);
      return id;
    });
  const [a, b] = [numbered(left), numbered(right)];
  const found = makeMatches();
  const start = commonStart(a, b);
  const end = commonEnd(a, b, start);
  found.add(0, 0, start);
  // What only one side has matches nothing: without it the rest is short, however different the texts are.
  const [ours, theirs] = [
    shared(a, start, a.length - end, b, start, b.length - end, ids.size),
    shared(b, start, b.length - end, a, start, a.length - end, ids.size),
  ];
  between(
    { a: ours.items, b: theirs.items, add: (x, y) => found.add(ours.at[x]!, theirs.at[y]!, 1) },
    { a: 0, aEnd: ours.items.length, b: 0, bEnd: theirs.items.length },
  );
  found.add(a.length - end, b.length - end, end);
  return found.all;
}

/** Runs that meet are one. */
function makeMatches() {
  const all: Match[] = [];
  return {
    all,
    add: (a: number, b: number, length: number): void => {
      const last = all.at(-1);
      if (length === 0) return;
      if (last !== undefined && last.a + last.length === a && last.b + last.length === b)
        last.length += length;
      else all.push({ a, b, length });
    },
  };
}

function commonStart(a: Int32Array, b: Int32Array): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}

function commonEnd(a: Int32Array, b: Int32Array, start: number): number {
  const max = Math.min(a.length, b.length) - start;
  let length = 0;
  while (length < max && a[a.length - 1 - length] === b[b.length - 1 - length]) length++;
  return length;
}

function shared(
  items: Int32Array,
  from: number,
  to: number,
  others: Int32Array,
  othersFrom: number,
  othersTo: number,
  kinds: number,
) {
  const isThere = new Uint8Array(kinds);
  for (let at = othersFrom; at < othersTo; at++) isThere[others[at]!] = 1;
  const at: number[] = [];
  for (let place = from; place < to; place++) if (isThere[items[place]!] === 1) at.push(place);
  return { at, items: Int32Array.from(at, (place) => items[place]!) };
}

interface Sides {
  a: Int32Array;
  b: Int32Array;
  add: (a: number, b: number) => void;
}

interface Range {
  a: number;
  aEnd: number;
  b: number;
  bEnd: number;
}

function between(sides: Sides, range: Range): void {
  const { a, b, add } = sides;
  let { a: x, aEnd: xEnd, b: y, bEnd: yEnd } = range;
  for (; x < xEnd && y < yEnd && a[x] === b[y]; x++, y++) add(x, y);
  let same = 0;
  for (; x < xEnd && y < yEnd && a[xEnd - 1] === b[yEnd - 1]; xEnd--, yEnd--) same++;
  const rest = { a: x, aEnd: xEnd, b: y, bEnd: yEnd };
  if (x < xEnd && y < yEnd && !exact(sides, rest)) byAnchors(sides, rest);
  for (let place = 0; place < same; place++) add(xEnd + place, yEnd + place);
}

/** The shortest way from one side to the other (Myers, 1986); false where it is longer than we follow. */
function exact({ a, b, add }: Sides, { a: aFrom, aEnd, b: bFrom, bEnd }: Range): boolean {
  const [n, m] = [aEnd - aFrom, bEnd - bFrom];
  const max = Math.min(n + m, differencesMax);
  const reached = new Int32Array(2 * max + 3);
  const steps: Int32Array[] = [];
  for (let depth = 0; depth <= max; depth++) {
    for (let k = -depth; k <= depth; k += 2) {
      const at = k + max + 1;
      const down = k === -depth || (k !== depth && reached[at - 1]! < reached[at + 1]!);
      let x = down ? reached[at + 1]! : reached[at - 1]! + 1;
      while (x < n && x - k < m && a[aFrom + x] === b[bFrom + x - k]) x++;
      reached[at] = x;
      if (x < n || x - k < m) continue;
      const pairs = wayBack(steps, n, m, depth);
      for (const [x, y] of pairs) add(aFrom + x, bFrom + y);
      return true;
    }
    // Of this step only the diagonals that it reached: together they are a triangle.
    steps.push(reached.slice(max + 1 - depth, max + 2 + depth));
  }
  return false;
}

function wayBack(steps: Int32Array[], n: number, m: number, last: number): [number, number][] {
  const pairs: [number, number][] = [];
  let [x, y] = [n, m];
  for (let depth = last; depth > 0; depth--) {
    const before = steps[depth - 1]!;
    const of = (k: number) => before[k + depth - 1] ?? -1;
    const k = x - y;
    const down = k === -depth || (k !== depth && of(k - 1) < of(k + 1));
    const beforeX = down ? of(k + 1) : of(k - 1);
    const beforeY = beforeX - (down ? k + 1 : k - 1);
    const [startX, startY] = down ? [beforeX, beforeY + 1] : [beforeX + 1, beforeY];
    while (x > startX && y > startY) pairs.push([--x, --y]);
    [x, y] = [beforeX, beforeY];
  }
  while (x > 0 && y > 0) pairs.push([--x, --y]);
  return pairs.toReversed();
}

/** What both sides have exactly once, as long as its order is the same, is taken as the same; the rest lies between. */
function byAnchors(sides: Sides, range: Range): void {
  const anchors = ascending(uniquePairs(sides, range));
  if (anchors.length === 0) return;
  let [a, b] = [range.a, range.b];
  for (const [x, y] of anchors) {
    between(sides, { a, aEnd: x, b, bEnd: y });
    sides.add(x, y);
    [a, b] = [x + 1, y + 1];
  }
  between(sides, { a, aEnd: range.aEnd, b, bEnd: range.bEnd });
}

function uniquePairs({ a, b }: Sides, { a: aFrom, aEnd, b: bFrom, bEnd }: Range) {
  const places = (items: Int32Array, from: number, to: number) => {
    const found = new Map<number, number>();
    // -1: more than once.
    for (let at = from; at < to; at++) found.set(items[at]!, found.has(items[at]!) ? -1 : at);
    return found;
  };
  const others = places(b, bFrom, bEnd);
  return [...places(a, aFrom, aEnd)].flatMap(([id, x]): [number, number][] => {
    const y = others.get(id) ?? -1;
    return x === -1 || y === -1 ? [] : [[x, y]];
  });
}

/** The longest part of pairs, ascending in the first, that ascends in the second as well. */
function ascending(pairs: [number, number][]): [number, number][] {
  const sorted = pairs.toSorted(([x], [y]) => x - y);
  const ends: number[] = [];
  const before: number[] = [];
  for (const [place, [, y]] of sorted.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[ends[middle]!]![1] < y) low = middle + 1;
      else high = middle;
    }
    before[place] = ends[low - 1] ?? -1;
    ends[low] = place;
  }
  const found: [number, number][] = [];
  for (let at = ends.at(-1) ?? -1; at !== -1; at = before[at]!) found.push(sorted[at]!);
  return found.toReversed();
}
