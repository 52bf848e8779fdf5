// The durable event log: streams of events with gapless positions, appended in the caller's transaction.
import assert from "node:assert/strict";
import type { Clock } from "../base/clock.ts";
import { conflict, invalid, tooLarge } from "../base/failure.ts";
import type { Queryable, Tx } from "../sql/database.ts";
import type { Hints } from "../sql/hints.ts";
import { logLimits } from "./limits.ts";
import * as queries from "./queries.ts";

export interface NewEvent {
  type: string;
  data: object;
}

export interface StoredEvent {
  position: number;
  type: string;
  data: unknown;
  at: Date;
}

export interface AppendOptions {
  /** The position that the stream must stand at; 0 means that it must be new. */
  expectedPosition?: number;
  /** When it happened; the clock's time unless given. */
  at?: Date;
}

export const logChannel = "log";

/** Appends all events or none, and tells every process once the transaction has committed. */
export async function append(
  tx: Tx,
  { clock, hints }: { clock: Clock; hints: Hints },
  stream: string,
  events: readonly NewEvent[],
  { expectedPosition, at = clock.now() }: AppendOptions = {},
): Promise<{ position: number }> {
  if (events.length === 0 || events.length > logLimits.eventsPerAppendMax) {
    throw invalid(
      `An append to ${stream} takes 1 to ${logLimits.eventsPerAppendMax} events, not ${events.length}.`,
    );
  }
  const position = await queries.insertEvents(tx, stream, {
    types: events.map((event) => event.type),
    data: events.map((event) => encode(stream, event)),
    at,
    expected: expectedPosition ?? null,
  });
  if (position === undefined) {
    throw positionConflict(stream, expectedPosition, await head(tx, stream));
  }
  assert(position >= events.length, "positions of a stream count from 1");
  // Deleted between the look and the insert: the stream began anew at 0, which was not expected.
  if (expectedPosition !== undefined && position !== expectedPosition + events.length) {
    throw positionConflict(stream, expectedPosition, 0);
  }
  tx.afterCommit(() => hints.send(logChannel, stream));
  return { position };
}

/** The events after a position, oldest first. */
export function read(
  on: Queryable,
  stream: string,
  { after, limit }: { after: number; limit: number },
): Promise<StoredEvent[]> {
  return queries.selectEvents(on, stream, after, Math.min(limit, logLimits.eventsPerReadMax));
}

/** The position of the newest event; 0 where there is none. */
export async function head(on: Queryable, stream: string): Promise<number> {
  const [row] = await queries.selectHeads(on, [stream]);
  return row?.position ?? 0;
}

/** Removes the stream; its subscribers end. A name must not be used again: positions would start anew. */
export async function deleteStream(
  tx: Tx,
  { hints }: { hints: Hints },
  stream: string,
): Promise<void> {
  await queries.deleteHead(tx, stream);
  await queries.deleteEvents(tx, stream);
  tx.afterCommit(() => hints.send(logChannel, stream));
}

/** The state that the events lead to, one after the other. */
export function fold<State, Event>(
  events: Iterable<Event>,
  initial: State,
  step: (state: State, event: Event) => State,
): State {
  let state = initial;
  for (const event of events) state = step(state, event);
  return state;
}

function encode(stream: string, event: NewEvent): string {
  const text = JSON.stringify(event.data);
  // A UTF-16 unit is at most 3 bytes, so short texts need no second pass.
  const fits =
    text.length * 3 <= logLimits.eventBytesMax ||
    Buffer.byteLength(text) <= logLimits.eventBytesMax;
  if (fits) return text;
  throw tooLarge(
    `The event ${event.type} for ${stream} has ${Buffer.byteLength(text)} bytes; ` +
      `the most is ${logLimits.eventBytesMax}. Keep large content in a blob and name it in the event.`,
  );
}

function positionConflict(stream: string, expected: number | undefined, actual: number) {
  return conflict(
    `${stream} is at position ${actual}, not at ${expected}. Read what is new and try again.`,
    { code: "position_conflict", details: { expected_position: expected, position: actual } },
  );
}
