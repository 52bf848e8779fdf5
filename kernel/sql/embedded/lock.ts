// A lock between processes that the kernel releases when its holder dies: SQLite's lock on an empty file.
import { chmodSync, closeSync, existsSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../base/clock.ts";
import { ExitError } from "../../base/failure.ts";

const retryMs = 15;
/** Longer than the slowest thing done under it: making a new cluster on a busy machine. */
const waitMsMax = 180_000;
/** How long a process that only tests whether the lock is held may keep it. */
const glanceMsMax = 200;
const sqliteBusy = 5;

/** Runs `work` alone among all processes that name this file. */
export async function withLock<T>(path: string, clock: Clock, work: () => Promise<T>): Promise<T> {
  const unlock = await lock(path, clock);
  try {
    return await work();
  } finally {
    unlock();
  }
}

async function lock(path: string, clock: Clock): Promise<() => void> {
  const deadlineMs = clock.monotonicMs() + waitMsMax;
  const file = openFile(path);
  for (;;) {
    try {
      file.exec("begin exclusive");
      return () => file.close();
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== sqliteBusy) {
        file.close();
        throw new ExitError(
          `The lock ${path} cannot be taken: ${(error as Error).message}.`,
          1,
          error,
        );
      }
    }
    if (clock.monotonicMs() > deadlineMs) {
      file.close();
      throw new ExitError(
        `Another process has been starting or stopping the built-in database for ${waitMsMax / 1000} s (it holds ${path}): look at that process first.`,
      );
    }
    await clock.sleep(retryMs);
  }
}

/** Takes the lock for as long as this process lives, or undefined when another process holds it. */
export function tryLock(path: string): (() => void) | undefined {
  const file = openFile(path, glanceMsMax);
  try {
    file.exec("begin exclusive");
    return () => file.close();
  } catch (error) {
    file.close();
    if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined;
    throw new ExitError(`The lock ${path} cannot be taken: ${(error as Error).message}.`, 1, error);
  }
}

/** Whether some process holds it just now. */
export function isLocked(path: string): boolean {
  const file = existsSync(path) ? openFile(path) : undefined;
  try {
    // A lock for reading: gone again before a process that wants the whole lock gives up.
    file?.exec("begin; select count(*) from sqlite_schema");
    return false;
  } catch (error) {
    return (error as { errcode?: number }).errcode === sqliteBusy;
  } finally {
    file?.close();
  }
}

function openFile(path: string, timeout = 0): DatabaseSync {
  try {
    makeOwn(path);
    return new DatabaseSync(path, { timeout });
  } catch (error) {
    throw new ExitError(
      `This process may not write to ${dirname(path)} (${(error as Error).message}): choose another --data-dir, or change its permissions.`,
      1,
      error,
    );
  }
}

/**
 * A user who can read the file can lock it and keep its owner out, so no other user may. By its name, because closing
 * a descriptor of the file would give up the lock that this process may hold.
 */
function makeOwn(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return makeNew(path);
  if ((found.mode & 0o077) !== 0 && found.uid === process.getuid?.()) chmodSync(path, 0o600);
}

function makeNew(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
