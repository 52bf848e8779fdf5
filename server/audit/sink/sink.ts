// Where lines of the audit log go: the end of a file, or a post to an address of the operator's.
import { constants, type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { syncDirectory } from "../../../kernel/blob/disk.ts";
import type { World } from "../../../kernel/context.ts";
import { OutsideFailure } from "../../../kernel/http/outside/failure.ts";
import { fetchOutside } from "../../../kernel/http/outside/fetch.ts";
import type { ExportTarget, HttpTarget } from "./settings.ts";

/** Returns when the lines are safely there; after a failure none, some or all of them may be. */
export type Sink = (lines: string, signal: AbortSignal) => Promise<void>;

/** Why lines were not taken: a sentence without a subject, and without the address or the secret. */
export class SinkFailure extends Error {
  /** Fewer lines might be taken. */
  readonly isTooLarge: boolean;

  constructor(message: string, { isTooLarge = false, cause }: SinkFailureOptions = {}) {
    super(message, { cause });
    this.name = "SinkFailure";
    this.isTooLarge = isTooLarge;
  }
}
interface SinkFailureOptions {
  isTooLarge?: boolean;
  cause?: unknown;
}

export const sinkTo = (world: Pick<World, "sections" | "outside">, target: ExportTarget): Sink =>
  target.kind === "file"
    ? (lines) => appendTo(target.path, lines)
    : (lines, signal) => post(world, target, lines, signal);

/** The group may read it: programs that ship logs are seldom the server's own user. */
const fileMode = 0o640;
const newline = 0x0a;

/**
 * Opened by its path each time: a file that was renamed, or removed, by what rotates it is made anew. Where a process
 * died in the middle of a line, that line is ended first: it comes again, whole.
 */
async function appendTo(path: string, lines: string): Promise<void> {
  try {
    // Without waiting: opening a pipe that has no reader would take for ever.
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;
    const handle = await open(path, flags, fileMode);
    try {
      const { size, isRegular } = await factsOf(handle);
      if (!isRegular) throw new SinkFailure("is not a regular file.");
      const isTorn = size > 0 && (await lastByteOf(handle, size)) !== newline;
      await handle.appendFile(isTorn ? `\n${lines}` : lines);
      await handle.sync();
      if (size === 0) await syncDirectory(dirname(path));
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof SinkFailure) throw error;
    const { code } = error as { code?: unknown };
    if (typeof code !== "string") throw error;
    throw new SinkFailure(fileWords[code] ?? `cannot be written (${code}).`, { cause: error });
  }
}

const fileWords: Readonly<Record<string, string>> = {
  EACCES: "may not be written by the server's user.",
  EISDIR: "is a directory.",
  ENOENT: "lies in a directory that is not there.",
  ENOSPC: "lies on a disk that is full.",
  EROFS: "lies on a disk that is read-only.",
};

async function factsOf(handle: FileHandle): Promise<{ size: number; isRegular: boolean }> {
  const found = await handle.stat();
  return { size: found.size, isRegular: found.isFile() };
}

async function lastByteOf(handle: FileHandle, size: number): Promise<number | undefined> {
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0];
}

const tooLargeStatus = 413;

async function post(
  world: Pick<World, "sections" | "outside">,
  { url, header, secret, timeoutMs }: HttpTarget,
  lines: string,
  signal: AbortSignal,
): Promise<void> {
  let status: number;
  try {
    const answer = await fetchOutside(world, url, {
      method: "POST",
      headers: {
        "content-type": "application/x-ndjson",
        "user-agent": "Plinth-Audit",
        ...(secret !== undefined && { [header]: secret }),
      },
      body: lines,
      bytesMax: 0,
      ignoresBody: true,
      signal,
      timeoutMs,
    });
    ({ status } = answer);
  } catch (error) {
    if (error instanceof OutsideFailure) throw new SinkFailure(error.message, { cause: error });
    throw error;
  }
  if (status >= 200 && status < 300) return;
  const isRedirect = status >= 300 && status < 400;
  throw new SinkFailure(
    isRedirect
      ? `answered with a redirect (${status}), which is not followed.`
      : `answered with the status ${status}.`,
    { isTooLarge: status === tooLargeStatus },
  );
}
