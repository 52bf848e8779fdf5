// JSON from clients and upstreams: read only where it is shallow enough for the walks that come later.
import { parseExactly, TooDeep } from "./exact-json.ts";
import { limits } from "./limits.ts";

export { TooDeep };

/** JSON.parse does not recurse; what comes after it does: checks, digests, JSON.stringify. Throws a SyntaxError. */
export function parseShallow(text: string): unknown {
  const value = parseExactly(text);
  // Each level takes two characters: most events of a stream are too short to be deep.
  if (text.length > 2 * limits.jsonDepthMax && isTooDeep(value)) throw new TooDeep();
  return value;
}

/** Recurses no deeper than it looks. */
export function isTooDeep(value: unknown, levelsLeft: number = limits.jsonDepthMax): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levelsLeft === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isTooDeep(item, levelsLeft - 1));
  // What comes out of JSON.parse has no fields but its own.
  for (const name in value)
    if (isTooDeep((value as Record<string, unknown>)[name], levelsLeft - 1)) return true;
  return false;
}
