// A lock between processes that the kernel releases when its holder dies: SQLite's lock on an empty file.
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Clock } from "../base/clock.ts";
import { Refusal } from "../base/failure.ts";

const retryMs = 15;
/** Longer than the slowest thing done under it: making a new cluster on a busy machine. */
const waitMsMax = 180_000;
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
        throw new Refusal(
          `The lock ${path} cannot be taken: ${(error as Error).message}.`,
          1,
          error,
        );
      }
    }
    if (clock.monotonicMs() > deadlineMs) {
      file.close();
      throw new Refusal(
        `Another process has been starting or stopping the built-in database for ${waitMsMax / 1000} s (it holds ${path}): look at that process first.`,
      );
    }
    await clock.sleep(retryMs);
  }
}

/** Takes the lock for as long as this process lives, or undefined when another process holds it. */
export function holdLock(path: string): (() => void) | undefined {
  const file = openFile(path);
  try {
    file.exec("begin exclusive");
    return () => file.close();
  } catch (error) {
    file.close();
    if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined;
    throw new Refusal(`The lock ${path} cannot be taken: ${(error as Error).message}.`, 1, error);
  }
}

function openFile(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { timeout: 0 });
  } catch (error) {
    throw new Refusal(
      `This process may not write to ${dirname(path)} (${(error as Error).message}): choose another --data-dir, or change its permissions.`,
      1,
      error,
    );
  }
}
