// Filters of SCIM as conditions of statements, over the columns that may be filtered.
import type { Compare, Filter } from "scim2-parse-filter";
import { caseless } from "../../kernel/base/name.ts";
import { empty, joinStatements, sql, type Statement } from "../../kernel/sql/statement.ts";
import { invalidFilter, type Comparison } from "./filter.ts";
import { schemas } from "./schema.ts";

/** A column, and how its values are compared. */
export type FilterColumn =
  /** Compared without regard to case: the column holds lower case. */
  | { kind: "folded"; column: Statement }
  | { kind: "exact"; column: Statement }
  | { kind: "boolean"; column: Statement }
  | { kind: "time"; column: Statement }
  /** Each resource has exactly one of it, so that conditions on its type change nothing. */
  | { kind: "any" }
  /** The attribute's own condition for an equal value. */
  | { kind: "own"; equals: (value: string) => Statement };

export type FilterColumns = Readonly<Record<string, FilterColumn>>;

/** A condition that begins with `and`; empty for no filter. */
export const andFilter = (filter: Filter | undefined, columns: FilterColumns): Statement =>
  filter === undefined ? empty : sql` and (${toSql(filter, columns, "")})`;

function toSql(filter: Filter, columns: FilterColumns, prefix: string): Statement {
  switch (filter.op) {
    case "and":
    case "or": {
      const parts = filter.filters.map((part) => sql`(${toSql(part, columns, prefix)})`);
      return joinStatements(parts, ` ${filter.op} `);
    }
    case "not":
      return sql`not (${toSql(filter.filter, columns, prefix)})`;
    case "[]":
      return toSql(filter.valFilter, columns, `${attributeOf(filter.attrPath)}.`);
    default:
      return comparison(filter, columns, prefix);
  }
}

/** The attribute without its schema's name, in lower case. */
function attributeOf(path: string): string {
  const lower = path.toLowerCase();
  for (const schema of [schemas.user, schemas.group])
    if (lower.startsWith(`${schema.toLowerCase()}:`)) return lower.slice(schema.length + 1);
  return lower;
}

function comparison(filter: Comparison, columns: FilterColumns, prefix: string): Statement {
  const name = prefix + attributeOf(filter.attrPath);
  const column = Object.hasOwn(columns, name) ? columns[name] : undefined;
  if (column === undefined)
    throw invalidFilter(
      `${JSON.stringify(filter.attrPath.slice(0, 80))} cannot be asked for; these can: ${Object.keys(columns).join(", ")}.`,
    );
  if (column.kind === "any") return sql`true`;
  if (column.kind === "own") {
    if (filter.op !== "eq" || typeof filter.compValue !== "string")
      throw invalidFilter(`${name} is compared by eq with a text only.`);
    return column.equals(filter.compValue);
  }
  if (filter.op === "pr") return sql`${column.column} is not null`;
  const value = valueFor(column.kind, name, filter);
  if (filter.compValue === null)
    return filter.op === "ne" ? sql`${column.column} is not null` : sql`${column.column} is null`;
  return compared(filter.op, column.column, column.kind, value);
}

function valueFor(
  kind: "folded" | "exact" | "boolean" | "time",
  name: string,
  filter: Compare,
): string | boolean | Date {
  const { compValue } = filter;
  const text = String(compValue);
  switch (kind) {
    case "folded":
      return caseless(text);
    case "exact":
      return text;
    case "boolean":
      if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true";
      throw invalidFilter(`${name} is true or false.`);
    default:
      return timeFor(name, text);
  }
}

function timeFor(name: string, text: string): Date {
  const at = new Date(text);
  if (Number.isNaN(at.getTime()))
    throw invalidFilter(`${name} is a time such as 2026-11-21T09:00:00Z.`);
  return at;
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
      if (!isText) throw invalidFilter(`${op} compares texts only.`);
      if (op === "co") return sql`${column} like ${`%${like}%`}`;
      return op === "sw" ? sql`${column} like ${`${like}%`}` : sql`${column} like ${`%${like}`}`;
  }
}
