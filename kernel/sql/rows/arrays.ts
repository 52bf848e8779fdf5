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

/** `{1,2}`, and `{true,false}`. */
export const plainArray = (values: readonly (number | boolean)[]): string => `{${values.join()}}`;
