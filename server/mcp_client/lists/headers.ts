// Fields of a tool that go in headers of its calls too (`x-mcp-header`): one that names them wrongly is not called.
type Fields = Record<string, unknown>;

const keyword = "x-mcp-header";
/** A token of RFC 9110. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const types = ["string", "integer", "boolean"];
/** They hold values, and no schemas. */
const values = ["default", "const", "enum", "examples"];

export const namesHeaders = (schema: unknown): boolean =>
  JSON.stringify(schema).includes(`"${keyword}"`);

/**
 * Rule MCP36. A header is named by a token that no other field has, in either case, and is of a field with a plain
 * type that the tool always takes: no list, no branch and no reference leads to it.
 */
export function hasGoodHeaders(schema: unknown): boolean {
  const seen = new Set<string>();
  const isGood = (given: unknown, isField: boolean, isReached: boolean): boolean => {
    if (typeof given !== "object" || given === null) return true;
    const node = given as Fields;
    if (Array.isArray(given)) return given.every((each) => isGood(each, false, false));
    if (Object.hasOwn(node, keyword) && !(isField && isReached && takes(node))) return false;
    return Object.entries(node).every(([name, value]) => {
      if (values.includes(name)) return true;
      if (name !== "properties") return isGood(value, false, false);
      return Object.values((value ?? {}) as Fields).every((field) =>
        isGood(field, true, isReached),
      );
    });
  };
  const takes = ({ [keyword]: name, type }: Fields): boolean => {
    if (typeof name !== "string" || !token.test(name)) return false;
    if (seen.has(name.toLowerCase())) return false;
    seen.add(name.toLowerCase());
    return types.includes(type as string);
  };
  return isGood(schema, false, true);
}
