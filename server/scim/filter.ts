// Filters of SCIM: parsed by a library, and matched against elements of lists.
import { parse, type Filter } from "scim2-parse-filter";
import { caseless } from "../../kernel/base/name.ts";
import { limits } from "./limits.ts";
import { scimInvalid } from "./wire.ts";

export type Comparison = Exclude<Filter, { op: "and" | "or" | "not" | "[]" }>;

export const invalidFilter = (message: string) =>
  scimInvalid("invalidFilter", `filter: ${message}`);

/** Rule SCM25. Undefined without a filter. */
export function readFilter(text: string | undefined): Filter | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  if (text.length > limits.filterCharactersMax)
    throw invalidFilter(
      `has more than ${limits.filterCharactersMax} characters; ask for less at once.`,
    );
  let filter: Filter;
  try {
    filter = parse(withPlainWords(text));
  } catch {
    throw invalidFilter(
      `${JSON.stringify(text.slice(0, 80))} is no filter. Write it as in userName eq "ada@example.com".`,
    );
  }
  if (countTerms(filter) > limits.filterTermsMax)
    throw invalidFilter(
      `has more than ${limits.filterTermsMax} comparisons; ask for less at once.`,
    );
  return filter;
}

/** Some providers write `True` for `true`: replaced outside of quotation marks. */
const withPlainWords = (text: string) =>
  text.replace(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/gi, (part) =>
    part.startsWith('"') ? part : part.toLowerCase(),
  );

function countTerms(filter: Filter): number {
  if ("filters" in filter) return filter.filters.reduce((sum, part) => sum + countTerms(part), 0);
  if ("filter" in filter) return countTerms(filter.filter);
  return "valFilter" in filter ? countTerms(filter.valFilter) : 1;
}

/** Whether a filter, as in `emails[type eq "work"]`, selects an element of a list. */
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

/** Providers use `True`, `"true"` and true for one value. */
const folded = (value: unknown) =>
  typeof value === "string" || typeof value === "boolean" || typeof value === "number"
    ? caseless(String(value))
    : "";
