// Disk quotas: a workspace is a file system in a sparse file of a fixed size. One is kept ready, because making
// it takes longer than all the rest of a first call.
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

export interface Images {
  /** Puts a fresh image there. */
  place(file: string, bytes: number): Promise<void>;
  /** Makes one ready for the next session of this size. */
  prepare(bytes: number): Promise<void>;
  /** When what is being made is made. */
  close(): Promise<void>;
}

export function makeImages(directory: string, makeFileSystem: string): Images {
  let made = 0;
  /** By size; each is used once. */
  const spares = new Map<number, Promise<string>>();

  const makeImage = async (bytes: number): Promise<string> => {
    made += 1;
    const file = join(directory, `${made}.img`);
    try {
      const handle = await open(file, "w", 0o600);
      await handle.truncate(bytes);
      await handle.close();
      await promisify(execFile)(makeFileSystem, [...options, file], { env: {} });
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    }
    return file;
  };

  const prepare = (bytes: number): Promise<string> => {
    const spare = spares.get(bytes) ?? makeImage(bytes);
    spares.set(bytes, spare);
    // A failure is told to who takes it, and not kept.
    spare.catch(() => spares.delete(bytes));
    return spare;
  };

  return {
    async place(file, bytes) {
      const spare = prepare(bytes);
      spares.delete(bytes);
      await rename(await spare, file);
    },
    prepare: async (bytes) => void (await prepare(bytes)),
    close: async () => void (await Promise.allSettled(spares.values())),
  };
}

/** No blocks kept for root; what can be written later is; a small journal, so that a lost machine loses no files. */
const options = [
  "-q",
  "-F",
  "-t",
  "ext4",
  "-m",
  "0",
  "-J",
  "size=4",
  "-E",
  "lazy_itable_init=1,lazy_journal_init=1,nodiscard",
];

/** Whether a file system in it is mounted anywhere: its loop device goes when it is not any more. */
export function isMounted(image: string): boolean {
  const path = realpathSync(image);
  return readdirSync("/sys/block").some(
    (name) => name.startsWith("loop") && backingFileOf(name) === path,
  );
}

function backingFileOf(loop: string): string | undefined {
  try {
    return readFileSync(`/sys/block/${loop}/loop/backing_file`, "utf8").trimEnd();
  } catch {
    return undefined; // it has none, or has let go of it just now
  }
}

/** The number of a loop device that is not in use, or of one that does not exist yet; never `taken`. */
export function pickLoop(fraction: number, taken?: number): number {
  const numbers = readdirSync("/sys/block")
    .flatMap((name) => /^loop(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number);
  const free = numbers.filter(
    (number) => number !== taken && !existsSync(`/sys/block/loop${number}/loop/backing_file`),
  );
  // Another process that picks at the same moment picks another one, most of the time.
  return (
    free[Math.floor(fraction * free.length)] ??
    Math.max(-1, taken ?? -1, ...numbers) + 1 + Math.floor(fraction * 8)
  );
}
