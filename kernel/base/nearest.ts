// The known word that a mistyped one was most likely meant to be.

/** Undefined when nothing is close: at most a third of the letters may differ. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.floor(Math.max(word.length, 3) / 3) + 1;
  for (const candidate of known) {
    const far = distance(word.toLowerCase(), candidate.toLowerCase());
    if (far < bestDistance) {
      best = candidate;
      bestDistance = far;
    }
  }
  return best;
}

/** Levenshtein's, with one row of memory. */
function distance(a: string, b: string): number {
  const row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    let diagonal = row[0] ?? 0;
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const above = row[j] ?? 0;
      const left = row[j - 1] ?? 0;
      row[j] = a[i - 1] === b[j - 1] ? diagonal : 1 + Math.min(diagonal, above, left);
      diagonal = above;
    }
  }
  return row[b.length] ?? 0;
}
