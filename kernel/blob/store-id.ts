// The name of a blob directory, so that a database never runs against somebody else's files.
import { link, open, readFile, rm } from "node:fs/promises";
import type { Random } from "../base/random.ts";
import { Refusal } from "../base/failure.ts";
import { codeOf, fileMode, syncDirectory } from "./disk.ts";

const idPattern = /^store_[0-9a-f]{32}$/;

/**
 * The directory's id; a directory without one gets `wanted` or a new one. Two starters at once
 * agree.
 */
export async function claimStoreId(
  directory: string,
  random: Random,
  wanted?: string,
): Promise<string> {
  const path = `${directory}/store-id`;
  const found = await readStoreId(path);
  if (found !== undefined) return found;
  const nonce = random.bytes(16).toString("hex");
  const temporary = `${path}.${process.pid}.${nonce}`;
  const handle = await open(temporary, "wx", fileMode);
  try {
    await handle.writeFile(`${wanted ?? `store_${nonce}`}\n`);
    await handle.sync();
    // A link fails where the name is taken; a rename would replace the id of whoever was first.
    await link(temporary, path).catch((error: unknown) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
    await syncDirectory(directory);
  } finally {
    await handle.close();
    await rm(temporary, { force: true });
  }
  const claimed = await readStoreId(path);
  if (claimed === undefined) throw new Refusal(`${path} vanished while it was being written.`);
  return claimed;
}

export function assertStoreId(directory: string, found: string, expected: string): void {
  if (found !== expected)
    throw new Refusal(
      `The files in ${directory} belong to ${found}, but the database belongs to ${expected}: ` +
        "start with the data directory and the database that go together.",
    );
}

async function readStoreId(path: string): Promise<string | undefined> {
  try {
    const id = (await readFile(path, "utf8")).trim();
    if (idPattern.test(id)) return id;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  throw new Refusal(`${path} does not hold a store id: put it back from a backup.`);
}
