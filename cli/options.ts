// Options that several commands take, and how they are read.
import { InvalidArgumentError } from "commander";

export interface Flags {
  json?: boolean;
  url?: string;
}

/** Of lists that show names where ids could stand. */
export interface IdsFlags {
  ids?: boolean;
}

export interface YesFlags extends Flags {
  yes?: boolean;
}

export const jsonOption = ["--json", "print it as one JSON object, as the API gives it"] as const;
export const idsOption = ["--ids", "show ids where names stand"] as const;
export const yesOption = [
  "--yes",
  "do not ask first; needed where there is no terminal to ask at",
] as const;

export const urlOption = [
  "--url <address>",
  "where the server is (default: PLINTH_BASE_URL, or this machine)",
] as const;

export function positiveInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new InvalidArgumentError("It must be a whole number from 1.");
  return number;
}

/** A parser that carries the words that it knows: completion in a shell reads them there. */
export const knowing = <Result>(
  words: readonly string[],
  parse: (text: string) => Result,
): ((text: string) => Result) & { words: readonly string[] } =>
  Object.assign((text: string) => parse(text), { words });

/** One of these words. */
export const oneOf = <Word extends string>(words: readonly Word[]) =>
  knowing(words, (text): Word => {
    const word = words.find((each) => each === text);
    if (word === undefined)
      throw new InvalidArgumentError(`It must be one of ${words.join(", ")}.`);
    return word;
  });

/** An id of the server's form, so that nothing else gets into an address. */
export const idParser =
  (noun: string, example: string) =>
  (text: string): string => {
    if (!/^\w[\w-]*$/.test(text))
      throw new InvalidArgumentError(`It must be the id of a ${noun}, such as ${example}….`);
    return text;
  };

/** A moment, or the beginning of a day. */
export function moment(text: string): string {
  const at = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (Number.isNaN(at.getTime()))
    throw new InvalidArgumentError("It must be a time, such as 2026-11-26T08:00:00Z.");
  return at.toISOString();
}
