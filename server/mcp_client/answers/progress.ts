// How far a call or a task is, as its server tells it.
import { fieldsOf } from "../fields.ts";
import { limits } from "../limits.ts";
import { clean, cut, type Scrub } from "../lists/tools.ts";

export interface Progress {
  progress: number | null;
  total: number | null;
  message: string | null;
}

export function readProgress(given: unknown, scrub: Scrub): Progress {
  const { progress, total, message } = fieldsOf(given);
  return { progress: countOf(progress), total: countOf(total), message: wordsOf(message, scrub) };
}

const countOf = (given: unknown) =>
  typeof given === "number" && Number.isFinite(given) ? given : null;

export function wordsOf(given: unknown, scrub: Scrub): string | null {
  if (typeof given !== "string") return null;
  const words = cut(clean(scrub(given)), limits.progressCharactersMax).trim();
  return words === "" ? null : words;
}
