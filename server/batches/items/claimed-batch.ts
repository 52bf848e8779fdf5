// What this process holds of a batch: its chunks, and each of their requests from its chunk to its written result.
import assert from "node:assert/strict";
import type { OriginalBody } from "../../../kernel/http/input/body.ts";
import type { ConcurrencyLimit } from "../pacing/concurrency-limit.ts";
import type { BatchOwner } from "../queries-work.ts";
import type { BatchState } from "../queries.ts";
import { ChunkItems, type Content } from "./chunk-items.ts";
import {
  firstGroup,
  type Chunk,
  type FinishedItem,
  type HeldChunk,
  type PreparedItem,
  type ResultGroup,
  type StageCounts,
  type WaitingItem,
} from "./items.ts";

/** An item that is running, and what ends it. */
export interface Attempt {
  readonly batch: ClaimedBatch;
  readonly item: PreparedItem;
  /** Its bytes, parsed; dropped while the answer is awaited. */
  original: OriginalBody | undefined;
  readonly signal: AbortSignal;
}

interface ReadyItem {
  readonly item: PreparedItem;
  readonly original: OriginalBody | undefined;
}

/** Rule BAT38: others read it and call its verbs. Only these move an item, and one that stands elsewhere is a bug. */
export class ClaimedBatch {
  readonly id: string;
  readonly owner: BatchOwner;
  #state: BatchState;
  /** Of the chunks that are not lost. */
  readonly #items = new ChunkItems();
  /** By the upstream that they wait for. */
  readonly #ready = new Map<ConcurrencyLimit | undefined, ReadyItem[]>();
  /** Those of a lost chunk too, until their attempt has ended. */
  readonly #running = new Map<PreparedItem, AbortController>();
  readonly #pausing = new Set<PreparedItem>();
  #finished: FinishedItem[] = [];
  #unwrittenBytes = 0;
  #writing: ResultGroup | undefined;
  #writtenMs = -Infinity;
  /** After a write whose end is unknown. */
  #isUnsure = false;
  #restsUntilMs = 0;

  constructor(id: string, owner: BatchOwner) {
    this.id = id;
    this.owner = owner;
    this.#state = owner.state;
  }

  /** As the database had it a moment ago. */
  get state(): BatchState {
    return this.#state;
  }

  get chunks(): ReadonlyMap<Chunk, { readonly content: Content }> {
    return this.#items.chunks;
  }

  /** Items of these chunks, by where they stand. */
  get counts(): StageCounts {
    return this.#items.counts;
  }

  /** Attempts that have not ended, those of lost chunks too. */
  get underWay(): number {
    return this.#running.size;
  }

  /** Of the lines of its results. */
  get unwrittenBytes(): number {
    return this.#unwrittenBytes;
  }

  get isWriting(): boolean {
    return this.#writing !== undefined;
  }

  /** When the last write ended. */
  get writtenMs(): number {
    return this.#writtenMs;
  }

  /** Nothing of it is read before this, because its upstreams take nothing. */
  get restsUntilMs(): number {
    return this.#restsUntilMs;
  }

  /** When each item in its pause is ready again. */
  get dueMs(): readonly number[] {
    return Array.from(this.#pausing, ({ dueMs }) => dueMs);
  }

  /** When each upstream that its ready items wait for has room; 0 where that waits for an answer. */
  get opensMs(): readonly number[] {
    const { workspaceId } = this.owner;
    return Array.from(this.#ready.keys(), (limit) => limit?.hasRoomAtMs(workspaceId) ?? 0);
  }

  mayBegin(nowMs: number): boolean {
    // After a write that failed nothing begins until one succeeds: what cannot be written would be asked twice.
    if (this.#isUnsure || nowMs < this.#restsUntilMs) return false;
    // A process that was asleep, or learned late which chunks it took, does not know which it still holds.
    for (const { held } of this.chunks.keys()) if (!held.isSure()) return false;
    return true;
  }

  follow(state: BatchState): void {
    this.#state = state;
  }

  /** `done`: indexes of requests whose result was written by a process that held it before. */
  takeChunk(held: HeldChunk, done: ReadonlySet<number>): void {
    // This process held it until the lease lapsed: what is left of that would be asked and written a second time.
    for (const chunk of this.chunks.keys())
      if (chunk.held.lease.id === held.lease.id) this.dropChunk(chunk);
    // Lost while it was asked what is done of it: nothing would tell that any more.
    if (held.signal.aborted) return;
    const chunk = this.#items.add(held, done);
    held.signal.addEventListener("abort", () => this.loseChunk(chunk));
  }

  /** What its requests are read from. */
  setContent(chunk: Chunk, content: Content): void {
    this.#items.setContent(chunk, content);
  }

  /** It is lost, and its lease is renewed no more. */
  dropChunk(chunk: Chunk): void {
    chunk.held.end();
    this.loseChunk(chunk);
  }

  /** This process may no longer write for it: what runs is ended, what was to be written is forgotten. */
  loseChunk(chunk: Chunk): void {
    if (!this.chunks.has(chunk)) return;
    this.#items.remove(chunk);
    for (const [item, abort] of this.#running) if (item.chunk === chunk) abort.abort(lost);
    for (const item of this.#pausing) if (item.chunk === chunk) this.#pausing.delete(item);
    for (const [limit, queue] of this.#ready) {
      const kept = queue.filter(({ item }) => item.chunk !== chunk);
      if (kept.length > 0) this.#ready.set(limit, kept);
      else this.#ready.delete(limit);
    }
    this.#keepFinished((one) => one.chunk !== chunk);
  }

  /** The first item that is to be read. */
  nextWaiting(nowMs: number): WaitingItem | undefined {
    return this.#items.nextWaiting(nowMs);
  }

  /** It waited, was read, and begins when its upstream has room. */
  prepare(item: PreparedItem, original: OriginalBody): void {
    this.#items.leaveWaiting(item, "ready");
    this.#addReady({ item, original });
  }

  /** It waited, and has its result without an attempt. */
  resolve(finished: FinishedItem): void {
    this.#items.leaveWaiting(finished, "finished");
    this.#addFinished(finished);
  }

  /** The first item that is ready and whose upstream has room. */
  begin(): Attempt | undefined {
    for (const [limit, queue] of this.#ready) {
      if (limit?.hasRoom(this.owner.workspaceId) === false) continue;
      const next = queue.shift();
      assert(next !== undefined, "a queue without items was kept");
      if (queue.length === 0) this.#ready.delete(limit);
      const { item, original } = next;
      this.#items.move(item, "ready", "running");
      const abort = new AbortController();
      this.#running.set(item, abort);
      return { batch: this, item, original, signal: abort.signal };
    }
    return undefined;
  }

  finish(item: PreparedItem, finished: FinishedItem): void {
    if (!this.#endAttempt(item)) return;
    this.#items.move(finished, "running", "finished");
    this.#addFinished(finished);
  }

  /** Another attempt comes, and not before then. */
  pause(item: PreparedItem, attempts: number, dueMs: number): void {
    if (!this.#endAttempt(item)) return;
    this.#items.move(item, "running", "pausing");
    this.#pausing.add({ ...item, attempts, dueMs });
  }

  /** Its attempt was ended from outside, and says nothing. */
  putBack(item: PreparedItem): void {
    if (this.#endAttempt(item)) this.#items.waitAgain(item, "running");
  }

  abortAll(reason: Error): void {
    for (const abort of this.#running.values()) abort.abort(reason);
  }

  /** Its rest is over; items whose pause is over are ready. */
  resume(nowMs: number): void {
    this.#restsUntilMs = 0;
    for (const item of this.#pausing) {
      if (item.dueMs > nowMs) continue;
      this.#pausing.delete(item);
      this.#items.move(item, "pausing", "ready");
      this.#addReady({ item, original: undefined });
    }
  }

  /** All but what runs is put back, and content that nothing running needs is dropped: others could not be read. */
  rest(untilMs: number): void {
    this.#restsUntilMs = untilMs;
    for (const item of this.#pausing) this.#items.waitAgain(item, "pausing");
    this.#pausing.clear();
    for (const { item } of [...this.#ready.values()].flat()) this.#items.waitAgain(item, "ready");
    this.#ready.clear();
    const needed = new Set(Array.from(this.#running.keys(), ({ chunk }) => chunk));
    for (const [chunk, { content }] of this.chunks)
      if (!needed.has(chunk) && Buffer.isBuffer(content)) this.setContent(chunk, undefined);
  }

  /** They stay its own until the end of their write is known. */
  takeFinished(): ResultGroup {
    assert(this.#writing === undefined, "results of a batch are written twice at a time");
    const items = firstGroup(this.#finished);
    const completes = this.#items.completedBy(items);
    this.#writing = { batchId: this.id, items, completes, isUnsure: this.#isUnsure };
    return this.#writing;
  }

  /** Of the group that was taken; the rest of it is left to the processes that hold its chunks by now. */
  wrote(written: ReadonlySet<FinishedItem>): void {
    const { items, completes } = this.#groupTaken();
    const gone = new Set(items);
    assert(written.isSubsetOf(gone), "a result was written that was not taken to be written");
    this.#isUnsure = false;
    this.#keepFinished((one) => !gone.has(one));
    for (const one of items) {
      if (!written.has(one)) this.dropChunk(one.chunk);
      else if (this.chunks.has(one.chunk)) this.#items.move(one, "finished", "written");
    }
    for (const chunk of completes) if (this.chunks.has(chunk)) this.#items.complete(chunk);
  }

  /** They stay, to be tried again: whether they were written is unknown. */
  couldNotWrite(): void {
    this.#groupTaken();
    this.#isUnsure = this.#finished.length > 0;
  }

  endWriting(nowMs: number): void {
    this.#groupTaken();
    this.#writing = undefined;
    this.#writtenMs = nowMs;
  }

  #groupTaken(): ResultGroup {
    assert(this.#writing !== undefined, "no results of the batch are being written");
    return this.#writing;
  }

  /** False where its chunk was lost meanwhile: whatever became of it, another process does it. */
  #endAttempt(item: PreparedItem): boolean {
    assert(this.#running.delete(item), "an attempt ended that was not under way");
    return this.chunks.has(item.chunk);
  }

  #addReady(ready: ReadyItem): void {
    const { concurrencyLimit } = ready.item;
    const queue = this.#ready.get(concurrencyLimit);
    if (queue === undefined) this.#ready.set(concurrencyLimit, [ready]);
    else queue.push(ready);
  }

  #addFinished(finished: FinishedItem): void {
    this.#finished.push(finished);
    this.#unwrittenBytes += finished.line.length;
  }

  #keepFinished(isKept: (finished: FinishedItem) => boolean): void {
    this.#finished = this.#finished.filter(isKept);
    this.#unwrittenBytes = this.#finished.reduce((sum, { line }) => sum + line.length, 0);
    // Without results of its own to write, this process need not know how the write ended.
    if (this.#finished.length === 0) this.#isUnsure = false;
  }
}

const lost = new Error("another process has these requests now");
