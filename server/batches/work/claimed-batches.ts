// What one process holds of the batches: chunks that it has taken, the requests in them, and what became of them.
import type { OriginalJson } from "../../../kernel/http/input/body.ts";
import type { Lease } from "../../../kernel/jobs/lease.ts";
import type { Segment } from "../../../kernel/blob/segments.ts";
import type { Entry } from "../../messages/module.ts";
import type { ChunkRow, Owner } from "../queries-work.ts";
import type { State } from "../queries.ts";
import type { ResultType } from "../schema.ts";
import type { Gate } from "../pacing/concurrency-limit.ts";

/** A batch of which this process has chunks, or had some a moment ago. */
export interface Held {
  readonly id: string;
  readonly owner: Owner;
  state: State;
  chunks: Set<Chunk>;
  /** Ready to begin, by the upstream that they wait for. */
  lanes: Map<Gate, Item[]>;
  prepared: number;
  /** Waiting for another attempt. */
  pausing: Set<Item>;
  /** There was no more of it to take a moment ago. */
  isDry: boolean;
  /** Nothing of it is read before this, because its upstreams take nothing. */
  restsUntilMs: number;
  running: Set<Item>;
  finished: Finished[];
  /** Of the lines in it. */
  unwrittenBytes: number;
  isWriting: boolean;
  writtenMs: number;
  /** After a write of which nobody knows how it ended. */
  isUnsure: boolean;
  /** In a row. */
  failedWrites: number;
  failedReads: number;
  segment: OwnSegment | undefined;
}

export interface OwnSegment {
  number: number;
  file: Segment;
  /** Up to where the database knows it. */
  bytes: number;
}

export interface Chunk {
  readonly held: Held;
  readonly lease: Lease;
  readonly row: ChunkRow;
  /** Where the params of each request begin in `content`. */
  readonly starts: readonly number[];
  readonly bytes: number;
  /** Requests that have their result from whoever had it before. */
  readonly done: ReadonlySet<number>;
  /** The place of the next request to prepare. */
  next: number;
  /** Those that were put back, before that. */
  again: PutBack[];
  /** Results that are not written yet. */
  left: number;
  /** By this process's monotonic clock; never later than the database has it. */
  heldUntilMs: number;
  isLost: boolean;
  content: Buffer | "loading" | undefined;
}

/** A request that was read, and is to be read again. */
export interface PutBack {
  place: number;
  attempts: number;
  dueMs: number;
}

export interface Item {
  readonly chunk: Chunk;
  readonly place: number;
  readonly customId: string;
  readonly bytes: Buffer;
  /** Parsed, until it is let go. */
  original: OriginalJson | undefined;
  /** Undefined for what no upstream will be asked about. */
  gate: Gate | undefined;
  attempts: number;
  /** Before this another attempt makes no sense. */
  dueMs: number;
  abort: AbortController | undefined;
}

export interface Finished {
  readonly chunk: Chunk;
  readonly index: number;
  readonly customId: string;
  readonly type: ResultType;
  readonly line: Buffer;
  readonly entries: readonly Entry[];
}

export function hold(id: string, owner: Owner): Held {
  return {
    id,
    owner,
    state: owner.state,
    chunks: new Set(),
    lanes: new Map(),
    prepared: 0,
    pausing: new Set(),
    isDry: false,
    restsUntilMs: 0,
    running: new Set(),
    finished: [],
    unwrittenBytes: 0,
    isWriting: false,
    writtenMs: -Infinity,
    isUnsure: false,
    failedWrites: 0,
    failedReads: 0,
    segment: undefined,
  };
}

export function chunkOf(
  held: Held,
  row: ChunkRow & Lease,
  done: ReadonlySet<number>,
  heldUntilMs: number,
): Chunk {
  const { id, owner, epoch } = row;
  const starts: number[] = [];
  let bytes = 0;
  for (const length of row.lengths) {
    starts.push(bytes);
    bytes += length + 1;
  }
  return {
    held,
    lease: { id, owner, epoch },
    row,
    starts,
    bytes,
    done,
    next: 0,
    again: [],
    left: row.lengths.length - done.size,
    heldUntilMs,
    isLost: false,
    content: undefined,
  };
}

/** It is held until then at least, as an answer of the database says. */
export function holdUntil(chunk: Chunk, ms: number): void {
  chunk.heldUntilMs = Math.max(chunk.heldUntilMs, ms);
}

/** Requests that have not begun. */
export const unbegun = ({ chunks, prepared, pausing }: Held): number =>
  [...chunks].reduce(
    (sum, { row, next, again }) => sum + row.lengths.length - next + again.length,
    prepared + pausing.size,
  );

/** What waits is put back, and what nobody reads just now is let go: it would keep others from being read. */
export function rest(held: Held, untilMs: number): void {
  held.restsUntilMs = untilMs;
  const waiting = [...held.pausing, ...[...held.lanes.values()].flat()];
  for (const { chunk, place, attempts, dueMs } of waiting)
    chunk.again.push({ place, attempts, dueMs });
  held.pausing.clear();
  held.lanes.clear();
  held.prepared = 0;
  const read = new Set([...held.running].map(({ chunk }) => chunk));
  for (const chunk of held.chunks)
    if (!read.has(chunk) && Buffer.isBuffer(chunk.content)) chunk.content = undefined;
}

/** Bytes of its params in memory. */
export const loadedOf = ({ chunks }: Held): number =>
  [...chunks].reduce((sum, { content, bytes }) => sum + (content === undefined ? 0 : bytes), 0);

/** Nobody may write for it any more: what runs is ended, what was to be written is forgotten. */
export function lose(chunk: Chunk): void {
  const { held } = chunk;
  chunk.isLost = true;
  held.chunks.delete(chunk);
  for (const item of held.running) if (item.chunk === chunk) item.abort?.abort(lost);
  for (const item of held.pausing) if (item.chunk === chunk) held.pausing.delete(item);
  for (const [gate, lane] of held.lanes) {
    const kept = lane.filter((item) => item.chunk !== chunk);
    held.prepared -= lane.length - kept.length;
    held.lanes.set(gate, kept);
  }
  keep(held, (one) => one.chunk !== chunk);
}

export function finish(held: Held, finished: Finished): void {
  held.finished.push(finished);
  held.unwrittenBytes += finished.line.length;
}

/** The others are written, or not ours to write any more. */
export function keep(held: Held, isKept: (finished: Finished) => boolean): void {
  held.finished = held.finished.filter(isKept);
  held.unwrittenBytes = held.finished.reduce((sum, { line }) => sum + line.length, 0);
  // Of what is left to others nobody here has to know how its write ended.
  if (held.finished.length === 0) held.isUnsure = false;
}

const lost = new Error("another process has these requests now");

/** Why no request of it may begin any more. */
export function endOf({ state, owner }: Held, now: Date): "canceled" | "expired" | undefined {
  if (now.getTime() >= owner.expiresAt.getTime()) return "expired";
  return state === "canceling" ? "canceled" : undefined;
}
