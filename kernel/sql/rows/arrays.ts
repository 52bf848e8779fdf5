// Arrays of a statement as PostgreSQL reads them: the driver takes two to four times as long, 37 arrays a group.

const special = /["\\]/;
const isPlain = (value: string | null) => value !== null && !special.test(value);

/** `{"a",null,"b"}`. */
export function textArray(values: readonly (string | null)[]): string {
  if (values.every(isPlain)) return values.length === 0 ? "{}" : `{"${values.join('","')}"}`;
  const written = values.map((value) =>
    value === null ? "null" : `"${value.replace(/["\\]/g, "\\$&")}"`,
  );
  return `{${written.join()}}`;
}

/** A column of rows, null where no row has it: `unnest` fills it up, and neither side reads nulls one by one. */
export function column<V extends string | number>(
  values: readonly (V | null)[],
  write: (values: readonly (V | null)[]) => string,
): string | null {
  for (const value of values) if (value !== null) return write(values);
  return null;
}

/** `{1,2}`, and `{true,false}`. */
export const plainArray = (values: readonly (number | boolean)[]): string => `{${values.join()}}`;
