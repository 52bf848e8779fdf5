// Durable files: what has to be flushed so that a file still stands after a power cut, and what a
// full disk says.
import { mkdir, open, readdir, rmdir, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { unavailable } from "../base/failure.ts";

export const directoryMode = 0o700;
export const fileMode = 0o600;

/** One read from the disk; larger ones gain nothing measurable and hold memory per stream. */
const readBytesMax = 256 * 1024;

/** A name in a directory is durable only after the directory itself was flushed. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Makes `path` below `root` and flushes every directory from `path` up to `root`, also those that were
 * there: another process may have made them a moment ago without having flushed them yet.
 */
export async function makeDurableDirectory(path: string, root: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: directoryMode });
  for (let at = path; at !== root; at = dirname(at)) await syncDirectory(dirname(at));
}

/**
 * After a file in `path` was removed: removes `path` and its parents below `root` as far as they are
 * empty, and flushes the first that stays, so that what is gone stays gone.
 */
export async function removeEmptyDirectories(path: string, root: string): Promise<void> {
  for (let at = path; at !== root; at = dirname(at)) {
    try {
      await rmdir(at);
    } catch (error) {
      const code = codeOf(error);
      if (code === "ENOENT") continue; // another delete was here
      if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
      try {
        return await syncDirectory(at);
      } catch (gone) {
        if (codeOf(gone) !== "ENOENT") throw gone;
      }
    }
  }
  await syncDirectory(root);
}

export async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

export interface FileStreamOptions {
  start: number;
  end: number;
  /** A stream that is not read from for this long is destroyed, and its file closed. */
  idleMs: number;
}

/**
 * Bytes [start, end) as a stream that owns the handle: it closes it at the end, on destroy, and
 * when forgotten.
 */
export function streamFile(
  handle: FileHandle,
  { start, end, idleMs }: FileStreamOptions,
): Readable {
  let position = start;
  const idle = setTimeout(() => {
    stream.destroy(new Error(`Nobody read from this stream for ${idleMs / 1000} s.`));
  }, idleMs);
  idle.unref();
  const readNext = async (): Promise<Buffer | null> => {
    idle.refresh();
    const length = Math.min(readBytesMax, end - position);
    if (length <= 0) return null;
    const { bytesRead, buffer } = await handle.read(
      Buffer.allocUnsafe(length),
      0,
      length,
      position,
    );
    if (bytesRead === 0) throw new Error(`The file ended at ${position}, before ${end}.`);
    position += bytesRead;
    return buffer.subarray(0, bytesRead);
  };
  let reading: Promise<unknown> = Promise.resolve();
  const stream = new Readable({
    highWaterMark: readBytesMax,
    read() {
      reading = readNext().then(
        (chunk) => this.push(chunk),
        (error: Error) => this.destroy(error),
      );
    },
    destroy(reason, settle) {
      clearTimeout(idle);
      void reading
        .then(() => handle.close())
        .then(
          () => settle(reason),
          (failed: Error) => settle(reason ?? failed),
        );
    },
  });
  // An abandoned stream has no listener either; without one, its error would end the process.
  stream.on("error", () => {});
  return stream;
}

/** Every file below `directory` with its path relative to it, in the order of the paths' bytes. */
export async function* walkFiles(directory: string, prefix = "", at = ""): AsyncIterable<string> {
  const entries = await readdir(`${directory}/${at}`, { withFileTypes: true }).catch(
    (error: unknown) => {
      if (codeOf(error) === "ENOENT") return []; // removed since its parent was read
      throw error;
    },
  );
  // "a-b" sorts before "a/b" and "a0" after it, so a directory takes part with its slash.
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  for (const name of names.sort((a, b) => (a < b ? -1 : 1))) {
    const path = at + name;
    if (!path.startsWith(prefix) && !prefix.startsWith(path)) continue;
    if (name.endsWith("/")) yield* walkFiles(directory, prefix, path);
    else if (path.startsWith(prefix)) yield path;
  }
}

export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : "";
}

/** A full disk is a passing state of the machine, not a bug. */
export function asDiskFailure(error: unknown): unknown {
  switch (codeOf(error)) {
    case "ENOSPC":
    case "EDQUOT":
    case "EFBIG":
      return unavailable("The disk of the data directory is full; nothing was kept.", 30, {
        code: "disk_full",
        cause: error,
      });
    case "EROFS":
    case "EIO":
      return unavailable("The disk of the data directory does not take writes just now.", 30, {
        code: "disk_failing",
        cause: error,
      });
    case "EMFILE":
    case "ENFILE":
      return unavailable("Too many files are open on this machine; try again.", 1, {
        cause: error,
      });
    default:
      return error;
  }
}
