// Limits of the search for objects.

export const limits = {
  queryCharactersMax: 200,
  pageItemsMax: 100,
  /** What one search finds of each type, best first. */
  foundPerTypeMax: 50,
  /** Of so many names with the words the best are found; who is served more types on. */
  namesReadPerTypeMax: 500,
  /** Types are asked for beside each other, on so many connections. */
  typesAtOnce: 4,
} as const;
