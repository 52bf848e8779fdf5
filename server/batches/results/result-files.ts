// The files that this process writes results into: one of each batch, which grows while the process works on it.
import { deleteSegment, openSegment, type Segment } from "../../../kernel/blob/segments.ts";
import type { World } from "../../../kernel/context.ts";
import { segmentKey } from "../blob-keys.ts";
import { takeSegment } from "../queries-work.ts";

/** It is good up to `bytes`. */
export interface ResultFile {
  readonly number: number;
  readonly file: Segment;
  readonly bytes: number;
}

export interface ResultFiles {
  /** Taken away until the end of a write is known: what stands behind the last good byte must never be read. */
  take(batchId: string): Promise<ResultFile>;
  keep(batchId: string, file: ResultFile): void;
  /** Nothing more is written for this batch. */
  leave(batchId: string): Promise<void>;
  close(): Promise<void>;
}

export function makeResultFiles({ db, blobs, segmentOptions }: World): ResultFiles {
  const files = new Map<string, ResultFile>();
  return {
    take: async (batchId) => {
      const kept = files.get(batchId);
      files.delete(batchId);
      if (kept !== undefined) return kept;
      const number = await takeSegment(db, batchId);
      const file = await openSegment(blobs, segmentKey(batchId, number), segmentOptions);
      return { number, file, bytes: 0 };
    },
    keep: (batchId, file) => void files.set(batchId, file),
    leave: async (batchId) => {
      const kept = files.get(batchId);
      files.delete(batchId);
      await kept?.file.close();
      // One that was begun and never written to may have come too late for the job that seals the others.
      if (kept?.bytes === 0)
        await deleteSegment(blobs, segmentKey(batchId, kept.number), segmentOptions);
    },
    close: async () => {
      for (const { file } of files.values()) await file.close();
    },
  };
}
