// What parts of the server note of a request, on the request itself, with which it goes.

/** Of one request: empty when it comes, and one for all that is done for it. */
export type RequestNotes = Record<symbol, unknown>;

export interface RequestNote<Value> {
  of(notes: RequestNotes): Value | undefined;
  set(notes: RequestNotes, value: Value | undefined): void;
}

/**
 * In place of a map of all open requests, whose entries come and go: growing and shrinking again and again costs some
 * microseconds a request, and the tables that it has outgrown live longer than what stood in them.
 */
export function requestNote<Value>(name: string): RequestNote<Value> {
  const key = Symbol(name);
  return {
    of: (notes) => notes[key] as Value | undefined,
    set: (notes, value) => void (notes[key] = value),
  };
}
