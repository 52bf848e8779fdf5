// The durable event log: streams of events with gapless positions, appended in the caller's transaction.
import assert from "node:assert/strict";
import type { Clock } from "../base/clock.ts";
import { conflict, invalid, tooLarge } from "../base/failure.ts";
import { brokenConstraint, type Queryable, type Tx } from "../sql/database.ts";
import type { Hints } from "../sql/hints.ts";
import { logLimits } from "./limits.ts";
import * as queries from "./queries.ts";

export interface NewEvent {
  /** Unique within the stream, if there is one. */
  id?: string;
  type: string;
  data: object;
  /** An event that is processed as it comes; one that waits is told of by `recordProcessed`. */
  processedAt?: Date;
}

export type StoredEvent = queries.EventRow;
export type Order = queries.Order;
export type ProcessedPlace = queries.ProcessedPlace;

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
  const data = events.map((event) => encode(stream, event));
  const rows = {
    ids: events.map(({ id }) => id ?? null),
    types: events.map(({ type }) => type),
    data,
    bytes: data.map((text) => Buffer.byteLength(text)),
    processed: events.map(({ processedAt }) => processedAt ?? null),
    at,
    expected: expectedPosition ?? null,
  };
  const position = await queries.insertEvents(tx, stream, rows).catch((error: unknown) => {
    throw brokenConstraint(error) === "log_events_id" ? usedId(stream, rows.ids) : error;
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

export interface ReadOptions {
  /** Only events after this position, and before that one. */
  after?: number;
  before?: number;
  /** Only of these types. */
  types?: readonly string[];
  order?: Order;
  limit: number;
  /** Ends with the event that reaches so many bytes of data; a page of fewer events than `limit` may be full. */
  bytesMax?: number;
}

/** A page of events, oldest first unless said otherwise. */
export async function read(
  on: Queryable,
  stream: string,
  { after = 0, before = positionMax, types, order = "oldest_first", limit, bytesMax }: ReadOptions,
): Promise<StoredEvent[]> {
  return queries.selectEvents(on, stream, {
    after,
    before,
    types: fewTypes(types),
    order,
    limit: Math.min(limit, logLimits.eventsPerReadMax),
    bytesMax: bytesMax ?? Number.MAX_SAFE_INTEGER,
  });
}

const positionMax = Number.MAX_SAFE_INTEGER;

/** As subscribers and folds read: so much of a stream in memory at a time. */
export const readPage = (
  on: Queryable,
  stream: string,
  range: { after: number; before?: number },
) =>
  read(on, stream, {
    ...range,
    limit: logLimits.pageEventsMax,
    bytesMax: logLimits.pageBytesMax,
  });

/** More may follow such a page. */
export const isFullPage = (events: readonly StoredEvent[]): boolean =>
  events.length >= logLimits.pageEventsMax || bytesOf(events) >= logLimits.pageBytesMax;

export const bytesOf = (events: readonly StoredEvent[]): number =>
  events.reduce((sum, { bytes }) => sum + bytes, 0);

export function findEvent(
  on: Queryable,
  stream: string,
  id: string,
): Promise<StoredEvent | undefined> {
  return queries.findEvent(on, stream, id);
}

/**
 * Events that waited have been processed: each is told so once, and the first time stands. Answers the positions that
 * this call has set. Subscribers are not woken.
 */
export async function recordProcessed(
  tx: Tx,
  stream: string,
  positions: readonly number[],
  at: Date,
): Promise<number[]> {
  if (positions.length > logLimits.eventsPerAppendMax)
    throw invalid(
      `At most ${logLimits.eventsPerAppendMax} events of ${stream} are recorded as processed at once, not ${positions.length}.`,
    );
  return queries.setProcessed(tx, stream, positions, at);
}

export interface ReadProcessedOptions {
  /** Both are left out themselves; a position of 0 stands before all events of its moment, `Infinity` after them. */
  after?: ProcessedPlace;
  before?: ProcessedPlace;
  types?: readonly string[];
  order?: Order;
  limit: number;
}

/** A page of the events that have been processed, in the order of their processing. */
export async function readProcessed(
  on: Queryable,
  stream: string,
  { after, before, types, order = "oldest_first", limit }: ReadProcessedOptions,
): Promise<StoredEvent[]> {
  const place = ({ processedAt, position }: ProcessedPlace) => ({
    processedAt,
    position: Math.min(position, positionMax),
  });
  return queries.selectProcessed(on, stream, {
    after: place(after ?? { processedAt: timeMin, position: 0 }),
    before: place(before ?? { processedAt: timeMax, position: 0 }),
    types: fewTypes(types),
    order,
    limit: Math.min(limit, logLimits.eventsPerReadMax),
  });
}

const timeMin = new Date("0001-01-01T00:00:00Z");
const timeMax = new Date("9999-12-31T23:59:59Z");

/** Each type is looked up by itself. */
function fewTypes(types: readonly string[] | undefined): readonly string[] | undefined {
  const different = types && [...new Set(types)];
  if ((different?.length ?? 0) <= logLimits.typesPerReadMax) return different;
  throw invalid(`A read takes at most ${logLimits.typesPerReadMax} types of events.`);
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
  await queries.deleteSnapshots(tx, stream);
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

function usedId(stream: string, ids: readonly (string | null)[]) {
  const shown = ids.filter((id) => id !== null).slice(0, 3);
  return conflict(`${stream} has an event with one of these ids already: ${shown.join(", ")}.`, {
    code: "event_id_conflict",
  });
}

function positionConflict(stream: string, expected: number | undefined, actual: number) {
  return conflict(
    `${stream} is at position ${actual}, not at ${expected}. Read what is new and try again.`,
    { code: "position_conflict", details: { expected_position: expected, position: actual } },
  );
}
