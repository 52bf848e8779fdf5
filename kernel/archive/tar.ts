// Reads tars entry by entry, also gzipped ones, without trust.
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { extract, type Extract } from "tar-stream";
import { Failure, invalid, tooLarge } from "../base/failure.ts";
import type { ArchiveEntry } from "./entry.ts";

export interface TarLimits {
  /** Of all that it unpacks to. */
  unpackedBytesMax: number;
  /** Beside the files that are read: padding, folders, long names, what is passed over. */
  restBytesMax: number;
  /** What an entry may have around its bytes before that counts as such a rest. */
  frameBytes: number;
}

/** Entries in their order; each is read, or passed over, before the next one comes. */
export async function* readTar(
  body: AsyncIterable<Buffer>,
  limits: TarLimits,
): AsyncGenerator<ArchiveEntry> {
  const counts = { unpacked: 0, taken: 0, tail: Buffer.alloc(0) };
  const archive = extract({ filenameEncoding: "latin1" } as object);
  const entries = archive[Symbol.asyncIterator]();
  void feed(archive, counted(unpacked(body), counts, limits));
  try {
    for (;;) {
      const { value: source, done } = await entries.next();
      if (done) break;
      const { header } = source;
      yield {
        name: nameOf(header),
        kind: header.type ?? "thing of an unknown kind",
        mode: (header.mode ?? 0) & 0o7777,
        bytes: header.size,
        read: async () => {
          counts.taken += header.size + limits.frameBytes;
          return whole(source as AsyncIterable<Buffer>);
        },
      };
      source.resume();
    }
  } catch (error) {
    throw asFailure(error);
  } finally {
    archive.destroy();
  }
  if (counts.tail.length < endBytes || counts.tail.some((byte) => byte !== 0))
    throw invalid(
      "The tar has no end: it was cut off where it was made or on its way. Pack it again.",
    );
}

const endBytes = 512;

async function whole(source: AsyncIterable<Buffer>): Promise<Buffer> {
  try {
    return Buffer.concat(await Array.fromAsync(source));
  } catch (error) {
    throw asFailure(error);
  }
}

/** Never rejects: what goes wrong ends the archive, and its reader gets the error. */
async function feed(archive: Extract, chunks: AsyncIterable<Buffer>): Promise<void> {
  try {
    for await (const chunk of chunks) {
      if (!archive.write(chunk)) await drained(archive);
      if (archive.destroying) return;
    }
    archive.end(null);
  } catch (error) {
    archive.destroy(error as Error);
  }
}

function drained(archive: Extract): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (archive.destroyed) return Promise.resolve();
  archive.on("drain", resolve).on("close", resolve);
  return promise.finally(() => archive.off("drain", resolve).off("close", resolve));
}

interface ByteCounts {
  unpacked: number;
  /** Of `unpacked`, what was read as files and what belongs around these. */
  taken: number;
  tail: Buffer;
}

async function* counted(
  chunks: AsyncIterable<Buffer>,
  counts: ByteCounts,
  { unpackedBytesMax, restBytesMax }: TarLimits,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    counts.unpacked += chunk.length;
    if (counts.unpacked > unpackedBytesMax)
      throw tooLarge(
        `The archive unpacks to more than ${unpackedBytesMax} bytes, the most that is taken.`,
      );
    if (counts.unpacked - counts.taken > restBytesMax)
      throw tooLarge(
        `The archive unpacks to far more than its files hold: folders, padding and what is skipped take over ${restBytesMax} bytes. Pack only the files that are wanted.`,
      );
    counts.tail = Buffer.concat([counts.tail, chunk.subarray(-endBytes)]).subarray(-endBytes);
    yield chunk;
  }
}

/** By its first bytes: the client need not say which of the two it is. */
async function* unpacked(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]();
  const all = { [Symbol.asyncIterator]: () => chunks };
  try {
    let start = Buffer.alloc(0);
    while (start.length < 2) {
      const { value, done } = await chunks.next();
      if (done) break;
      start = Buffer.concat([start, value]);
    }
    if (start.length === 0) throw invalid("The body is empty: send the tar as it is.");
    async function* fromStart() {
      yield start;
      yield* all;
    }
    yield* start[0] === 0x1f && start[1] === 0x8b ? gunzipped(fromStart()) : fromStart();
  } finally {
    await chunks.return?.();
  }
}

async function* gunzipped(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  const feeding = pipeline(body, gunzip).catch((error: unknown) => gunzip.destroy(error as Error));
  try {
    yield* gunzip as AsyncIterable<Buffer>;
  } finally {
    gunzip.destroy();
    await feeding;
  }
}

/** Long names come as UTF-8 and short ones as bytes. */
function nameOf(header: { name: string; pax?: unknown }): string | undefined {
  const { path } = (header.pax ?? {}) as { path?: string };
  if (path !== undefined) return path;
  const bytes = Buffer.from(header.name, "latin1");
  const name = bytes.toString("utf8");
  return Buffer.from(name).equals(bytes) ? name : undefined;
}

/** What the two decoders say of bytes that are none of theirs. */
function asFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Failure) return error;
  const { code = "" } = error as Error & { code?: string };
  if (code.startsWith("Z_"))
    return invalid("The body is not whole gzip: it is cut off or broken. Pack it again.");
  if (/end of data/i.test(error.message))
    return invalid("The tar ends in the middle of a file: it was cut off. Pack it again.");
  if (/invalid tar header|invalid header|header exceeds/i.test(error.message))
    return invalid("The body is no tar, plain or gzipped, or is broken. Pack it again.");
  return error;
}
