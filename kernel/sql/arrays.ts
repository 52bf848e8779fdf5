// Arrays of a statement as PostgreSQL reads them: the driver takes five times as long, at 37 arrays a group.

const special = /["\\]/;

/** `{"a",null,"b"}`. */
export function textArray(values: readonly (string | null)[]): string {
  let text = "{";
  for (const value of values) {
    if (text.length > 1) text += ",";
    if (value === null) text += "null";
    else text += special.test(value) ? `"${value.replace(/["\\]/g, "\\$&")}"` : `"${value}"`;
  }
  return `${text}}`;
}

/** `{1,2}`, and `{true,false}`. */
export const plainArray = (values: readonly (number | boolean)[]): string => `{${values.join()}}`;
