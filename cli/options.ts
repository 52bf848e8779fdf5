// Options that several commands take, and how they are read.
import { InvalidArgumentError } from "commander";

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
