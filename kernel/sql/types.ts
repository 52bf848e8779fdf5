// How values of the database's types become JavaScript values.
import pg from "pg";
import { parseExactly } from "../base/exact-json.ts";

export const readAnyTime = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ) as (
  text: string,
) => Date;

/**
 * int8 arrives as text by default. Plinth's stay below 2^53; what may be more (sums of money in nano-dollars) is cast
 * to text in its query, and one that was forgotten fails instead of losing digits.
 */
function readInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`The bigint ${text} does not fit a number: cast it to text in the query.`);
  return value;
}

/** `2026-11-21 06:44:14.945+00`, as nearly every time is written, is ISO 8601 but for two signs: 0.2 µs, not 1.5. */
function readTime(text: string): Date {
  const zoneAt = text.length - 3;
  const isUsual = text[4] === "-" && text[10] === " " && /^[+-]\d\d$/.test(text.slice(zoneAt));
  if (!isUsual) return readAnyTime(text);
  return new Date(`${text.slice(0, 10)}T${text.slice(11)}:00`);
}

/** For all connections of this process. */
export function readTypes(): void {
  pg.types.setTypeParser(pg.types.builtins.INT8, readInteger);
  pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, readTime);
  // Names in it may be a user's: tags, metadata, what a directory pushed.
  pg.types.setTypeParser(pg.types.builtins.JSON, parseExactly);
  pg.types.setTypeParser(pg.types.builtins.JSONB, parseExactly);
}
