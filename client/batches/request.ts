// What a request of a batch must be, as far as it is looked at before anything is sent; the words are the reader's own.

/** As the server has them. */
export const batchLimits = {
  requestsMax: 100_000,
  bodyBytesMax: 268_435_456,
  paramsBytesMax: 32 * 1024 * 1024,
} as const;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Custom ids, and the lines that they stand on. */
export type KnownIds = Map<string, number>;

type IdFault =
  | { kind: "missing" }
  | { kind: "no_string" }
  /** Not 1 to 64 letters, digits, _ and -. */
  | { kind: "form"; id: string }
  | { kind: "twice"; id: string; lineBefore: number };

/** Remembers a good one. */
export function idFaultOf(id: unknown, line: number, known: KnownIds): IdFault | undefined {
  if (id === undefined) return { kind: "missing" };
  if (typeof id !== "string") return { kind: "no_string" };
  if (!/^[\w-]{1,64}$/.test(id)) return { kind: "form", id };
  const lineBefore = known.get(id);
  if (lineBefore !== undefined) return { kind: "twice", id, lineBefore };
  known.set(id, line);
  return undefined;
}

/** A field beside the two that a request has. */
export const unknownFieldOf = (request: Record<string, unknown>): string | undefined =>
  Object.keys(request).find((field) => field !== "custom_id" && field !== "params");
