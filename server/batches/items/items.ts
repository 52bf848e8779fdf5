// What a request of a batch is to the process that works on it, from when it waits in its chunk to its result.
import type { LoggedRequest } from "../../requests/module.ts";
import type { Held, Holder } from "../../../kernel/work/hold.ts";
import type { Lease } from "../../../kernel/work/lease.ts";
import type { SettledHop } from "../../messages/module.ts";
import type { ConcurrencyLimit } from "../pacing/concurrency-limit.ts";
import type { ChunkRow } from "../queries-work.ts";
import type { ResultType } from "../schema.ts";
import { workLimits } from "../work/limits.ts";

/** Where an item stands. Those of a lost chunk stand nowhere any more. */
export type Stage = "waiting" | "ready" | "running" | "pausing" | "finished" | "written";

export type HeldChunk = Held<ChunkRow & Lease>;
export type ChunkHolder = Holder<ChunkRow & Lease>;

export type StageCounts = Readonly<Record<Stage, number>>;

export const unbegun = ({ waiting, ready, pausing }: StageCounts) => waiting + ready + pausing;

/** Requests that this process has taken together, under one lease. */
export interface Chunk {
  readonly held: HeldChunk;
  readonly row: ChunkRow;
  /** Where the params of each request begin in its content. */
  readonly starts: readonly number[];
  readonly bytes: number;
}

export interface Item {
  readonly chunk: Chunk;
  readonly position: number;
}

/** To be read, for the first time or again. */
export interface WaitingItem extends Item {
  readonly attempts: number;
  /** Before this another attempt makes no sense. */
  readonly dueMs: number;
}

export interface PreparedItem extends WaitingItem {
  readonly bytes: Buffer;
  /** Undefined for what no upstream will be asked about. */
  readonly concurrencyLimit: ConcurrencyLimit | undefined;
}

export interface FinishedItem extends Item {
  readonly customId: string;
  readonly type: ResultType;
  /** Rule BAT8: of those that succeeded. */
  readonly isRefusal: boolean;
  readonly line: Buffer;
  readonly settledHops: readonly SettledHop[];
  /** Its row in the request log; none of what was canceled or has expired. */
  readonly logged: LoggedRequest | undefined;
}

/** Results that are written together. */
export interface ResultGroup {
  readonly batchId: string;
  readonly items: readonly FinishedItem[];
  /** Chunks that have all of their results with these. */
  readonly completes: readonly Chunk[];
  /** Some may be written: how a write of them ended is not known. */
  readonly isUnsure: boolean;
}

/** Those that go together: one at least, however long it is. */
export function firstGroup(finished: readonly FinishedItem[]): readonly FinishedItem[] {
  const { groupBytesMax, groupResultsMax } = workLimits;
  let bytes = 0;
  const end = finished.findIndex(({ line }, index) => {
    bytes += line.length;
    return index > 0 && (bytes > groupBytesMax || index >= groupResultsMax);
  });
  return finished.slice(0, end === -1 ? undefined : end);
}

/** Its number within the batch. */
export const indexOf = ({ chunk, position }: Item): number => chunk.row.firstIndex + position;
