// What servers write is looked at field by field, since it may be anything.

/** None where it is no object. */
export const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? { ...value } : {};
