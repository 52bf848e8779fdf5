// Steps over the bytes of a JSON text without reading its values. The bytes must be known to be JSON.
import assert from "node:assert/strict";
import { parseExactly } from "../../base/exact-json.ts";

export const quote = 0x22;
const backslash = 0x5c;
export const comma = 0x2c;
export const colon = 0x3a;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;
export const openBracket = 0x5b;
export const closeBracket = 0x5d;

/**
 * Strings longer than this are left to the runtime's vector search, which costs 60 ns a call; where it meets
 * an escaped quote, more are likely (code in JSON), and the loop is the faster one for a while.
 */
const nearBytes = 48;
const nearBytesAfterEscape = 512;

/** UTF-8's byte order mark, which we read over. */
export const markBytes = (bytes: Buffer) =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;

export function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  // Space, tab, line feed, carriage return, and the colon is skipped by its caller.
  for (
    let byte = bytes[at];
    byte === 0x20 || (byte !== undefined && byte <= 0x0d);
    byte = bytes[at]
  )
    at += 1;
  return at;
}

/** After the closing quote of the string that opens at `start`. */
export function stringEnd(bytes: Buffer, start: number): number {
  let at = start + 1;
  for (let ahead = nearBytes; ; ahead = nearBytesAfterEscape) {
    const near = Math.min(at + ahead, bytes.length);
    for (; at < near; at++) {
      const byte = bytes[at];
      if (byte === quote) return at + 1;
      if (byte === backslash) at += 1;
    }
    // The loop above never stops inside an escape: a skipped byte moves `at` past `near`.
    const found = bytes.indexOf(quote, at);
    assert(found !== -1, "these bytes are not JSON");
    if (!isEscaped(bytes, found)) return found + 1;
    at = found + 1;
  }
}

/** An odd number of backslashes stands before it. */
function isEscaped(bytes: Buffer, at: number): boolean {
  let before = at;
  while (bytes[before - 1] === backslash) before -= 1;
  return (at - before) % 2 === 1;
}

/** How many names its objects have: each has a colon, and strings are stepped over. */
export function namesIn(bytes: Buffer): number {
  let names = 0;
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at];
    if (byte === colon) names += 1;
    at = byte === quote ? stringEnd(bytes, at) : at + 1;
  }
  return names;
}

/** Where the first name stands that comes twice within one object, however both are spelled. */
export function repeatedName(bytes: Buffer): (string | number)[] | undefined {
  /** Of each object its names so far, decoded, and of each value around us its name or number. */
  const open: { names: Set<string> | undefined; step: string | number }[] = [];
  let isName = false;
  for (let at = markBytes(bytes); at < bytes.length; at++) {
    const byte = bytes[at];
    const inside = open.at(-1);
    if (byte === openBrace || byte === openBracket) {
      isName = byte === openBrace;
      open.push(isName ? { names: new Set(), step: "" } : { names: undefined, step: 0 });
    } else if (byte === closeBrace || byte === closeBracket) {
      open.pop();
    } else if (byte === comma) {
      isName = inside?.names !== undefined;
      if (typeof inside?.step === "number") inside.step += 1;
    } else if (byte === quote) {
      const start = at;
      at = stringEnd(bytes, start) - 1;
      if (!isName || inside?.names === undefined) continue;
      isName = false;
      inside.step = parseExactly(bytes.toString("utf8", start, at + 1)) as string;
      if (inside.names.has(inside.step)) return open.map(({ step }) => step);
      inside.names.add(inside.step);
    }
  }
  return undefined;
}
