// JSON with the fields of every object in the order of their names: one text for one value.

/** Whatever the order in which a program wrote the fields. The value is shallow, as JSON from outside is read. */
export const orderedJson = (value: unknown): string => JSON.stringify(ordered(value));

function ordered(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(ordered);
  const fields = Object.entries(value).map(([name, each]) => [name, ordered(each)] as const);
  return Object.fromEntries(fields.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
