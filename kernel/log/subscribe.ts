// Subscriptions to streams of the event log. One poll per process asks for the heads of all watched
// streams; a hint makes a subscriber read at once instead of at the next poll.
import assert from "node:assert/strict";
import type { Clock } from "../base/clock.ts";
import { Failure } from "../base/failure.ts";
import type { Database } from "../sql/database.ts";
import type { Hints } from "../sql/hints.ts";
import { logLimits } from "./limits.ts";
import { logChannel, read, type StoredEvent } from "./log.ts";
import * as queries from "./queries.ts";

export interface SubscribeWorld {
  db: Database;
  hints: Hints;
  clock: Clock;
  signal: AbortSignal;
}

/** What the poll knows of one subscriber. Levels, not edges: nothing is missed between a read and a wait. */
interface Watch {
  stream: string;
  position: number;
  /** There is, or may be, something after `position`. */
  behind: boolean;
  gone: boolean;
  wake: () => void;
}

interface Poller {
  watches: Map<string, Set<Watch>>;
  readsFree: number;
  readers: (() => void)[];
  stop: AbortController;
}

/** One per database: that is one per process, except where a test runs several worlds in one. */
const pollers = new WeakMap<Database, Poller>();

/**
 * The events after a position and all that follow, each once and in order, from all writers. Ends when
 * the signal aborts or the stream is deleted; waits while the database is away.
 */
export async function* subscribe(
  world: SubscribeWorld,
  stream: string,
  after: number,
): AsyncGenerator<StoredEvent, void, undefined> {
  const { db, clock, signal } = world;
  const watch: Watch = { stream, position: after, behind: true, gone: false, wake: () => {} };
  const poller = join(world, watch);
  const woken = () => watch.wake();
  signal.addEventListener("abort", woken);
  try {
    for (;;) {
      await until(watch, signal);
      if (signal.aborted || watch.gone) return;
      watch.behind = false;
      const events = await readInTurn(poller, db, watch).catch(unlessAway);
      if (events === undefined) {
        watch.behind = true;
        await clock.sleep(logLimits.pollMs, signal);
        continue;
      }
      if (events.length === logLimits.subscriberReadEvents) watch.behind = true;
      for (const event of events) {
        if (signal.aborted) return;
        assert(event.position === watch.position + 1, "positions of a stream have no gap");
        watch.position = event.position;
        yield event;
      }
    }
  } finally {
    signal.removeEventListener("abort", woken);
    leave(db, poller, watch);
  }
}

function until(watch: Watch, signal: AbortSignal): Promise<void> {
  if (watch.behind || watch.gone || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    watch.wake = resolve;
  });
}

/** At most a few reads at a time, first come first served. */
async function readInTurn(poller: Poller, db: Database, watch: Watch): Promise<StoredEvent[]> {
  if (poller.readsFree > 0) poller.readsFree -= 1;
  else await new Promise<void>((resolve) => poller.readers.push(resolve));
  try {
    const { stream, position } = watch;
    return await read(db, stream, { after: position, limit: logLimits.subscriberReadEvents });
  } finally {
    const next = poller.readers.shift();
    if (next === undefined) poller.readsFree += 1;
    else next();
  }
}

function join({ db, hints, clock }: SubscribeWorld, watch: Watch): Poller {
  let poller = pollers.get(db);
  if (poller === undefined) {
    poller = {
      watches: new Map(),
      readsFree: logLimits.concurrentReadsMax,
      readers: [],
      stop: new AbortController(),
    };
    pollers.set(db, poller);
    void poll(poller, db, hints, clock);
  }
  const sharing = poller.watches.get(watch.stream);
  if (sharing === undefined) poller.watches.set(watch.stream, new Set([watch]));
  else sharing.add(watch);
  return poller;
}

function leave(db: Database, poller: Poller, watch: Watch): void {
  const sharing = poller.watches.get(watch.stream);
  sharing?.delete(watch);
  if (sharing?.size === 0) poller.watches.delete(watch.stream);
  if (poller.watches.size > 0) return;
  poller.stop.abort();
  if (pollers.get(db) === poller) pollers.delete(db);
}

async function poll(poller: Poller, db: Database, hints: Hints, clock: Clock): Promise<void> {
  const { signal } = poller.stop;
  const forget = hints.listen(logChannel, (key) => {
    const affected = key === "*" ? [...poller.watches.values()] : [poller.watches.get(key) ?? []];
    for (const watches of affected) for (const watch of watches) markBehind(watch);
  });
  try {
    while (await clock.sleep(logLimits.pollMs, signal)) {
      try {
        await compareHeads(poller, db);
      } catch (error) {
        // Away: the next poll finds out. Any other error each subscriber meets in its own read.
        if (!isAway(error))
          for (const watches of poller.watches.values()) watches.forEach(markBehind);
      }
    }
  } finally {
    forget();
  }
}

async function compareHeads(poller: Poller, db: Database): Promise<void> {
  const asked = [...poller.watches.values()].flatMap((watches) =>
    [...watches].map((watch) => ({ watch, position: watch.position })),
  );
  const rows = await queries.selectHeads(db, [...poller.watches.keys()]);
  const heads = new Map(rows.map((row) => [row.stream, row.position]));
  for (const { watch, position } of asked) {
    const head = heads.get(watch.stream);
    if (head === undefined ? position === 0 : head <= watch.position) continue;
    // A subscriber past position 0 before the query had a stream; without a head now, it was deleted.
    watch.gone = head === undefined;
    markBehind(watch);
  }
}

function isAway(error: unknown): boolean {
  return error instanceof Failure && error.status === 503;
}

function unlessAway(error: unknown): undefined {
  if (!isAway(error)) throw error;
}

function markBehind(watch: Watch): void {
  watch.behind = true;
  watch.wake();
}
