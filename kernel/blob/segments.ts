// Append-only segments: a local tail that grows and is flushed, sealed into immutable blobs once it
// is done.
import assert from "node:assert/strict";
import { mkdir, open, stat, unlink } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Readable } from "node:stream";
import { conflict, notFound } from "../base/failure.ts";
import type { Blobs } from "./blobs.ts";
import {
  asDiskFailure,
  codeOf,
  directoryMode,
  fileMode,
  makeDurableDirectory,
  removeEmptyDirectories,
  streamFile,
  syncDirectory,
  walkFiles,
} from "./disk.ts";
import { assertKey } from "./keys.ts";
import { growTail, type Extent, type Tail } from "./tail.ts";

export type { Extent } from "./tail.ts";

export interface Segment {
  readonly key: string;
  /** Bytes appended so far, flushed or not. */
  readonly length: number;
  /** Bytes that survive a power cut. */
  readonly syncedLength: number;
  /**
   * Gets its position at once, in the order of the calls; resolves when the bytes are written, not
   * yet flushed.
   */
  append(bytes: Buffer): Promise<Extent>;
  /** Flushes everything appended before the call; calls at the same time share one flush. */
  sync(): Promise<void>;
  read(range: { start: number; end: number }): Promise<Readable>;
  /** Turns the tail into immutable blobs and removes it. Nothing can be appended afterwards. */
  seal(): Promise<{ bytes: number; parts: string[] }>;
  /** Closes the file; the tail stays, for `recoverSegment`. */
  close(): Promise<void>;
}

export interface SegmentOptions {
  /** Where the tails live: a local directory that survives a restart. */
  directory: string;
  /** The size of a sealed part; must stay the same for as long as a segment lives. */
  partBytes?: number;
}

/** 64 MiB: few objects per segment, and a part still uploads to an object store in one request. */
export const segmentPartBytes = 64 * 1024 * 1024;
const readIdleMs = 300_000;

/** A new segment. One owner appends; every process may read what is committed. */
export async function openSegment(
  blobs: Blobs,
  key: string,
  options: SegmentOptions,
): Promise<Segment> {
  const path = tailPath(key, options);
  if (await blobs.stat(partKey(key, 0))) throw sealedAlready(key);
  try {
    await mkdir(options.directory, { recursive: true, mode: directoryMode });
    await makeDurableDirectory(dirname(path), dirname(resolve(options.directory)));
    const handle = await open(path, "wx+", fileMode);
    await syncDirectory(dirname(path)).catch(async (error: unknown) => {
      await handle.close();
      throw error;
    });
    return segmentOn(growTail(handle, 0), blobs, key, options, false);
  } catch (error) {
    if (codeOf(error) === "EEXIST")
      throw conflict(`The segment ${key} is already there: recover it, or take another key.`, {
        code: "segment_exists",
        cause: error,
      });
    throw asDiskFailure(error);
  }
}

/**
 * The segment as the database knows it: all bytes of the tail beyond `committedLength` are cut. Where a
 * seal had begun, the segment takes no more bytes, only `seal` again.
 */
export async function recoverSegment(
  blobs: Blobs,
  key: string,
  committedLength: number,
  options: SegmentOptions,
): Promise<Segment> {
  const path = tailPath(key, options);
  const handle = await open(path, "r+").catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") throw notFound("unsealed segment", key, { cause: error });
    throw asDiskFailure(error);
  });
  try {
    const { size } = await handle.stat();
    if (size < committedLength)
      throw new Error(
        `The tail of segment ${key} has ${size} bytes, but ${committedLength} are committed: ` +
          "the data directory is older than the database.",
      );
    await handle.truncate(committedLength);
    await handle.sync();
    const sealBegun = (await blobs.stat(partKey(key, 0))) !== undefined;
    return segmentOn(growTail(handle, committedLength), blobs, key, options, sealBegun);
  } catch (error) {
    await handle.close();
    throw asDiskFailure(error);
  }
}

function segmentOn(
  tail: Tail,
  blobs: Blobs,
  key: string,
  options: SegmentOptions,
  sealBegun: boolean,
): Segment {
  let sealing = sealBegun;
  return {
    key,
    get length() {
      return tail.length;
    },
    get syncedLength() {
      return tail.syncedLength;
    },
    append: async (bytes) => {
      if (sealing) throw sealedAlready(key);
      return await tail.append(bytes);
    },
    sync: () => tail.sync(),
    read: (range) => readSegment(blobs, key, range, options),
    seal: async () => {
      sealing = true;
      await tail.sync();
      const parts = await putParts(blobs, key, tail.length, options);
      await tail.close();
      await removeTail(key, options);
      return { bytes: tail.length, parts };
    },
    close: () => tail.close(),
  };
}

/** An empty segment gets one empty part: that it is sealed must show. */
async function putParts(
  blobs: Blobs,
  key: string,
  length: number,
  options: SegmentOptions,
): Promise<string[]> {
  const partBytes = options.partBytes ?? segmentPartBytes;
  const parts: string[] = [];
  for (let start = 0; start === 0 || start < length; start += partBytes) {
    const end = Math.min(length, start + partBytes);
    const part = partKey(key, start / partBytes);
    const there = await blobs.stat(part);
    // An earlier seal may have put more than is committed, never other bytes: a tail only grows.
    if (there === undefined) await blobs.put(part, await readTail(key, start, end, options));
    else {
      const [bytes, wanted] = [there.bytes, end - start];
      assert(bytes >= wanted, `The part ${part} has ${bytes} bytes instead of ${wanted}.`);
    }
    parts.push(part);
  }
  return parts;
}

async function readTail(
  key: string,
  start: number,
  end: number,
  options: SegmentOptions,
): Promise<Readable> {
  const handle = await open(tailPath(key, options), "r");
  return streamFile(handle, { start, end, idleMs: readIdleMs });
}

/** A committed range, whether the segment still has its tail here or is sealed. */
export async function readSegment(
  blobs: Blobs,
  key: string,
  { start, end }: { start: number; end: number },
  options: SegmentOptions,
): Promise<Readable> {
  // The tail goes only after all parts are there, so a reader that misses it finds them.
  const handle = await open(tailPath(key, options), "r").catch((error: unknown) => {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw asDiskFailure(error);
  });
  if (handle !== undefined) {
    const { size } = await handle.stat();
    if (end <= size) return streamFile(handle, { start, end, idleMs: readIdleMs });
    await handle.close();
    throw new RangeError(`The segment ${key} has ${size} bytes; [${start}, ${end}) is not inside.`);
  }
  const partBytes = options.partBytes ?? segmentPartBytes;
  return Readable.from(readParts(blobs, key, start, end, partBytes), { objectMode: false });
}

async function* readParts(
  blobs: Blobs,
  key: string,
  start: number,
  end: number,
  partBytes: number,
): AsyncIterable<Buffer> {
  for (let at = start; at < end;) {
    const part = Math.floor(at / partBytes);
    const origin = part * partBytes;
    const stop = Math.min(end, origin + partBytes);
    const range = { start: at - origin, end: stop - origin };
    yield* (await blobs.read(partKey(key, part), range)) as AsyncIterable<Buffer>;
    at = stop;
  }
}

/** Whether its bytes are here at all: a tail, or its first sealed part. */
export async function hasSegment(
  blobs: Blobs,
  key: string,
  options: SegmentOptions,
): Promise<boolean> {
  const tail = await stat(tailPath(key, options)).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw asDiskFailure(error);
  });
  return tail !== undefined || (await blobs.stat(partKey(key, 0))) !== undefined;
}

/** The segment with its tail and its parts; what is not there is no error. */
export async function deleteSegment(
  blobs: Blobs,
  key: string,
  options: SegmentOptions,
): Promise<void> {
  await removeTail(key, options);
  const parts: string[] = [];
  for await (const blob of blobs.list(`${key}/`))
    if (/^\d{6}$/.test(blob.key.slice(key.length + 1))) parts.push(blob.key);
  for (const part of parts) await blobs.delete(part);
}

/** The segments that have a tail here: after a crash, what there is to recover or to delete. */
export async function* listTails({ directory }: SegmentOptions): AsyncIterable<string> {
  for await (const path of walkFiles(directory))
    if (path.endsWith(tailSuffix)) yield path.slice(0, -tailSuffix.length);
}

// A key cannot contain "~", so a tail is never in the way of a longer key.
const tailSuffix = "~tail";

function tailPath(key: string, { directory }: SegmentOptions): string {
  assertKey(partKey(key, 0));
  return `${resolve(directory)}/${key}${tailSuffix}`;
}

const partKey = (key: string, part: number) => `${key}/${String(part).padStart(6, "0")}`;

async function removeTail(key: string, options: SegmentOptions): Promise<void> {
  const path = tailPath(key, options);
  try {
    await unlink(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  await removeEmptyDirectories(dirname(path), resolve(options.directory));
}

const sealedAlready = (key: string) =>
  conflict(`The segment ${key} is sealed: nothing can be appended to it.`, {
    code: "segment_sealed",
  });
