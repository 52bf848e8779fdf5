// Subscriptions to streams of the event log. One poll per process asks for the heads of all watched
// streams; a hint makes subscribers read at once instead of at the next poll.
import assert from "node:assert/strict";
import type { Clock } from "../base/clock.ts";
import { Failure } from "../base/failure.ts";
import type { Database } from "../sql/database.ts";
import type { Hints } from "../sql/hints.ts";
import {
  dropKept,
  isBehind,
  markBehind,
  nextEvents,
  openFeed,
  type Feed,
  type Watch,
} from "./feed.ts";
import { logLimits } from "./limits.ts";
import { addFeeds, logChannel, type Feeds } from "./local-feeds.ts";
import { readPage, type StoredEvent } from "./log.ts";
import * as queries from "./queries.ts";

export interface SubscribeWorld {
  db: Database;
  hints: Hints;
  clock: Clock;
  signal: AbortSignal;
}

interface Poller extends Feeds {
  readsFree: number;
  readers: (() => void)[];
  stop: AbortController;
}

/** One per database: that is one per process, except where a test runs several worlds in one. */
const pollers = new WeakMap<Database, Poller>();

/**
 * The events after a position and all that follow, each once and in order, from all writers. Ends when the signal
 * aborts or the stream is deleted; one that is not known to be there is waited for. Waits while the database is away.
 * A slow subscriber holds one page, which may be shared with others, and holds up none of them.
 */
export async function* subscribe(
  world: SubscribeWorld,
  stream: string,
  after: number,
  { isThere = after > 0 } = {},
): AsyncGenerator<StoredEvent, void, undefined> {
  const { db, clock, signal } = world;
  const watch: Watch = { position: after, isBegun: isThere, gone: false, wake: () => {} };
  const { poller, feed } = join(world, stream, watch);
  const woken = () => watch.wake();
  signal.addEventListener("abort", woken);
  const readAfter = (position: number) => readInTurn(poller, db, stream, position);
  try {
    for (;;) {
      await until(feed, watch, signal);
      if (signal.aborted || watch.gone) return;
      const events = await nextOrAway(feed, poller.kept, watch.position, readAfter);
      if (events === undefined) {
        await clock.sleep(logLimits.pollMs, signal);
        continue;
      }
      for (const event of events) {
        if (signal.aborted) return;
        assert(event.position === watch.position + 1, "positions of a stream have no gap");
        watch.position = event.position;
        yield event;
      }
    }
  } finally {
    signal.removeEventListener("abort", woken);
    leave(db, poller, feed, watch);
  }
}

async function until(feed: Feed, watch: Watch, signal: AbortSignal): Promise<void> {
  while (!isBehind(feed, watch) && !signal.aborted)
    await new Promise<void>((resolve) => {
      watch.wake = resolve;
    });
}

/** Undefined while the database is away. */
async function nextOrAway(
  ...asked: Parameters<typeof nextEvents>
): Promise<readonly StoredEvent[] | undefined> {
  try {
    return await nextEvents(...asked);
  } catch (error) {
    if (!isAway(error)) throw error;
    return undefined;
  }
}

/** At most a few reads at a time, first come first served. */
async function readInTurn(
  poller: Poller,
  db: Database,
  stream: string,
  after: number,
): Promise<StoredEvent[]> {
  if (poller.readsFree > 0) poller.readsFree -= 1;
  else await new Promise<void>((resolve) => poller.readers.push(resolve));
  try {
    return await readPage(db, stream, { after });
  } finally {
    const next = poller.readers.shift();
    if (next === undefined) poller.readsFree += 1;
    else next();
  }
}

function join(
  { db, hints, clock }: SubscribeWorld,
  stream: string,
  watch: Watch,
): { poller: Poller; feed: Feed } {
  let poller = pollers.get(db);
  if (poller === undefined) {
    poller = {
      byStream: new Map(),
      kept: { bytes: new Map(), total: 0 },
      readsFree: logLimits.concurrentReadsMax,
      readers: [],
      stop: new AbortController(),
    };
    pollers.set(db, poller);
    void poll(poller, db, hints, clock);
  }
  const feed = poller.byStream.get(stream) ?? openFeed(stream);
  poller.byStream.set(stream, feed);
  feed.watches.add(watch);
  return { poller, feed };
}

function leave(db: Database, poller: Poller, feed: Feed, watch: Watch): void {
  feed.watches.delete(watch);
  if (feed.watches.size < 2) dropKept(feed, poller.kept);
  if (feed.watches.size === 0) poller.byStream.delete(feed.stream);
  if (poller.byStream.size > 0) return;
  poller.stop.abort();
  if (pollers.get(db) === poller) pollers.delete(db);
}

async function poll(poller: Poller, db: Database, hints: Hints, clock: Clock): Promise<void> {
  const { signal } = poller.stop;
  const forgetFeeds = addFeeds(hints, poller);
  const forget = hints.listen(logChannel, (key) => {
    const told = key === "*" ? poller.byStream.values() : [poller.byStream.get(key)];
    for (const feed of told) if (feed !== undefined) markBehind(feed);
  });
  try {
    while (await clock.sleep(logLimits.pollMs, signal)) {
      try {
        await compareHeads(poller, db);
      } catch (error) {
        // Away: the next poll finds out. Any other error each subscriber meets in its own read.
        if (!isAway(error)) for (const feed of poller.byStream.values()) markBehind(feed);
      }
    }
  } finally {
    forget();
    forgetFeeds();
  }
}

async function compareHeads({ byStream: feeds, kept }: Poller, db: Database): Promise<void> {
  const asked = [...feeds.values()].map((feed) => ({
    feed,
    // A subscriber past position 0 before the query had a stream; without a head now, it was deleted.
    begun: [...feed.watches].filter(({ position, isBegun }) => isBegun || position > 0),
  }));
  const rows = await queries.selectHeads(db, [...feeds.keys()]);
  const heads = new Map(rows.map((row) => [row.stream, row.position]));
  for (const { feed, begun } of asked) {
    const head = heads.get(feed.stream);
    if (head === undefined ? begun.length === 0 : head <= feed.end) continue;
    if (head === undefined) {
      dropKept(feed, kept);
      for (const watch of begun) watch.gone = true;
    }
    markBehind(feed);
  }
}

function isAway(error: unknown): boolean {
  return error instanceof Failure && error.status === 503;
}
