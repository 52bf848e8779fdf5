// What is meant by typed words: the label itself comes before those that only hold the words.

interface Found {
  label: string;
  /** More words that it is found by. */
  words?: string;
}

/** Less is nearer; undefined where it is not meant at all. */
function rankOf({ label, words = "" }: Found, typed: string): number | undefined {
  const name = label.toLowerCase();
  if (name === typed) return 0;
  if (name.startsWith(typed)) return 1;
  if (name.split(/[^\p{L}\p{N}]+/u).some((_, at, all) => all.slice(at).join(" ").startsWith(typed)))
    return 2;
  if (name.includes(typed)) return 3;
  const text = `${name} ${words.toLowerCase()}`;
  return typed.split(/\s+/).every((part) => text.includes(part)) ? 4 : undefined;
}

/** Those that are meant, nearest first; of the same nearness they stand as before. */
export function ranked<One extends Found>(
  all: readonly One[],
  typed: string,
): { one: One; rank: number }[] {
  const wanted = typed.trim().toLowerCase().replaceAll(/\s+/g, " ");
  return all
    .flatMap((one) => {
      const rank = wanted === "" ? 0 : rankOf(one, wanted);
      return rank === undefined ? [] : [{ one, rank }];
    })
    .toSorted((one, other) => one.rank - other.rank);
}
