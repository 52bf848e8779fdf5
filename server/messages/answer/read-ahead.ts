// Readers of the events of one hop: up to an event that is waited for, and on as if none of them had been read.
import { asWireEvent, type Message, type WireEvent } from "../../models/module.ts";

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

/** A whole answer of an upstream, read as a stream. */
export function readerOfMessage(message: Message): EventReader {
  let isRead = false;
  return {
    next: async () => {
      if (isRead) return done;
      isRead = true;
      return { done: false, value: [...framesOf(message)] };
    },
    return: async () => (isRead = true),
  };
}

function* framesOf(message: Message): Generator<WireEvent> {
  yield asWireEvent({
    type: "message_start",
    message: { ...message, content: [], stop_reason: null },
  });
  for (const [index, block] of message.content.entries()) {
    yield asWireEvent({ type: "content_block_start", index, content_block: block });
    yield asWireEvent({ type: "content_block_stop", index });
  }
  const { stop_reason, usage } = message;
  const details = message.stop_details ?? null;
  yield asWireEvent({
    type: "message_delta",
    delta: { stop_reason, stop_details: details },
    usage,
  });
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
