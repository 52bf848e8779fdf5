// Reads a stream up to an event that is waited for, and gives it back as if nothing of it had been read.
import type { WireEvent } from "../models/module.ts";

/** The events of one hop, read by one reader after the other: none of them ends it for the next. */
export interface EventReader {
  next(): Promise<IteratorResult<readonly WireEvent[], unknown>>;
  /** Its readers are done. */
  return(): Promise<unknown>;
}

const done = { done: true, value: undefined } as const;

export function readerOf(events: AsyncIterable<readonly WireEvent[]>): EventReader {
  const iterator = events[Symbol.asyncIterator]();
  return {
    next: () => iterator.next(),
    return: async () => iterator.return?.(),
  };
}

/** Of what is all there. */
export function readerOfAll(events: readonly WireEvent[]): EventReader {
  let isRead = false;
  return {
    next: async () => {
      if (isRead) return done;
      isRead = true;
      return { done: false, value: events };
    },
    return: async () => (isRead = true),
  };
}

export async function readUntil(
  events: EventReader,
  is: (event: WireEvent) => boolean,
): Promise<EventReader> {
  const ahead: (readonly WireEvent[])[] = [];
  for (let next = await events.next(); next.done !== true; next = await events.next()) {
    ahead.push(next.value);
    if (next.value.some(is)) break;
  }
  return {
    next: async () => {
      const value = ahead.shift();
      return value === undefined ? events.next() : { done: false, value };
    },
    return: () => events.return(),
  };
}
