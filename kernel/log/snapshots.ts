// Snapshots: what the events of a stream lead to at a position, so that a fold need not begin at the first one.
import { isFailure, tooLarge } from "../base/failure.ts";
import type { Logger } from "../base/logger.ts";
import type { Database, Queryable, Tx } from "../sql/database.ts";
import { logLimits } from "./limits.ts";
import { fold, isFullPage, readPage, type StoredEvent } from "./log.ts";
import * as queries from "./queries-snapshots.ts";

export interface Snapshot<State> {
  /** Of the last event that is in it. */
  position: number;
  state: State;
}

/**
 * Kept with the newest few of its kind; one that is there already stays. Nothing is saved of a stream that is gone or
 * has not come so far.
 */
export async function saveSnapshot(
  tx: Tx,
  stream: string,
  kind: string,
  { position, state }: Snapshot<unknown>,
): Promise<void> {
  const text = JSON.stringify(state);
  const bytes = Buffer.byteLength(text);
  if (bytes > logLimits.snapshotBytesMax)
    throw tooLarge(
      `The snapshot ${kind} of ${stream} has ${bytes} bytes; the most is ${logLimits.snapshotBytesMax}.`,
    );
  await queries.insertSnapshot(tx, stream, { kind, position, state: text });
  await queries.deleteOldSnapshots(tx, stream, kind, logLimits.snapshotsKeptMax);
}

/** The last one at or before the position. */
export async function latestSnapshot(
  on: Queryable,
  stream: string,
  kind: string,
  atOrBefore: number = Number.MAX_SAFE_INTEGER,
): Promise<Snapshot<unknown> | undefined> {
  return queries.selectSnapshot(on, stream, kind, atOrBefore);
}

export interface StreamFold<State> {
  /** Names the state and the version of the code that makes it: another `step` is another kind. */
  kind: string;
  initial: State;
  /** Without `processedAt`, which changes behind a snapshot: what a state depends on is an event of its own. */
  step(state: State, event: Omit<StoredEvent, "processedAt">): State;
}

/**
 * The state at the stream's end, or at a position, from the latest snapshot on: one page of events in memory at a time.
 * A state is plain JSON. One that is too large for a snapshot is folded all the same, and the log says so.
 */
export async function foldStream<State>(
  { db, logger }: { db: Database; logger: Logger },
  stream: string,
  { kind, initial, step }: StreamFold<State>,
  { upTo = Number.MAX_SAFE_INTEGER - 1 }: { upTo?: number } = {},
): Promise<Snapshot<State>> {
  const known = await latestSnapshot(db, stream, kind, upTo);
  let { position, state } = (known as Snapshot<State> | undefined) ?? {
    position: 0,
    state: initial,
  };
  let savedAt: number | undefined = position;
  for (;;) {
    const page = await readPage(db, stream, { after: position, before: upTo + 1 });
    state = fold(page, state, step);
    position = page.at(-1)?.position ?? position;
    if (savedAt !== undefined && position - savedAt >= logLimits.snapshotEveryEvents) {
      const now: Snapshot<State> = { position, state };
      const isSaved = await db
        .tx((tx) => saveSnapshot(tx, stream, kind, now))
        .then(() => true, unlessTooLarge);
      if (!isSaved) logger.warn({ stream, kind, position }, "a state is too large for a snapshot");
      // A state that was too large once is not written out again for every thousand events.
      savedAt = isSaved ? position : undefined;
    }
    if (!isFullPage(page)) return { position, state };
  }
}

function unlessTooLarge(error: unknown): false {
  if (isFailure(error) && error.status === 413) return false;
  throw error;
}
