// The growing end of a segment: a file that one owner appends to and flushes.
import assert from "node:assert/strict";
import type { FileHandle } from "node:fs/promises";
import { asDiskFailure, writeAll } from "./disk.ts";

/** The position of a record in a segment: goes into the database once the record is flushed. */
export interface Extent {
  offset: number;
  length: number;
}

export interface Tail {
  readonly length: number;
  readonly syncedLength: number;
  append(bytes: Buffer): Promise<Extent>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * After a failed write or flush the tail takes nothing more: what a kernel holds then is unknown, and a
 * second fsync may report success for bytes that the first one lost.
 */
export function growTail(handle: FileHandle, startLength: number): Tail {
  let reserved = startLength;
  let synced = startLength;
  let written: Promise<void> = Promise.resolve();
  let failure: unknown;
  let flushing: Promise<void> = Promise.resolve();
  let nextFlush: Promise<void> | undefined;

  const guarded = async (act: () => Promise<void>): Promise<void> => {
    if (failure !== undefined) throw failure;
    try {
      await act();
    } catch (error) {
      failure ??= asDiskFailure(error);
      throw failure;
    }
  };
  const flush = () =>
    guarded(async () => {
      const target = reserved;
      await written;
      if (failure !== undefined) throw failure;
      await handle.datasync();
      assert(target >= synced, "a tail only grows");
      synced = target;
    });

  return {
    get length() {
      return reserved;
    },
    get syncedLength() {
      return synced;
    },
    append: async (bytes) => {
      const extent = { offset: reserved, length: bytes.length };
      reserved += bytes.length;
      const mine = written.then(() => guarded(() => writeAll(handle, bytes, extent.offset)));
      written = mine.catch(() => {}); // the next flush throws `failure`
      await mine;
      return extent;
    },
    sync: () => {
      // A flush that is running may have begun before the last append: the next one covers it.
      nextFlush ??= flushing.then(() => {
        nextFlush = undefined;
        const running = flush();
        flushing = running.catch(() => {});
        return running;
      });
      return nextFlush;
    },
    close: async () => {
      await written;
      await flushing;
      await handle.close();
    },
  };
}
