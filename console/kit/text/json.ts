// JSON for people: what fits into a line stands in one, so that a small change of it is a small change of the text.

const lineMax = 72;

export function jsonText(value: unknown, indent = ""): string {
  const line = lineOf(value);
  if (indent.length + line.length <= lineMax || typeof value !== "object" || value === null)
    return line;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((each: unknown) => inner + jsonText(each, inner))
    : entriesOf(value).map(
        ([name, each]) => `${inner}${JSON.stringify(name)}: ${jsonText(each, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`;
}

/** What is undefined is not there. */
const entriesOf = (value: object) =>
  Object.entries(value as Record<string, unknown>).filter(([, each]) => each !== undefined);

function lineOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(lineOf).join(", ")}]`;
  const parts = entriesOf(value).map(([name, each]) => `${JSON.stringify(name)}: ${lineOf(each)}`);
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}
