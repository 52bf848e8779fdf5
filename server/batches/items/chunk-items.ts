// The chunks of a batch that this process holds, and where each of their items stands: in one stage at a time.
import assert from "node:assert/strict";
import type { Chunk, HeldChunk, Item, Stage, StageCounts, WaitingItem } from "./items.ts";

/** Params of a chunk's requests. */
export type Content = Buffer | "loading" | undefined;

interface ChunkState {
  content: Content;
  readonly stages: Stage[];
  /** The position of the next request that was never read. */
  next: number;
  /** Those before it that wait again. */
  readonly putBack: WaitingItem[];
}

export class ChunkItems {
  readonly #chunks = new Map<Chunk, ChunkState>();
  readonly #counts = { waiting: 0, ready: 0, running: 0, pausing: 0, finished: 0, written: 0 };

  get chunks(): ReadonlyMap<Chunk, { readonly content: Content }> {
    return this.#chunks;
  }

  get counts(): StageCounts {
    return this.#counts;
  }

  /** `done`: indexes of requests whose result was written by a process that held it before. */
  add(held: HeldChunk, done: ReadonlySet<number>): Chunk {
    const { row } = held;
    const starts: number[] = [];
    const stages: Stage[] = [];
    let bytes = 0;
    for (const [position, length] of row.lengths.entries()) {
      const stage = done.has(row.firstIndex + position) ? "written" : "waiting";
      this.#counts[stage] += 1;
      stages.push(stage);
      starts.push(bytes);
      bytes += length + 1;
    }
    const chunk = { held, row, starts, bytes };
    this.#chunks.set(chunk, { content: undefined, stages, next: 0, putBack: [] });
    return chunk;
  }

  /** With all of its items, wherever they stand. */
  remove(chunk: Chunk): void {
    for (const stage of this.#stateOf(chunk).stages) this.#counts[stage] -= 1;
    this.#chunks.delete(chunk);
    for (const count of Object.values(this.#counts)) assert(count >= 0, "counts do not agree");
  }

  complete(chunk: Chunk): void {
    assert(this.#left(chunk) === 0, "a chunk ended without all of its results");
    this.remove(chunk);
  }

  setContent(chunk: Chunk, content: Content): void {
    const state = this.#chunks.get(chunk);
    if (state !== undefined) state.content = content;
  }

  move({ chunk, position }: Item, from: Stage, to: Stage): void {
    const { stages } = this.#stateOf(chunk);
    const stage = stages[position];
    assert(stage === from, `item ${position} of a chunk is ${stage}, and not ${from}`);
    stages[position] = to;
    this.#counts[from] -= 1;
    this.#counts[to] += 1;
  }

  /** The first that is to be read; what has its result from before is passed by. */
  nextWaiting(nowMs: number): WaitingItem | undefined {
    for (const [chunk, state] of this.#chunks) {
      const due = state.putBack.find(({ dueMs }) => dueMs <= nowMs);
      if (due !== undefined) return due;
      while (state.stages[state.next] === "written") state.next += 1;
      if (state.next < state.stages.length)
        return { chunk, position: state.next, attempts: 0, dueMs: 0 };
    }
    return undefined;
  }

  leaveWaiting(item: Item, to: "ready" | "finished"): void {
    const state = this.#stateOf(item.chunk);
    this.move(item, "waiting", to);
    const at = state.putBack.findIndex(({ position }) => position === item.position);
    if (at !== -1) state.putBack.splice(at, 1);
    else assert(item.position === state.next++, "an item was read out of turn");
  }

  waitAgain(
    { chunk, position, attempts, dueMs }: WaitingItem,
    from: "ready" | "running" | "pausing",
  ): void {
    this.move({ chunk, position }, from, "waiting");
    this.#stateOf(chunk).putBack.push({ chunk, position, attempts, dueMs });
  }

  /** Chunks that have all of their results once these are written. */
  completedBy(finished: readonly Item[]): Chunk[] {
    const counts = new Map<Chunk, number>();
    for (const { chunk } of finished) counts.set(chunk, (counts.get(chunk) ?? 0) + 1);
    return [...counts].flatMap(([chunk, count]) => (count === this.#left(chunk) ? [chunk] : []));
  }

  /** Results that are not written yet. */
  #left(chunk: Chunk): number {
    return this.#stateOf(chunk).stages.filter((stage) => stage !== "written").length;
  }

  #stateOf(chunk: Chunk): ChunkState {
    const state = this.#chunks.get(chunk);
    assert(state !== undefined, "a chunk is not held");
    return state;
  }
}
