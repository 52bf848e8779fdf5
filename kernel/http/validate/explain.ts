// Says in one sentence what is wrong with a value: walks schema and value together, to the branch that was meant.
import { Check } from "typebox/schema";
import { nearest } from "../../base/nearest.ts";
import { namedOf } from "./dialect-words.ts";
import { wordsOf } from "../../base/patterns.ts";

type Schema = Record<string, unknown>;

export interface Problem {
  path: readonly string[];
  /** What comes after the field and its colon; no full stop. */
  text: string;
}

/** The first problem, in the order in which a person would mend them; undefined when the value fits. */
export function problemOf(
  schema: unknown,
  value: unknown,
  path: readonly string[] = [],
): Problem | undefined {
  if (schema === false) return { path, text: "is not allowed here" };
  if (!isObject(schema) || Check(schema, value)) return undefined;
  if (Array.isArray(schema["anyOf"])) return unionProblem(schema["anyOf"], value, path);
  if (Array.isArray(schema["allOf"])) return intersectionProblem(schema, value, path);
  if ("const" in schema || "enum" in schema)
    return { path, text: `must be ${choice(namedOf(schema) ?? allowedOf(schema))}` };
  const type = schema["type"];
  if (typeof type === "string" && !isOfType(type, value))
    return { path, text: `must be ${nouns[type] ?? type}, not ${kindOf(value)}` };
  return (
    (isObject(value) ? objectProblem(schema, value, path) : undefined) ??
    (Array.isArray(value) ? itemProblem(schema, value, path) : undefined) ?? {
      path,
      text: leafProblem(schema, value),
    }
  );
}

function objectProblem(schema: Schema, value: Schema, path: readonly string[]) {
  const properties = propertiesOf(schema);
  const patterns = isObject(schema["patternProperties"]) ? schema["patternProperties"] : {};
  const rest = schema["additionalProperties"];
  const isKnown = (key: string) =>
    Object.hasOwn(properties, key) ||
    Object.keys(patterns).some((pattern) => new RegExp(pattern, "u").test(key));

  if (rest === false) {
    const unknown = Object.keys(value).find((key) => !isKnown(key));
    if (unknown !== undefined)
      return { path: [...path, unknown], text: unknownText(unknown, Object.keys(properties)) };
  }
  const missing = strings(schema["required"]).find((key) => !Object.hasOwn(value, key));
  if (missing !== undefined)
    return { path: [...path, missing], text: `is required${needs(properties[missing])}` };

  for (const [key, field] of Object.entries(value)) {
    const member = Object.hasOwn(properties, key)
      ? properties[key]
      : Object.entries(patterns).find(([pattern]) => new RegExp(pattern, "u").test(key))?.[1];
    const problem = problemOf(member ?? (isKnown(key) ? undefined : rest), field, [...path, key]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function itemProblem(schema: Schema, value: readonly unknown[], path: readonly string[]) {
  const { items, additionalItems } = schema;
  for (const [index, item] of value.entries()) {
    const member: unknown = Array.isArray(items) ? (items[index] ?? additionalItems) : items;
    const problem = problemOf(member, item, [...path, String(index)]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The members of a closed intersection are open each: what is known to none of them is unknown. */
function intersectionProblem(schema: Schema, value: unknown, path: readonly string[]): Problem {
  const members = schema["allOf"] as unknown[];
  if (schema["unevaluatedProperties"] === false && isObject(value)) {
    const known = members.flatMap((member) => Object.keys(propertiesOf(member)));
    const unknown = Object.keys(value).find((key) => !known.includes(key));
    if (unknown !== undefined)
      return { path: [...path, unknown], text: unknownText(unknown, known) };
  }
  for (const member of members) {
    const problem = problemOf(member, value, path);
    if (problem !== undefined) return problem;
  }
  return { path, text: leafProblem(schema, value) };
}

function unionProblem(
  members: readonly unknown[],
  value: unknown,
  path: readonly string[],
): Problem {
  const branches = members.flatMap((member) =>
    isObject(member) && Array.isArray(member["anyOf"]) ? member["anyOf"] : [member],
  );
  const fitting = branches.filter((branch) => takes(branch, value));
  const [only] = fitting;
  if (fitting.length === 1) return problemOf(only, value, path) ?? { path, text: "does not fit" };
  if (fitting.length === 0) return { path, text: `must be ${kindsOf(branches, value)}` };
  const tag = isObject(value) ? tagOf(fitting) : undefined;
  if (tag !== undefined && isObject(value)) return taggedProblem(fitting, tag, value, path);
  // Without a tag: the branches that know most of the fields, and of these the one that lets us in deepest.
  const known = (branch: unknown) =>
    isObject(value)
      ? Object.keys(value).filter((key) => Object.hasOwn(propertiesOf(branch), key)).length
      : 0;
  const most = Math.max(...fitting.map(known));
  const problems = fitting
    .filter((branch) => known(branch) === most)
    .flatMap((branch) => problemOf(branch, value, path) ?? []);
  const deepest = problems.sort((a, b) => b.path.length - a.path.length)[0];
  return deepest ?? { path, text: "does not fit" };
}

function taggedProblem(
  branches: readonly unknown[],
  tag: string,
  value: Schema,
  path: readonly string[],
): Problem {
  const tags = branches.flatMap((branch) => allowedOf(propertiesOf(branch)[tag]));
  const at = [...path, tag];
  if (!Object.hasOwn(value, tag))
    return { path: at, text: `is required and must be ${choice(tags)}` };
  const meant = branches.find((branch) =>
    allowedOf(propertiesOf(branch)[tag]).includes(value[tag]),
  );
  if (meant === undefined) return { path: at, text: `must be ${choice(tags)}` };
  return problemOf(meant, value, path) ?? { path, text: "does not fit" };
}

/** The field that has a fixed value in every branch: `type` before all others. */
function tagOf(branches: readonly unknown[]): string | undefined {
  const names = Object.keys(propertiesOf(branches[0])).sort(
    (a, b) => Number(b === "type") - Number(a === "type"),
  );
  return names.find((name) =>
    branches.every((branch) => allowedOf(propertiesOf(branch)[name]).length > 0),
  );
}

/** Whether a value of this kind could be meant for the branch at all. */
function takes(branch: unknown, value: unknown): boolean {
  if (!isObject(branch)) return false;
  const type = branch["type"];
  if ("const" in branch || "enum" in branch) return false;
  return typeof type === "string" ? isOfType(type, value) : true;
}

function kindsOf(branches: readonly unknown[], value: unknown): string {
  const allowed = branches.flatMap((branch) => namedOf(branch) ?? allowedOf(branch));
  const kinds = branches
    .filter((branch) => allowedOf(branch).length === 0)
    .map((branch) => nouns[String(isObject(branch) ? branch["type"] : "")] ?? "another value");
  const all = [...new Set(allowed.length > 0 ? [choice(allowed), ...kinds] : kinds)].join(" or ");
  return allowed.length > 0 ? all : `${all}, not ${kindOf(value)}`;
}

function unknownText(name: string, known: readonly string[]): string {
  const close = nearest(name.slice(0, 80), known);
  if (close !== undefined) return `is not known here; did you mean ${close}?`;
  if (known.length === 0) return "is not known here; nothing is taken";
  return known.length <= 12
    ? `is not known here; known are ${known.join(", ")}`
    : "is not known here";
}

/** What a missing field has to be, where one look at its schema says it. */
function needs(schema: unknown): string {
  const allowed = namedOf(schema) ?? allowedOf(schema);
  if (allowed.length > 0) return ` and must be ${choice(allowed)}`;
  const noun = isObject(schema) ? nouns[String(schema["type"])] : undefined;
  return noun === undefined ? "" : ` and must be ${noun}`;
}

function allowedOf(schema: unknown): unknown[] {
  if (!isObject(schema)) return [];
  if ("const" in schema) return [schema["const"]];
  if (Array.isArray(schema["enum"])) return schema["enum"];
  if (!Array.isArray(schema["anyOf"])) return [];
  const members = schema["anyOf"].map(allowedOf);
  return members.every((member) => member.length > 0) ? members.flat() : [];
}

function choice(values: readonly unknown[]): string {
  const shown = [...new Set(values.map((value) => JSON.stringify(value)))];
  if (shown.length === 1) return String(shown[0]);
  const rest = shown.length > 24 ? ` or one of ${shown.length - 24} more` : "";
  return `one of ${shown.slice(0, 24).join(", ")}${rest}`;
}

const nouns: Record<string, string> = {
  string: "a string",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  object: "an object",
  array: "an array",
  null: "null",
};

function isOfType(type: string, value: unknown): boolean {
  return Check({ type }, value);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number") return Number.isInteger(value) ? "a whole number" : "a fraction";
  return typeof value === "boolean" ? "a boolean" : (nouns[typeof value] ?? "another value");
}

const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const propertiesOf = (schema: unknown): Schema =>
  isObject(schema) && isObject(schema["properties"]) ? schema["properties"] : {};

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

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
function leafProblem(schema: Record<string, unknown>, value: unknown): string {
  for (const [keyword, sentence] of Object.entries(sentences)) {
    const limit = schema[keyword];
    if (limit !== undefined && !Check({ [keyword]: limit }, value)) return sentence(limit);
  }
  return "does not have the form that is wanted here";
}
