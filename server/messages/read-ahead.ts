// Reads a stream up to an event that somebody waits for, and gives it back as if nothing of it had been read.
import type { WireEvent } from "../models/module.ts";
import type { Voice } from "./voice.ts";

/** Where reading fails, or `is` throws, the stream is given up. */
export async function readUntil(
  batches: Voice["batches"],
  is: (event: WireEvent) => boolean,
): Promise<Voice["batches"]> {
  const ahead: (readonly WireEvent[])[] = [];
  const events = generatorOf(batches);
  try {
    for (let next = await events.next(); next.done !== true; next = await events.next()) {
      ahead.push(next.value);
      if (next.value.some(is)) break;
    }
  } catch (error) {
    await events.return(undefined);
    throw error;
  }
  return resumed(ahead, events);
}

async function* generatorOf(batches: Voice["batches"]): AsyncGenerator<readonly WireEvent[]> {
  yield* batches;
}

async function* resumed(
  ahead: readonly (readonly WireEvent[])[],
  events: AsyncGenerator<readonly WireEvent[]>,
): AsyncGenerator<readonly WireEvent[]> {
  try {
    yield* ahead;
    yield* events;
  } finally {
    await events.return(undefined);
  }
}
