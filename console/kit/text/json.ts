// JSON for people: what fits into a line stands in one, so that a small change of it is a small change of the text.

/** Two texts beside each other have room for so much. */
const lineMax = 60;

export const jsonText = (value: unknown): string => textOf(value, "", 0);

/** `taken`: what stands in its line already, beside the indent. */
function textOf(value: unknown, indent: string, taken: number): string {
  const line = lineOf(value);
  const isShort = indent.length + taken + line.length <= lineMax;
  if (isShort || typeof value !== "object" || value === null) return line;
  const inner = `${indent}  `;
  if (Array.isArray(value))
    return `[\n${value.map((each) => inner + textOf(each, inner, 0)).join(",\n")}\n${indent}]`;
  const parts = entriesOf(value).map(([name, each]) => {
    const key = `${JSON.stringify(name)}: `;
    return inner + key + textOf(each, inner, key.length);
  });
  return `{\n${parts.join(",\n")}\n${indent}}`;
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
