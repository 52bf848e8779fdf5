// What stays and what changes between two lists of lines or words: Myers' algorithm in linear space.

export interface Change {
  /** Removed items of the old list: from the first number up to, and without, the second. */
  oldFrom: number;
  oldTo: number;
  /** Added items of the new list, in their place. */
  newFrom: number;
  newTo: number;
}

/** Each line with its line feed, if it has one: joined, they are the text. */
export const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** `length` items of the old list from `old` on are those of the new one from `new` on. */
export interface Match {
  old: number;
  new: number;
  length: number;
}

/** What changes from start to end; a minimal set, except for lists that differ in thousands of items. */
export function changesOf(before: readonly string[], after: readonly string[]): Change[] {
  const { goes, comes } = marksOf(before, after);
  const changes: Change[] = [];
  let [x, y] = [0, 0];
  while (x < goes.length || y < comes.length) {
    const [oldFrom, newFrom] = [x, y];
    while (goes[x] === 1) x++;
    while (comes[y] === 1) y++;
    if (x > oldFrom || y > newFrom) changes.push({ oldFrom, oldTo: x, newFrom, newTo: y });
    x++;
    y++;
  }
  return changes;
}

/** The same told by what stays: the runs between the changes. */
export function matchesOf(before: readonly string[], after: readonly string[]): Match[] {
  const matches: Match[] = [];
  let [x, y] = [0, 0];
  const stays = (to: number) => {
    if (to > x) matches.push({ old: x, new: y, length: to - x });
  };
  for (const { oldFrom, oldTo, newTo } of changesOf(before, after)) {
    stays(oldFrom);
    [x, y] = [oldTo, newTo];
  }
  stays(before.length);
  return matches;
}

/** A mark on each item that has no partner on the other side. */
interface Marks {
  goes: Uint8Array;
  comes: Uint8Array;
}

function marksOf(before: readonly string[], after: readonly string[]): Marks {
  const numbers = new Map<string, number>();
  const numbered = (items: readonly string[]) =>
    Int32Array.from(items, (item) => {
      const known = numbers.get(item);
      if (known !== undefined) return known;
      numbers.set(item, numbers.size);
      return numbers.size - 1;
    });
  const [a, b] = [numbered(before), numbered(after)];
  // What only one side has matches nothing: without it, texts that share little are short.
  const [ours, theirs] = [shared(a, b, numbers.size), shared(b, a, numbers.size)];
  const span = ours.length + theirs.length + 3;
  const work: Work = {
    a: ours.map((at) => a[at] ?? 0),
    b: theirs.map((at) => b[at] ?? 0),
    goes: new Uint8Array(ours.length),
    comes: new Uint8Array(theirs.length),
    forward: new Int32Array(2 * span),
    backward: new Int32Array(2 * span),
    zero: span,
  };
  compare(work, { aFrom: 0, aTo: ours.length, bFrom: 0, bTo: theirs.length });
  return {
    goes: placed(work.goes, ours, a.length),
    comes: placed(work.comes, theirs, b.length),
  };
}

/** Where the items stand that the other side has too. */
function shared(items: Int32Array, others: Int32Array, kinds: number): Int32Array {
  const isThere = new Uint8Array(kinds);
  for (const item of others) isThere[item] = 1;
  return Int32Array.from(items.keys()).filter((at) => isThere[items[at] ?? 0] === 1);
}

function placed(marks: Uint8Array, places: Int32Array, length: number): Uint8Array {
  const whole = new Uint8Array(length).fill(1);
  for (const [at, place] of places.entries()) whole[place] = marks[at] ?? 0;
  return whole;
}

interface Work extends Marks {
  /** Items as numbers: the same number is the same item. */
  a: Int32Array;
  b: Int32Array;
  /** How far the paths of each diagonal reach, from the start and from the end. */
  forward: Int32Array;
  backward: Int32Array;
  zero: number;
}

interface Box {
  aFrom: number;
  aTo: number;
  bFrom: number;
  bTo: number;
}

/** Beyond so many differences in one search, the best path so far is taken: 200,000 items take a second. */
const costMax = 512;

function compare(work: Work, whole: Box): void {
  const { a, b, goes, comes } = work;
  let { aFrom, aTo, bFrom, bTo } = whole;
  // The loop takes the second part of each split: only first parts nest.
  for (;;) {
    for (; aFrom < aTo && bFrom < bTo && a[aFrom] === b[bFrom]; aFrom++) bFrom++;
    for (; aFrom < aTo && bFrom < bTo && a[aTo - 1] === b[bTo - 1]; aTo--) bTo--;
    if (aFrom === aTo) return void comes.fill(1, bFrom, bTo);
    if (bFrom === bTo) return void goes.fill(1, aFrom, aTo);
    const [x, y] = split(work, { aFrom, aTo, bFrom, bTo });
    compare(work, { aFrom, aTo: x, bFrom, bTo: y });
    [aFrom, bFrom] = [x, y];
  }
}

type Point = readonly [x: number, y: number];

/** A point on a shortest path, met by walking from both corners at once. */
function split(work: Work, box: Box): Point {
  const { forward, backward, zero } = work;
  const { aFrom, aTo, bFrom, bTo } = box;
  const [down, up] = [aFrom - bFrom, aTo - bTo];
  const isOdd = ((down - up) & 1) !== 0;
  forward[zero + down + 1] = aFrom;
  backward[zero + up - 1] = aTo;
  for (let cost = 0; ; cost++) {
    for (let k = down - cost; k <= down + cost; k += 2) {
      const x = stepForward(work, box, k, k === down - cost, k === down + cost);
      const meets = isOdd && k > up - cost && k < up + cost;
      if (meets && x >= (backward[zero + k] ?? 0)) return [x, x - k];
    }
    for (let k = up - cost; k <= up + cost; k += 2) {
      const x = stepBackward(work, box, k, k === up - cost, k === up + cost);
      const meets = !isOdd && k >= down - cost && k <= down + cost;
      if (meets && x <= (forward[zero + k] ?? 0)) return [x, x - k];
    }
    if (cost >= costMax) return furthest(work, box, cost);
  }
}

/** From the neighbouring diagonal, by one removed or added item, then along equal ones. */
function stepForward(
  { a, b, forward, zero }: Work,
  { aTo, bTo }: Box,
  k: number,
  isLowest: boolean,
  isHighest: boolean,
): number {
  const [left = 0, right = 0] = [forward[zero + k - 1], forward[zero + k + 1]];
  let x = isLowest || (!isHighest && left < right) ? right : left + 1;
  while (x < aTo && x - k < bTo && a[x] === b[x - k]) x++;
  forward[zero + k] = x;
  return x;
}

function stepBackward(
  { a, b, backward, zero }: Work,
  { aFrom, bFrom }: Box,
  k: number,
  isLowest: boolean,
  isHighest: boolean,
): number {
  const [left = 0, right = 0] = [backward[zero + k - 1], backward[zero + k + 1]];
  let x = isHighest || (!isLowest && left < right) ? left : right - 1;
  while (x > aFrom && x - k > bFrom && a[x - 1] === b[x - k - 1]) x--;
  backward[zero + k] = x;
  return x;
}

/** The point where the paths from the start have come furthest, within the box. */
function furthest({ forward, zero }: Work, box: Box, cost: number): Point {
  const { aFrom, aTo, bFrom, bTo } = box;
  const down = aFrom - bFrom;
  let best: Point = [aFrom, bFrom];
  for (let k = down - cost; k <= down + cost; k += 2) {
    const x = forward[zero + k] ?? 0;
    if (x > aTo || x - k > bTo) continue;
    if (x + x - k > best[0] + best[1]) best = [x, x - k];
  }
  return best;
}
