// Names that people give to things: what may stand in one, wherever it comes from.
import { invalid } from "./failure.ts";

/** Control characters, line ends, and what turns the direction of the text that follows. */
const forbidden = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
/** Blanks and what cannot be seen, the joiners of scripts and emoji among them. */
const invisible = /^[\p{Z}\p{Cf}\u115f\u1160\u3164\uffa0]*$/u;

/** Whether a text that a client sends can be kept and shown: the database takes no U+0000, and JSON no half pair. */
export const isPrintable = (text: string): boolean => !forbidden.test(text);

/** One line of it, with a blank for each character that cannot be shown. */
export const printable = (text: string): string =>
  text.replaceAll(new RegExp(forbidden, "gu"), " ").replaceAll(/\s+/g, " ").trim();

/** As texts are compared where neither case nor spelling counts: a letter with a mark is one character or two. */
export const caseless = (text: string): string => text.toLowerCase().normalize("NFC");

/** A name that another program sent; undefined where nothing of it is left, or far too much. */
export function nameFrom(text: string, charactersMax: number): string | undefined {
  const name = printable(text.normalize("NFC"));
  return invisible.test(name) || Array.from(name).length > charactersMax ? undefined : name;
}

/** Composed, so that two spellings of one name are one; counted in characters, as the schemas count. */
export function cleanName(field: string, text: string, charactersMax: number): string {
  const name = text.normalize("NFC").trim();
  if (forbidden.test(name))
    throw invalid(`${field}: holds a character that is no part of a name, such as a line end.`);
  if (invisible.test(name)) throw invalid(`${field}: must have a character that can be seen.`);
  if (Array.from(name).length > charactersMax)
    throw invalid(`${field}: must have at most ${charactersMax} characters.`);
  return name;
}
