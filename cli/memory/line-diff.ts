// The lines to remove and to add to turn one text into another: Myers' algorithm in linear space.

export interface LineChange {
  /** Removed lines of the old text: from the first number up to, and without, the second. */
  oldFrom: number;
  oldTo: number;
  /** Added lines of the new text, in their place. */
  newFrom: number;
  newTo: number;
}

/** Each line with its line feed, if it has one: joined, they are the text. */
export const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** The changes from top to bottom; a minimal set, except for texts that differ in thousands of lines. */
export function diffLines(before: readonly string[], after: readonly string[]): LineChange[] {
  const numbers = new Map<string, number>();
  const numbered = (lines: readonly string[]) =>
    Int32Array.from(lines, (line) => {
      const known = numbers.get(line);
      if (known !== undefined) return known;
      numbers.set(line, numbers.size);
      return numbers.size - 1;
    });
  const span = before.length + after.length + 3;
  const work: Work = {
    a: numbered(before),
    b: numbered(after),
    goes: new Uint8Array(before.length),
    comes: new Uint8Array(after.length),
    forward: new Int32Array(2 * span),
    backward: new Int32Array(2 * span),
    zero: span,
  };
  compare(work, { aFrom: 0, aTo: before.length, bFrom: 0, bTo: after.length });
  return changesOf(work.goes, work.comes);
}

interface Work {
  /** Lines as numbers: the same number is the same line. */
  a: Int32Array;
  b: Int32Array;
  /** Marks on the lines that have no partner. */
  goes: Uint8Array;
  comes: Uint8Array;
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

/** Beyond so many differences in one search, the best path so far is taken: 200,000 lines take a second. */
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

/** From the neighbouring diagonal, by one removed or added line, then along equal lines. */
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

function changesOf(goes: Uint8Array, comes: Uint8Array): LineChange[] {
  const changes: LineChange[] = [];
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
