// The name of a blob directory, so that a database never runs against the files of another one.
import { link, open, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Random } from "../base/random.ts";
import { ExitError } from "../base/failure.ts";
import { codeOf, fileMode, syncDirectory, walkFiles } from "./disk.ts";

const idPattern = /^store_[0-9a-f]{32}$/;

/** The directory's id; a directory without one gets a new one. Two processes that start at once get the same. */
export async function claimStoreId(directory: string, random: Random): Promise<string> {
  const path = pathIn(directory);
  const found = await readStoreId(directory);
  if (found !== undefined) return found;
  const nonce = random.bytes(16).toString("hex");
  const temporary = `${path}.${process.pid}.${nonce}`;
  const handle = await open(temporary, "wx", fileMode);
  try {
    await handle.writeFile(`store_${nonce}\n`);
    await handle.sync();
    // A link fails where the name is taken; a rename would replace the id of the process that was first.
    await link(temporary, path).catch((error: unknown) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
    await syncDirectory(directory);
  } finally {
    await handle.close();
    await rm(temporary, { force: true });
  }
  const claimed = await readStoreId(directory);
  if (claimed === undefined) throw new ExitError(`${path} vanished while it was being written.`);
  return claimed;
}

export function assertStoreId(
  directory: string,
  found: string | undefined,
  expected: string,
): void {
  const what =
    found === undefined
      ? `The files of the database, ${expected}, are not in ${directory}`
      : `The files in ${directory} belong to ${found}, but the database belongs to ${expected}`;
  if (found !== expected)
    throw new ExitError(
      `${what}: start with the data directory and the database that go together, or with --adopt-blobs if the database's files are lost for good.`,
    );
}

const pathIn = (directory: string) => `${directory}/store-id`;

export async function readStoreId(directory: string): Promise<string | undefined> {
  const path = pathIn(directory);
  try {
    const id = (await readFile(path, "utf8")).trim();
    if (idPattern.test(id)) return id;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  throw new ExitError(`${path} does not hold a store id: put it back from a backup.`);
}

/**
 * Gives an empty directory the id that a database expects whose own blobs are lost for good. Files that are there
 * belong to another database, which would lose them: then it refuses.
 */
export async function adoptDirectory(directory: string, storeId: string): Promise<void> {
  for (const name of ["objects", "tails"])
    for await (const path of walkFiles(join(directory, name)))
      throw new ExitError(
        `${directory} is not empty (it holds ${name}/${path}), so nothing is adopted: move what belongs to another database away, or put these files' own store-id back.`,
      );
  const path = join(directory, "store-id");
  await rm(path, { force: true });
  await writeFile(path, `${storeId}\n`, { mode: fileMode, flush: true });
  await syncDirectory(directory);
}
