// Events as they are read: a page at a time.
import { logLimits } from "./limits.ts";
import type { EventRow } from "./queries.ts";

export type StoredEvent = EventRow;

/** More may follow such a page. */
export const isFullPage = (events: readonly StoredEvent[]): boolean =>
  events.length >= logLimits.pageEventsMax || bytesOf(events) >= logLimits.pageBytesMax;

export const bytesOf = (events: readonly StoredEvent[]): number =>
  events.reduce((sum, { bytes }) => sum + bytes, 0);
