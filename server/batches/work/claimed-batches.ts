// What one process holds of the batches: chunks that it has taken, the requests in them, and what became of them.
import type { OriginalBody } from "../../../kernel/http/input/body.ts";
import type { Held, Holder } from "../../../kernel/work/hold.ts";
import type { Lease } from "../../../kernel/work/lease.ts";
import type { Segment } from "../../../kernel/blob/segments.ts";
import type { SettledHop } from "../../messages/module.ts";
import type { ChunkRow, BatchOwner } from "../queries-work.ts";
import type { BatchState } from "../queries.ts";
import type { ResultType } from "../schema.ts";
import type { ConcurrencyLimit } from "../pacing/concurrency-limit.ts";

/** A batch of which this process has chunks, or had some a moment ago. */
export interface ClaimedBatch {
  readonly id: string;
  readonly owner: BatchOwner;
  state: BatchState;
  chunks: Set<Chunk>;
  /** Ready to begin, by the upstream that they wait for. */
  readyItems: Map<ConcurrencyLimit, PreparedItem[]>;
  prepared: number;
  /** Waiting for another attempt. */
  pausing: Set<PreparedItem>;
  /** There was no more of it to take a moment ago. */
  hasNoMoreChunks: boolean;
  /** Nothing of it is read before this, because its upstreams take nothing. */
  restsUntilMs: number;
  running: Set<PreparedItem>;
  finished: FinishedItem[];
  /** Of the lines in it. */
  unwrittenBytes: number;
  isWriting: boolean;
  writtenMs: number;
  /** After a write whose end is unknown. */
  isUnsure: boolean;
  /** In a row. */
  failedWrites: number;
  failedReads: number;
  segment: OpenSegment | undefined;
}

export interface OpenSegment {
  number: number;
  file: Segment;
  /** Up to where the database knows it. */
  bytes: number;
}

export type HeldChunk = Held<ChunkRow & Lease>;
export type ChunkHolder = Holder<ChunkRow & Lease>;

export interface Chunk {
  readonly batch: ClaimedBatch;
  readonly held: HeldChunk;
  readonly row: ChunkRow;
  /** Where the params of each request begin in `content`. */
  readonly starts: readonly number[];
  readonly bytes: number;
  /** Requests whose result was written by a process that held the chunk before. */
  readonly done: ReadonlySet<number>;
  /** The position of the next request to prepare. */
  next: number;
  /** Requests before that position that were put back. */
  requeued: RequeuedItem[];
  /** Results that are not written yet. */
  left: number;
  isLost: boolean;
  content: Buffer | "loading" | undefined;
}

/** A request that was read, and is to be read again. */
export interface RequeuedItem {
  position: number;
  attempts: number;
  dueMs: number;
}

export interface PreparedItem {
  readonly chunk: Chunk;
  readonly position: number;
  readonly customId: string;
  readonly bytes: Buffer;
  /** Parsed; dropped while the answer is awaited. */
  original: OriginalBody | undefined;
  /** Undefined for what no upstream will be asked about. */
  concurrencyLimit: ConcurrencyLimit | undefined;
  attempts: number;
  /** Before this another attempt makes no sense. */
  dueMs: number;
  abort: AbortController | undefined;
}

export interface FinishedItem {
  readonly chunk: Chunk;
  readonly index: number;
  readonly customId: string;
  readonly type: ResultType;
  readonly line: Buffer;
  readonly settledHops: readonly SettledHop[];
}

export function makeClaimedBatch(id: string, owner: BatchOwner): ClaimedBatch {
  return {
    id,
    owner,
    state: owner.state,
    chunks: new Set(),
    readyItems: new Map(),
    prepared: 0,
    pausing: new Set(),
    hasNoMoreChunks: false,
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

export function makeChunk(batch: ClaimedBatch, held: HeldChunk, done: ReadonlySet<number>): Chunk {
  const { row } = held;
  const starts: number[] = [];
  let bytes = 0;
  for (const length of row.lengths) {
    starts.push(bytes);
    bytes += length + 1;
  }
  return {
    batch,
    held,
    row,
    starts,
    bytes,
    done,
    next: 0,
    requeued: [],
    left: row.lengths.length - done.size,
    isLost: false,
    content: undefined,
  };
}

/** Requests that have not begun. */
export const countUnbegun = ({ chunks, prepared, pausing }: ClaimedBatch): number =>
  [...chunks].reduce(
    (sum, { row, next, requeued }) => sum + row.lengths.length - next + requeued.length,
    prepared + pausing.size,
  );

/** What waits is put back, and chunks that no running request needs are dropped: others could not be read. */
export function restBatch(batch: ClaimedBatch, untilMs: number): void {
  batch.restsUntilMs = untilMs;
  const waiting = [...batch.pausing, ...[...batch.readyItems.values()].flat()];
  for (const { chunk, position, attempts, dueMs } of waiting)
    chunk.requeued.push({ position, attempts, dueMs });
  batch.pausing.clear();
  batch.readyItems.clear();
  batch.prepared = 0;
  const read = new Set([...batch.running].map(({ chunk }) => chunk));
  for (const chunk of batch.chunks)
    if (!read.has(chunk) && Buffer.isBuffer(chunk.content)) chunk.content = undefined;
}

/** Bytes of its params in memory. */
export const loadedOf = ({ chunks }: ClaimedBatch): number =>
  [...chunks].reduce((sum, { content, bytes }) => sum + (content === undefined ? 0 : bytes), 0);

/** It is lost, and its lease is renewed no more. */
export function dropChunk(chunk: Chunk): void {
  chunk.held.end();
  loseChunk(chunk);
}

/** This process may no longer write for it: what runs is ended, what was to be written is forgotten. */
export function loseChunk(chunk: Chunk): void {
  const { batch } = chunk;
  chunk.isLost = true;
  batch.chunks.delete(chunk);
  for (const item of batch.running) if (item.chunk === chunk) item.abort?.abort(lost);
  for (const item of batch.pausing) if (item.chunk === chunk) batch.pausing.delete(item);
  for (const [limit, items] of batch.readyItems) {
    const kept = items.filter((item) => item.chunk !== chunk);
    batch.prepared -= items.length - kept.length;
    batch.readyItems.set(limit, kept);
  }
  keepFinished(batch, (one) => one.chunk !== chunk);
}

export function addFinished(batch: ClaimedBatch, finished: FinishedItem): void {
  batch.finished.push(finished);
  batch.unwrittenBytes += finished.line.length;
}

/** The others are written, or no longer this process's to write. */
export function keepFinished(
  batch: ClaimedBatch,
  isKept: (finished: FinishedItem) => boolean,
): void {
  batch.finished = batch.finished.filter(isKept);
  batch.unwrittenBytes = batch.finished.reduce((sum, { line }) => sum + line.length, 0);
  // Without results of its own to write, this process need not know how the write ended.
  if (batch.finished.length === 0) batch.isUnsure = false;
}

const lost = new Error("another process has these requests now");

/** Why no request of it may begin any more. */
export function earlyEndOf(
  { state, owner }: ClaimedBatch,
  now: Date,
): "canceled" | "expired" | undefined {
  if (now.getTime() >= owner.expiresAt.getTime()) return "expired";
  return state === "canceling" ? "canceled" : undefined;
}
