// The parts of a text that a search found, with the words that match.

/** Of scripts that put no blanks between words, each character is a word. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;

/** As texts are compared: composed and in lower case, whatever the database's locale knows of letters. */
export const toSearchText = (text: string) =>
  text.normalize("NFC").toLowerCase().replaceAll(unspaced, " $& ");

export interface Piece {
  text: string;
  is_match: boolean;
}

const aroundCharacters = 70;
const fragmentsMax = 2;

/** Words to show in a snippet: those that a minus excludes are not in it. */
export const wordsIn = (query: string): string[] =>
  [...query.matchAll(/(?<!\S)-"[^"]*"?|(?<!\S)-\S+|[\p{L}\p{N}]+/gu)]
    .map(([word]) => word)
    .filter((word) => !word.startsWith("-"));

/** Up to two places where words begin; the start of the text where none is found (the path matched). */
export function snippetOf(text: string, words: readonly string[]): Piece[] {
  const marks = marksIn(text, words);
  const fragments: { start: number; end: number }[] = [];
  for (const { start, end } of marks) {
    const last = fragments.at(-1);
    if (last !== undefined && start - aroundCharacters <= last.end)
      last.end = Math.min(last.end, end + aroundCharacters, last.start + 4 * aroundCharacters);
    if (last !== undefined && start <= last.end) continue;
    if (fragments.length === fragmentsMax) break;
    fragments.push({ start: start - aroundCharacters, end: end + aroundCharacters });
  }
  if (fragments.length === 0) fragments.push({ start: 0, end: 2 * aroundCharacters });
  return fragments.flatMap((fragment, at) => piecesOf(text, fragment, marks, at));
}

interface Mark {
  start: number;
  end: number;
}

function marksIn(text: string, words: readonly string[]): Mark[] {
  if (words.length === 0) return [];
  const escaped = words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const found = new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join("|")})[\\p{L}\\p{N}]*`, "giu");
  return [...text.matchAll(found)].map(({ 0: match, index }) => ({
    start: index,
    end: index + match.length,
  }));
}

function piecesOf(text: string, fragment: Mark, marks: readonly Mark[], at: number): Piece[] {
  const [start, end] = [wordStart(text, fragment.start), wordEnd(text, fragment.end)];
  const pieces: Piece[] = [];
  const add = (part: string, is_match: boolean) => {
    if (part !== "") pieces.push({ text: part.replaceAll(/\s+/g, " "), is_match });
  };
  if (start > 0 || at > 0) add("… ", false);
  let reached = start;
  for (const mark of marks) {
    if (mark.start < reached || mark.end > end) continue;
    add(text.slice(reached, mark.start), false);
    add(text.slice(mark.start, mark.end), true);
    reached = mark.end;
  }
  add(text.slice(reached, end), false);
  if (end < text.length) add(" …", false);
  return pieces;
}

const wordStart = (text: string, at: number): number => {
  if (at <= 0) return 0;
  const space = text.slice(at, at + 20).search(/\s/);
  return space === -1 ? at : at + space + 1;
};

const wordEnd = (text: string, at: number): number => {
  if (at >= text.length) return text.length;
  const space = text.slice(at - 20, at).search(/\s\S*$/);
  return space === -1 ? at : at - 20 + space;
};
