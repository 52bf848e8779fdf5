// One stream as the subscribers of a process read it: together where they stand at one position.
import { logLimits } from "./limits.ts";
import { bytesOf, isFullPage, type StoredEvent } from "./pages.ts";

/** One subscriber. */
export interface Watch {
  position: number;
  /** Its stream was there when it began: if it is not there now, it has been deleted. */
  readonly isBegun: boolean;
  gone: boolean;
  wake: () => void;
}

export interface Feed {
  readonly stream: string;
  readonly watches: Set<Watch>;
  /** Nothing is known to lie after this position; `Infinity` where something may. A level: nothing is missed. */
  end: number;
  /** By the position after which they read. */
  reads: Map<number, Promise<StoredEvent[]>>;
  /** The newest events, without a gap; of what one subscriber alone has read, none. */
  kept: readonly StoredEvent[];
}

/** The kept events of all streams, those least recently added to first. */
export interface KeptEvents {
  readonly bytes: Map<Feed, number>;
  total: number;
}

export const openFeed = (stream: string): Feed => ({
  stream,
  watches: new Set(),
  end: Infinity,
  reads: new Map(),
  kept: [],
});

export const isBehind = ({ end }: Feed, { position, gone }: Watch): boolean =>
  gone || position < end;

/** There may be more: a read that is under way may have missed it, and is shared with nobody who comes now. */
export function markBehind(feed: Feed): void {
  feed.end = Infinity;
  feed.reads.clear();
  for (const watch of feed.watches) watch.wake();
}

/** This process has appended these after a position: who stands there need not read. */
export function takeAppended(
  feed: Feed,
  keptEvents: KeptEvents,
  after: number,
  events: readonly StoredEvent[],
): void {
  // What lies before them is not known to have been read, or they have been read already.
  if (feed.end !== after) return markBehind(feed);
  feed.end = after + events.length;
  // One that is under way does not know of them.
  feed.reads.clear();
  keep(feed, keptEvents, events, 1);
  for (const watch of feed.watches) watch.wake();
}

/**
 * The events after a position: of those that are kept, else by a read that all who want the same share. Whoever is
 * further behind than what is kept so reads alone, and the others do not wait.
 */
export function nextEvents(
  feed: Feed,
  keptEvents: KeptEvents,
  after: number,
  read: (after: number) => Promise<StoredEvent[]>,
): readonly StoredEvent[] | Promise<readonly StoredEvent[]> {
  const [oldest] = feed.kept;
  if (oldest !== undefined && oldest.position <= after + 1) {
    const kept = feed.kept.slice(after + 1 - oldest.position);
    if (kept.length > 0) return kept;
  }
  const known = feed.reads.get(after);
  if (known !== undefined) return known;
  const reading = read(after).then(
    (events) => {
      const isCurrent = leave();
      if (isCurrent && !isFullPage(events))
        feed.end = events.length > 0 ? after + events.length : Math.min(feed.end, after);
      if (events.length > 0) {
        keep(feed, keptEvents, events, 2);
        for (const watch of feed.watches) watch.wake();
      }
      return events;
    },
    (error: unknown) => {
      leave();
      throw error;
    },
  );
  /** False where the feed was marked since. */
  const leave = () => feed.reads.get(after) === reading && feed.reads.delete(after);
  feed.reads.set(after, reading);
  return reading;
}

/** Where so many subscribers are there for them. */
function keep(
  feed: Feed,
  all: KeptEvents,
  events: readonly StoredEvent[],
  watchesMin: number,
): void {
  const [first] = events;
  const newest = feed.kept.at(-1)?.position ?? 0;
  if (first === undefined || (events.at(-1)?.position ?? 0) <= newest) return;
  const sum = first.position === newest + 1 ? [...feed.kept, ...events] : [...events];
  let bytes = bytesOf(sum);
  let from = Math.max(0, sum.length - logLimits.keptEventsMax);
  for (let index = 0; index < sum.length; index++) {
    if (index >= from && bytes <= logLimits.keptBytesMax) break;
    bytes -= sum[index]?.bytes ?? 0;
    from = Math.max(from, index + 1);
  }
  dropKept(feed, all);
  if (feed.watches.size < watchesMin) return;
  feed.kept = sum.slice(from);
  all.bytes.set(feed, bytes);
  all.total += bytes;
  for (const [other] of all.bytes) {
    if (all.total <= logLimits.keptBytesOfAllMax) return;
    dropKept(other, all);
  }
}

export function dropKept(feed: Feed, all: KeptEvents): void {
  all.total -= all.bytes.get(feed) ?? 0;
  all.bytes.delete(feed);
  feed.kept = [];
}
