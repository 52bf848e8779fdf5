// The durable event log: streams of events with gapless positions, appended in the caller's transaction.
import { invalid } from "../base/failure.ts";
import type { Queryable, Tx } from "../sql/database.ts";
import type { Hints } from "../sql/hints.ts";
import { logLimits } from "./limits.ts";
import { logChannel } from "./local-feeds.ts";
import type { StoredEvent } from "./pages.ts";
import * as queries from "./queries.ts";
import { deleteSnapshots } from "./queries-snapshots.ts";

export {
  append,
  appendAll,
  head,
  recordProcessed,
  type NewEvent,
  type ProcessedEvent,
} from "./append.ts";
export { bytesOf, isFullPage, type StoredEvent } from "./pages.ts";

export type Order = queries.Order;
export type ProcessedPlace = queries.ProcessedPlace;

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

export function findEvent(
  on: Queryable,
  stream: string,
  id: string,
): Promise<StoredEvent | undefined> {
  return queries.findEvent(on, stream, id);
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

/** A stream that is there before its first event, so that its subscribers end with it. */
export const openStream = queries.insertHead;

/** How many events with an id are not processed yet. */
export const countWaiting = queries.countWaiting;

/** Their positions. */
export const listWaiting = queries.listWaiting;

/** Removes the stream; its subscribers end. A name must not be used again: positions would start anew. */
export async function deleteStream(
  tx: Tx,
  { hints }: { hints: Hints },
  stream: string,
): Promise<void> {
  await queries.deleteHead(tx, stream);
  await queries.deleteEvents(tx, stream);
  await deleteSnapshots(tx, stream);
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
