// Blobs in a local directory: a file per key, whole and durable, or not there.
import { randomBytes } from "node:crypto";
import { link, mkdir, open, readdir, rm, stat, unlink, type FileHandle } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, resolve } from "node:path";
import { Readable } from "node:stream";
import { systemClock, type Clock } from "../base/clock.ts";
import { conflict, notFound, tooLarge } from "../base/failure.ts";
import { systemRandom, type Random } from "../base/random.ts";
import type { BlobContent, BlobInfo, Blobs } from "./blobs.ts";
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
  writeAll,
} from "./disk.ts";
import { assertKey, assertPrefix } from "./keys.ts";
import { assertStoreId, claimStoreId, readStoreId } from "./store-id.ts";

export interface LocalBlobsOptions {
  directory: string;
  /** The store that the database belongs to: a directory of another one, or of none, is refused and left as it is. */
  storeId?: string;
  clock?: Clock;
  random?: Random;
  /** How long a stream of `read` may stand still before its file is closed. */
  readIdleMs?: number;
}

export interface LocalBlobs extends Blobs {
  readonly directory: string;
  readonly storeId: string;
  /** Throws an ExitError when the directory is another store than the database says. */
  checkStoreId(expected: string): void;
}

const readIdleMs = 300_000;
/** Another machine's unfinished files in a shared directory: no upload runs for a day. */
const foreignUnfinishedMs = 86_400_000;
/**
 * Losing the directory to a delete between two system calls is rare; ten times in a row is a
 * defect.
 */
const linkAttemptsMax = 10;

/**
 * Tells this process's unfinished files from those of an earlier one with the same number (a
 * container's is always 1).
 */
const processMark = randomBytes(6).toString("hex");
const host = hostname().replaceAll(/[^A-Za-z0-9-]/g, "_");
let unfinishedCount = 0;

export async function openLocalBlobs(options: LocalBlobsOptions): Promise<LocalBlobs> {
  const { clock = systemClock, random = systemRandom } = options;
  const directory = resolve(options.directory);
  const objects = `${directory}/objects`;
  const unfinished = `${directory}/unfinished`;
  if (options.storeId !== undefined)
    assertStoreId(directory, await readStoreId(directory), options.storeId);
  await mkdir(objects, { recursive: true, mode: directoryMode });
  await mkdir(unfinished, { recursive: true, mode: directoryMode });
  await syncDirectory(directory);
  await syncDirectory(dirname(directory)).catch((error: unknown) => {
    if (codeOf(error) !== "EACCES") throw error; // the directory above may be closed to us
  });
  const storeId = await claimStoreId(directory, random);
  await removeLeftovers(unfinished, clock);

  return {
    directory,
    storeId,
    checkStoreId: (expected) => assertStoreId(directory, storeId, expected),
    put: async (key, content, putOptions) => {
      // A source may fail before the first byte is asked for; without a listener, its error would end the
      // process.
      if (content instanceof Readable) content.on("error", () => {});
      try {
        const path = pathOf(objects, key);
        const temporary = await writeUnfinished(unfinished, content, putOptions?.bytesMax);
        try {
          await publish(temporary.path, path, objects, key);
        } finally {
          await rm(temporary.path, { force: true });
        }
        return { key, bytes: temporary.bytes };
      } catch (error) {
        if (content instanceof Readable) content.destroy();
        throw asDiskFailure(error);
      }
    },
    stat: (key) => statKey(objects, key),
    read: async (key, range) => {
      const handle = await openForReading(pathOf(objects, key), key);
      return streamRange(handle, key, range, options.readIdleMs ?? readIdleMs);
    },
    delete: async (key) => {
      const path = pathOf(objects, key);
      try {
        await unlink(path);
      } catch (error) {
        if (isAbsent(error)) return;
        throw asDiskFailure(error);
      }
      await removeEmptyDirectories(dirname(path), objects);
    },
    list: (prefix) => listKeys(objects, prefix),
  };
}

function pathOf(objects: string, key: string): string {
  assertKey(key);
  return `${objects}/${key}`;
}

const isAbsent = (error: unknown) => codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";

/** The whole content, flushed, in a file that no reader sees; on any error no file at all. */
async function writeUnfinished(
  directory: string,
  content: BlobContent,
  bytesMax = Infinity,
): Promise<{ path: string; bytes: number }> {
  const path = `${directory}/${host}.${process.pid}.${processMark}.${unfinishedCount++}`;
  const handle = await open(path, "wx", fileMode);
  let bytes = 0;
  try {
    for await (const piece of Buffer.isBuffer(content) ? [content] : content) {
      const chunk: Buffer = Buffer.isBuffer(piece) ? piece : Buffer.from(piece as string);
      if (bytes + chunk.length > bytesMax)
        throw tooLarge(`This is larger than the ${bytesMax} bytes that fit here.`);
      await writeAll(handle, chunk, bytes);
      bytes += chunk.length;
    }
    await handle.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return { path, bytes };
}

/** A link and not a rename: of two writers of one key, the second must fail and not replace. */
async function publish(
  temporary: string,
  path: string,
  objects: string,
  key: string,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await makeDurableDirectory(dirname(path), objects);
      await link(temporary, path);
      return await syncDirectory(dirname(path));
    } catch (error) {
      const code = codeOf(error);
      const isTaken = code === "EEXIST" && Object(error).syscall === "link";
      // A delete that took the directory away in between shows as any of these; a name in the way
      // as well.
      const mayPass = ["ENOENT", "ENOTDIR", "EEXIST"].includes(code);
      if (mayPass && !isTaken && attempt < linkAttemptsMax) continue;
      if (code !== "EEXIST" && code !== "ENOTDIR") throw error;
      throw conflict(`The blob ${key} is already there, or its name is taken.`, {
        code: "blob_exists",
        cause: error,
      });
    }
  }
}

async function openForReading(path: string, key: string): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    handle = await open(path, "r");
  } catch (error) {
    if (isAbsent(error)) throw notFound("blob", key, { cause: error });
    throw asDiskFailure(error);
  }
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw notFound("blob", key);
}

async function streamRange(
  handle: FileHandle,
  key: string,
  range: { start: number; end: number } | undefined,
  idleMs: number,
): Promise<Readable> {
  const { size } = await handle.stat();
  const { start, end } = range ?? { start: 0, end: size };
  if (start >= 0 && start <= end && end <= size) return streamFile(handle, { start, end, idleMs });
  await handle.close();
  throw new RangeError(`The blob ${key} has ${size} bytes; [${start}, ${end}) is not inside.`);
}

async function statKey(objects: string, key: string): Promise<BlobInfo | undefined> {
  try {
    const found = await stat(pathOf(objects, key));
    return found.isFile() ? { key, bytes: found.size } : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

async function* listKeys(objects: string, prefix: string): AsyncIterable<BlobInfo> {
  assertPrefix(prefix);
  for await (const key of walkFiles(objects, prefix)) {
    const info = await statKey(objects, key);
    if (info) yield info;
  }
}

/** Files of processes that are gone. Those of living ones stay: workers open the same directory. */
async function removeLeftovers(directory: string, clock: Clock): Promise<void> {
  for (const name of await readdir(directory)) {
    const [owner, pid, mark] = name.split(".");
    const path = `${directory}/${name}`;
    const found = await stat(path).catch(() => undefined);
    if (found === undefined || mark === processMark) continue;
    const isOld = clock.now().getTime() - found.mtimeMs > foreignUnfinishedMs;
    if (isOld || (owner === host && isGone(Number(pid)))) await rm(path, { force: true });
  }
}

function isGone(pid: number): boolean {
  // With another mark than this process's: an earlier process had its number.
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === "ESRCH";
  }
}
