// The sentence of a request that does not fit: where, what is allowed, and what was found.
import type { TSchema } from "typebox";
import { invalid, type Failure } from "../../kernel/base/failure.ts";
import { problemOf } from "../../kernel/http/validate/explain.ts";
import { fieldPath } from "../../kernel/http/validate/field-path.ts";
import { limits } from "./limits.ts";

/** `rule` has no full stop: "must be …", "is not …". */
export function invalidField(
  path: readonly (string | number)[],
  rule: string,
  found?: unknown,
  code?: string,
): Failure {
  const what = found === undefined ? "" : `; found ${foundOf(found)}`;
  const logged = loggedOf(path, rule, found);
  return invalid(`${subjectOf(path)} ${rule}${what}.`, {
    ...(code !== undefined && { code }),
    ...(logged !== undefined && { logged }),
  });
}

/** A client may have put its words anywhere, in names of fields too, and no log has them. */
function loggedOf(
  path: readonly (string | number)[],
  rule: string,
  found?: unknown,
): string | undefined {
  if (rule.startsWith("is not known"))
    return `${subjectOf(path.slice(0, -1))} has a field that is not known here.`;
  return typeof found === "string" ? `${subjectOf(path)} ${rule}; found a text.` : undefined;
}

/**
 * Worked out only after a check has failed: walks schema and value together, 10 µs for each value in it.
 * A larger value is not gone through: a body of nonsense must not hold up other requests.
 */
export function shapeFailure(
  schema: TSchema,
  value: unknown,
  at: readonly (string | number)[] = [],
): Failure {
  const { maxItems } = schema as { maxItems?: number };
  if (Array.isArray(value) && value.length > (maxItems ?? Infinity))
    return invalidField(at, `must have at most ${maxItems} items`, sizeOf(value));
  if (valuesIn(value, limits.explainedValuesMax) >= limits.explainedValuesMax)
    return invalidField(at, "does not fit its schema, and holds too much to say where");
  const problem = problemOf(schema, value);
  if (problem === undefined) return invalid(`${subjectOf(at)} does not fit its schema.`);
  const { text } = problem;
  const path = [...at, ...problem.path];
  const found = valueAt(value, problem.path);
  // "not a number" says it already; a missing or unknown field has nothing to show.
  const showsEnough = found === undefined || /, not |is not known|is required/.test(text);
  if (showsEnough) {
    const logged = loggedOf(path, text);
    return invalid(`${subjectOf(path)} ${text}${text.endsWith("?") ? "" : "."}`, {
      ...(logged !== undefined && { logged }),
    });
  }
  return invalidField(path, text, text.startsWith("must be") ? found : sizeOf(found));
}

/** Only words from a fixed choice are shown as they came: anything else may be a text of the client. */
function foundOf(value: unknown): string {
  if (typeof value === "string") {
    const max = limits.foundCharactersMax;
    return JSON.stringify(value.length > max ? `${value.slice(0, max - 1)}…` : value);
  }
  if (typeof value === "number" || typeof value === "boolean" || value === null)
    return String(value);
  return value instanceof Found ? value.words : Array.isArray(value) ? "an array" : "an object";
}

class Found {
  readonly words: string;

  constructor(words: string) {
    this.words = words;
  }
}

/** Describes a value by its size instead of its words. */
export function sizeOf(value: unknown): unknown {
  if (typeof value === "string") return new Found(`${value.length} characters`);
  return Array.isArray(value) ? new Found(`${value.length} items`) : value;
}

const subjectOf = (path: readonly (string | number)[]) =>
  path.length === 0 ? "The body" : `${fieldPath(path)}:`;

/** How many values there are, itself included; no more than `max` are counted. */
function valuesIn(value: unknown, max: number): number {
  if (typeof value !== "object" || value === null) return 1;
  let count = 1;
  for (const name in value) {
    count += valuesIn((value as Record<string, unknown>)[name], max - count);
    if (count >= max) break;
  }
  return count;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const step of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string, unknown>)[step];
  }
  return at;
}
