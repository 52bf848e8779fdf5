// The sentences for single keywords of a schema: lengths, bounds, patterns, formats.
import { Check } from "typebox/schema";
import { wordsOf } from "./patterns.ts";

const count = (limit: unknown, noun: string) =>
  `${String(limit)} ${noun}${limit === 1 ? "" : noun.endsWith("y") ? "" : "s"}`;

const sentences: Record<string, (limit: unknown) => string> = {
  minLength: (limit) =>
    limit === 1 ? "must not be empty" : `must have at least ${count(limit, "character")}`,
  maxLength: (limit) => `must have at most ${count(limit, "character")}`,
  minimum: (limit) => `must be at least ${String(limit)}`,
  maximum: (limit) => `must be at most ${String(limit)}`,
  exclusiveMinimum: (limit) => `must be more than ${String(limit)}`,
  exclusiveMaximum: (limit) => `must be less than ${String(limit)}`,
  multipleOf: (limit) => `must be a multiple of ${String(limit)}`,
  minItems: (limit) =>
    limit === 1 ? "must not be empty" : `must have at least ${count(limit, "item")}`,
  maxItems: (limit) => `must have at most ${count(limit, "item")}`,
  uniqueItems: () => "must not hold the same item twice",
  minProperties: (limit) =>
    limit === 1 ? "must not be empty" : `must have at least ${count(limit, "field")}`,
  maxProperties: (limit) => `must have at most ${count(limit, "field")}`,
  format: (format) => `must be ${formats[String(format)] ?? `a ${String(format)}`}`,
  pattern: (pattern) => wordsOf(String(pattern)) ?? `must match the pattern ${String(pattern)}`,
};

const formats: Record<string, string> = {
  "date-time": "a date and time such as 2026-01-31T08:00:00Z",
  date: "a date such as 2026-01-31",
  time: "a time such as 08:00:00Z",
  email: "an e-mail address",
  uri: "an address such as https://example.com/path",
  url: "an address such as https://example.com/path",
  uuid: "a UUID",
  ipv4: "an IPv4 address",
  ipv6: "an IPv6 address",
};

/** The first keyword that the value breaks, as typebox itself sees it. */
export function leafProblem(schema: Record<string, unknown>, value: unknown): string {
  for (const [keyword, sentence] of Object.entries(sentences)) {
    const limit = schema[keyword];
    if (limit !== undefined && !Check({ [keyword]: limit }, value)) return sentence(limit);
  }
  return "does not have the form that is wanted here";
}
