// Filters of SCIM: read by the kept library, turned into SQL over the columns that may be asked for.
import { parse, type Compare, type Filter } from "scim2-parse-filter";
import { empty, join, sql, type Statement } from "../../kernel/sql/statement.ts";
import { limits, schemas } from "./schema.ts";
import { scimInvalid } from "./wire.ts";

/** A column, and how its values are compared. */
export type Column =
  /** Compared without regard to case: the column holds lower case. */
  | { kind: "folded"; column: Statement }
  | { kind: "exact"; column: Statement }
  | { kind: "boolean"; column: Statement }
  | { kind: "time"; column: Statement }
  /** There is one of it for each resource, so that what is said of its kind changes nothing. */
  | { kind: "any" }
  /** Its own condition for an equal value. */
  | { kind: "own"; equals: (value: string) => Statement };

export type Columns = Readonly<Record<string, Column>>;

const refusal = (message: string) => scimInvalid("invalidFilter", `filter: ${message}`);

/** Rule SCM25. Undefined for no filter. */
export function readFilter(text: string | undefined): Filter | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  if (text.length > limits.filterCharactersMax)
    throw refusal(`has more than ${limits.filterCharactersMax} characters; ask for less at once.`);
  let filter: Filter;
  try {
    filter = parse(withPlainWords(text));
  } catch {
    throw refusal(
      `${JSON.stringify(text.slice(0, 80))} is no filter. Write it as in userName eq "ada@example.com".`,
    );
  }
  if (countTerms(filter) > limits.filterTermsMax)
    throw refusal(`has more than ${limits.filterTermsMax} comparisons; ask for less at once.`);
  return filter;
}

/** `True` outside of quotation marks is what some providers write for `true`. */
const withPlainWords = (text: string) =>
  text.replace(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/gi, (part) =>
    part.startsWith('"') ? part : part.toLowerCase(),
  );

function countTerms(filter: Filter): number {
  if ("filters" in filter) return filter.filters.reduce((sum, part) => sum + countTerms(part), 0);
  if ("filter" in filter) return countTerms(filter.filter);
  return "valFilter" in filter ? countTerms(filter.valFilter) : 1;
}

/** A condition that begins with `and`; empty for no filter. */
export const andFilter = (filter: Filter | undefined, columns: Columns): Statement =>
  filter === undefined ? empty : sql` and (${toSql(filter, columns, "")})`;

function toSql(filter: Filter, columns: Columns, prefix: string): Statement {
  switch (filter.op) {
    case "and":
    case "or": {
      const parts = filter.filters.map((part) => sql`(${toSql(part, columns, prefix)})`);
      return join(parts, ` ${filter.op} `);
    }
    case "not":
      return sql`not (${toSql(filter.filter, columns, prefix)})`;
    case "[]":
      return toSql(filter.valFilter, columns, `${attributeOf(filter.attrPath)}.`);
    default:
      return comparison(filter, columns, prefix);
  }
}

/** Without the name of its schema, in lower case. */
function attributeOf(path: string): string {
  const lower = path.toLowerCase();
  for (const schema of [schemas.user, schemas.group])
    if (lower.startsWith(`${schema.toLowerCase()}:`)) return lower.slice(schema.length + 1);
  return lower;
}

type Comparison = Exclude<Filter, { op: "and" | "or" | "not" | "[]" }>;

function comparison(filter: Comparison, columns: Columns, prefix: string): Statement {
  const name = prefix + attributeOf(filter.attrPath);
  const column = Object.hasOwn(columns, name) ? columns[name] : undefined;
  if (column === undefined)
    throw refusal(
      `${JSON.stringify(filter.attrPath.slice(0, 80))} cannot be asked for; these can: ${Object.keys(columns).join(", ")}.`,
    );
  if (column.kind === "any") return sql`true`;
  if (column.kind === "own") {
    if (filter.op !== "eq" || typeof filter.compValue !== "string")
      throw refusal(`${name} is compared by eq with a text only.`);
    return column.equals(filter.compValue);
  }
  if (filter.op === "pr") return sql`${column.column} is not null`;
  const value = valueFor(column.kind, name, filter);
  if (filter.compValue === null)
    return filter.op === "ne" ? sql`${column.column} is not null` : sql`${column.column} is null`;
  return compared(filter.op, column.column, column.kind, value);
}

function valueFor(kind: "folded" | "exact" | "boolean" | "time", name: string, filter: Compare) {
  const { compValue } = filter;
  const text = String(compValue);
  switch (kind) {
    case "folded":
      return text.toLowerCase();
    case "exact":
      return text;
    case "boolean":
      if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true";
      throw refusal(`${name} is true or false.`);
    case "time": {
      const at = new Date(text);
      if (Number.isNaN(at.getTime()))
        throw refusal(`${name} is a time such as 2026-11-21T09:00:00Z.`);
      return at;
    }
  }
}

function compared(
  op: Compare["op"],
  column: Statement,
  kind: "folded" | "exact" | "boolean" | "time",
  value: unknown,
): Statement {
  const isText = kind === "folded" || kind === "exact";
  const like = String(value).replace(/[\\%_]/g, "\\$&");
  switch (op) {
    case "eq":
      return sql`${column} = ${value}`;
    case "ne":
      return sql`${column} is distinct from ${value}`;
    case "gt":
      return sql`${column} > ${value}`;
    case "ge":
      return sql`${column} >= ${value}`;
    case "lt":
      return sql`${column} < ${value}`;
    case "le":
      return sql`${column} <= ${value}`;
    default:
      if (!isText) throw refusal(`${op} compares texts only.`);
      if (op === "co") return sql`${column} like ${`%${like}%`}`;
      return op === "sw" ? sql`${column} like ${`${like}%`}` : sql`${column} like ${`%${like}`}`;
  }
}

/** Whether an element of a list, as in `emails[type eq "work"]`, is meant. */
export function matches(filter: Filter, element: unknown): boolean {
  switch (filter.op) {
    case "and":
      return filter.filters.every((part) => matches(part, element));
    case "or":
      return filter.filters.some((part) => matches(part, element));
    case "not":
      return !matches(filter.filter, element);
    case "[]":
      return false;
    default:
      return holds(filter, element);
  }
}

function holds(filter: Comparison, element: unknown): boolean {
  const fields = typeof element === "object" && element !== null ? Object.entries(element) : [];
  const name = filter.attrPath.toLowerCase();
  const found = fields.find(([key]) => key.toLowerCase() === name)?.[1] as unknown;
  if (filter.op === "pr") return found !== undefined && found !== null && found !== "";
  const [left, right] = [folded(found), folded(filter.compValue)];
  switch (filter.op) {
    case "eq":
      return left === right;
    case "ne":
      return left !== right;
    case "co":
      return left.includes(right);
    case "sw":
      return left.startsWith(right);
    case "ew":
      return left.endsWith(right);
    default:
      return false;
  }
}

/** `True`, `"true"` and true are one value to the providers. */
const folded = (value: unknown) =>
  typeof value === "string" || typeof value === "boolean" || typeof value === "number"
    ? String(value).toLowerCase()
    : "";
