// Immutable bytes under a name: what a local directory and an S3-compatible store can both do.
import type { Readable } from "node:stream";

export interface BlobInfo {
  key: string;
  bytes: number;
}

/** The store has finished with each piece before it asks for the next: they may share their memory. */
export type BlobContent = Readable | Buffer | AsyncIterable<Buffer>;

export interface Blobs {
  /** Stores the whole stream durably, or nothing. A key is written once; writing it again is an error. */
  put(key: string, content: BlobContent, options?: { bytesMax?: number }): Promise<BlobInfo>;
  stat(key: string): Promise<BlobInfo | undefined>;
  /** Bytes [start, end); the whole blob without a range. */
  read(key: string, range?: { start: number; end: number }): Promise<Readable>;
  delete(key: string): Promise<void>;
  list(prefix: string): AsyncIterable<BlobInfo>;
}
