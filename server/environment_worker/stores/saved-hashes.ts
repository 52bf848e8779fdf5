// What the files of a mounted store were when both sides were last brought together, kept for the next start of the
// worker: where they differ then, it says which side has changed.
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseShallow } from "../../../kernel/base/json.ts";

/** Hashes by path. */
export interface SavedHashes {
  read(): Promise<ReadonlyMap<string, string>>;
  /** Nothing is written where nothing has changed. */
  write(hashes: ReadonlyMap<string, string>): Promise<void>;
}

/** Of the sessions of one worker: `directory` is its own. */
export function savedHashesIn(directory: string) {
  const folderOf = (sessionId: string) => join(directory, "stores", sessionId);
  return {
    of(sessionId: string, storeId: string): SavedHashes {
      // It becomes the name of a file on this machine.
      if (!/^[A-Za-z0-9_-]{1,128}$/.test(storeId)) throw new Error("a memory store has no id.");
      return savedAt(folderOf(sessionId), `${storeId}.json`);
    },
    forget: (sessionId: string) => rm(folderOf(sessionId), { recursive: true, force: true }),
  };
}

function savedAt(folder: string, name: string): SavedHashes {
  const file = join(folder, name);
  let last: string | undefined;
  return {
    async read() {
      const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return undefined;
        throw error;
      });
      // A worker that was killed while it wrote leaves the file before: this one is whole.
      return new Map(text === undefined ? [] : (parseShallow(text) as [string, string][]));
    },
    async write(hashes) {
      const text = JSON.stringify([...hashes]);
      if (text === last) return;
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(`${file}.new`, text, { mode: 0o600 });
      await rename(`${file}.new`, file);
      last = text;
    },
  };
}
