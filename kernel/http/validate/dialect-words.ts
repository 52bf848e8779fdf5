// Words with one meaning in both dialects: a schema takes either, and a sentence names that of the caller's dialect.
import type { Dialect } from "../../context.ts";

/** Beside `enum`: words of 2026-10-21, each with the one that 2023-06-01 has for the same. */
export const olderWords = "x-older-words";

const named = "x-named";

type Schema = Record<string, unknown>;

/** The same schema, which takes what it took, for sentences in one dialect. */
export function spokenIn(schema: unknown, dialect: Dialect): unknown {
  return JSON.stringify(schema).includes(olderWords) ? copied(schema, dialect) : schema;
}

function copied(schema: unknown, dialect: Dialect): unknown {
  if (Array.isArray(schema)) return schema.map((each) => copied(each, dialect));
  if (typeof schema !== "object" || schema === null) return schema;
  const copy: Schema = Object.fromEntries(
    Object.entries(schema).map(([keyword, inner]) => [keyword, copied(inner, dialect)]),
  );
  const pairs = (schema as Schema)[olderWords] as Record<string, string> | undefined;
  if (pairs === undefined) return copy;
  const foreign = new Set(dialect === "2023-06-01" ? Object.keys(pairs) : Object.values(pairs));
  return { ...copy, [named]: (copy["enum"] as string[]).filter((word) => !foreign.has(word)) };
}

/** What a sentence says is allowed, where that is less than what is. */
export const namedOf = (schema: unknown): unknown[] | undefined =>
  (schema as Schema | null | undefined)?.[named] as unknown[] | undefined;
