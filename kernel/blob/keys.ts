// What a blob may be called: the same names work as a path on a disk and as a key in an object
// store.

import assert from "node:assert/strict";
/** Together; an object store allows 1,024, a path on Linux 4,096. */
const keyCharactersMax = 512;
/** Between slashes; a file system allows 255 bytes, of which tails need some for a suffix. */
const partCharactersMax = 200;

const partPattern = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;

/** Keys are made by our own code, so a bad one is a bug and not a caller's mistake. */
export function assertKey(key: string): void {
  const { length } = key;
  assert(
    length > 0 && length <= keyCharactersMax,
    `A blob key has 1 to ${keyCharactersMax} characters, not ${length}.`,
  );
  for (const part of key.split("/"))
    if (!partPattern.test(part) || part.length > partCharactersMax)
      assert.fail(`"${key}" cannot be a blob key: "${part}" is not a plain name.`);
}

/** A prefix is the beginning of a key, cut anywhere. */
export function assertPrefix(prefix: string): void {
  if (prefix !== "") assertKey(prefix.endsWith("/") ? prefix.slice(0, -1) : prefix);
}
