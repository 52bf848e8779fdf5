// Appends to streams, and what is recorded of their events later: all in the caller's transaction.
import assert from "node:assert/strict";
import type { Clock } from "../base/clock.ts";
import { conflict, invalid, tooLarge } from "../base/failure.ts";
import { brokenConstraint, type Queryable, type Tx } from "../sql/database.ts";
import type { Hints } from "../sql/hints.ts";
import { logLimits } from "./limits.ts";
import { tellAppended } from "./local-feeds.ts";
import * as queries from "./queries.ts";

export interface NewEvent {
  /** Unique within the stream, if there is one. */
  id?: string;
  type: string;
  data: object;
  /** An event that is processed as it comes; one that waits is told of by `recordProcessed`. */
  processedAt?: Date;
}

export interface AppendOptions {
  /** The position that the stream must stand at; 0 means that it must be new. */
  expectedPosition?: number;
  /** When it happened; the clock's time unless given. */
  at?: Date;
}

/** What one stream gets; with a position that it must stand at it may get nothing, and is only looked at. */
export interface Appending {
  stream: string;
  events: readonly NewEvent[];
  expectedPosition?: number;
}

interface AppendWorld {
  clock: Clock;
  hints: Hints;
}

/** Appends all events or none, and tells every process once the transaction has committed. */
export async function append(
  tx: Tx,
  world: AppendWorld,
  stream: string,
  events: readonly NewEvent[],
  { expectedPosition, at = world.clock.now() }: AppendOptions = {},
): Promise<{ position: number }> {
  const appending = { stream, events, ...(expectedPosition !== undefined && { expectedPosition }) };
  const [position] = await appendAll(tx, world, [appending], at);
  assert(position !== undefined);
  return { position };
}

/** To several streams, each named once: all of it or nothing. Answers where each stands now. */
export async function appendAll(
  tx: Tx,
  { clock, hints }: AppendWorld,
  all: readonly Appending[],
  at: Date = clock.now(),
): Promise<number[]> {
  for (const each of all) expectCount(each);
  const events = all.flatMap(({ stream, events: own }, index) =>
    own.map((event, number) => {
      const { id = null, type, processedAt = null } = event;
      const data = encode(stream, event);
      const bytes = Buffer.byteLength(data);
      return { index, number: number + 1, id, type, data, bytes, processedAt };
    }),
  );
  const streams = all.map(({ stream, events: own, expectedPosition = null }) => ({
    stream,
    count: own.length,
    expected: expectedPosition,
  }));
  const positions = await queries
    .insertEvents(tx, { streams, events, at })
    .catch((error: unknown) => {
      throw brokenConstraint(error) === "log_events_id" ? usedId(all) : error;
    });
  for (const [index, { stream, count, expected }] of streams.entries()) {
    const position = positions[index] ?? null;
    // Deleted between the look and the insert: the stream began anew at 0, which was not expected.
    if (position === null || (expected !== null && position !== expected + count))
      throw positionConflict(stream, expected, position === null ? await head(tx, stream) : 0);
    assert(position >= count, "positions of a stream count from 1");
  }
  tx.afterCommit(() => {
    for (const [index, { stream, count }] of streams.entries()) {
      if (count === 0) continue;
      const from = (positions[index] ?? 0) - count;
      tellAppended(hints, stream, from, () =>
        events
          .filter((event) => event.index === index)
          .map(({ id, type, data, bytes, processedAt, number }) => ({
            id,
            type,
            data,
            bytes,
            processedAt,
            at,
            position: from + number,
          })),
      );
    }
  });
  return positions as number[];
}

function expectCount({ stream, events: { length }, expectedPosition }: Appending): void {
  const least = expectedPosition === undefined ? 1 : 0;
  if (length >= least && length <= logLimits.eventsPerAppendMax) return;
  throw invalid(
    `An append to ${stream} takes ${least} to ${logLimits.eventsPerAppendMax} events, not ${length}.`,
  );
}

/** The position of the newest event; 0 where there is none. */
export async function head(on: Queryable, stream: string): Promise<number> {
  const [row] = await queries.selectHeads(on, [stream]);
  return row?.position ?? 0;
}

export interface ProcessedEvent {
  stream: string;
  position: number;
  at: Date;
}

/**
 * Events that waited have been processed: each is told so once, and the first time stands. Answers those that this
 * call has set. Subscribers are not woken.
 */
export function recordProcessed(
  tx: Tx,
  events: readonly ProcessedEvent[],
): Promise<{ stream: string; position: number }[]> {
  return queries.setProcessed(tx, events);
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

function usedId(all: readonly Appending[]) {
  const ids = all.flatMap(({ events }) => events.map(({ id }) => id));
  const shown = ids.filter((id) => id !== undefined).slice(0, 3);
  const streams = all.map(({ stream }) => stream).slice(0, 3);
  return conflict(
    `${streams.join(", ")} has an event with one of these ids already: ${shown.join(", ")}.`,
    { code: "event_id_conflict" },
  );
}

function positionConflict(stream: string, expected: number | null, position: number) {
  return conflict(
    `${stream} is at position ${position}, not at ${expected}. Read what is new and try again.`,
    {
      code: "position_conflict",
      details: { expected_position: expected ?? undefined, position },
    },
  );
}
