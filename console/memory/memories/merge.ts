// Two changes of one text become one: what only one of them touched is taken over, what both touched is shown twice.
import { linesOf, matchesOf } from "../../../client/text/diff.ts";

export interface Merged {
  text: string;
  /** Places where both changed the same, each marked in the text. */
  clashes: number;
}

export const clashMarks = {
  mine: "<<<<<<< mine",
  middle: "=======",
  theirs: ">>>>>>> theirs",
} as const;

export function merge(base: string, mine: string, theirs: string): Merged {
  const sides = { base: linesOf(base), mine: linesOf(mine), theirs: linesOf(theirs) };
  const places = {
    mine: placesIn(sides.base, sides.mine),
    theirs: placesIn(sides.base, sides.theirs),
  };
  const out: string[] = [];
  let clashes = 0;
  const from = { base: 0, mine: 0, theirs: 0 };
  const upTo = (base: number, mine: number, theirs: number) => {
    const taken = resolved(
      sides.base.slice(from.base, base).join(""),
      sides.mine.slice(from.mine, mine).join(""),
      sides.theirs.slice(from.theirs, theirs).join(""),
    );
    if (taken.isClash) clashes++;
    out.push(taken.text);
    Object.assign(from, { base, mine, theirs });
  };
  for (const [at, line] of sides.base.entries()) {
    const [mine, theirs] = [places.mine[at], places.theirs[at]];
    // A line that both kept holds the three texts together.
    if (mine === undefined || theirs === undefined) continue;
    upTo(at, mine, theirs);
    out.push(line);
    Object.assign(from, { base: at + 1, mine: mine + 1, theirs: theirs + 1 });
  }
  upTo(sides.base.length, sides.mine.length, sides.theirs.length);
  return { text: out.join(""), clashes };
}

/** Where each line of the one stands in the other. */
function placesIn(base: string[], side: string[]): (number | undefined)[] {
  const places: (number | undefined)[] = Array.from({ length: base.length });
  for (const match of matchesOf(base, side))
    for (let at = 0; at < match.length; at++) places[match.old + at] = match.new + at;
  return places;
}

function resolved(base: string, mine: string, theirs: string): { text: string; isClash: boolean } {
  if (mine === theirs || theirs === base) return { text: mine, isClash: false };
  if (mine === base) return { text: theirs, isClash: false };
  const ended = (text: string) => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
  const text = `${clashMarks.mine}\n${ended(mine)}${clashMarks.middle}\n${ended(theirs)}${clashMarks.theirs}\n`;
  return { text, isClash: true };
}
