// Patterns with the words that say what they want: a caller is never shown a regular expression.
import assert from "node:assert/strict";

const words = new Map<string, string>();

/** For a string's schema: `Type.String({ maxLength: 9, ...worded("^[a-z]+$", "must have small letters only") })`. */
export function worded(pattern: string, sentence: string): { pattern: string } {
  const before = words.get(pattern);
  assert(before === undefined || before === sentence, `two sentences for the pattern ${pattern}`);
  words.set(pattern, sentence);
  return { pattern };
}

/** Undefined for the pattern of a schema that a caller brought. */
export const wordsOf = (pattern: string): string | undefined => words.get(pattern);
