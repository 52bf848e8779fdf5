// Changes what read-only folders hold, from outside. No agent writes anywhere in them: every path here is the server's.
import { closeSync, constants, openSync } from "node:fs";
import { chmod, mkdir, open, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type FolderChange, type FolderFile, SandboxError } from "../provider.ts";
import { storedName } from "./program/plan-types.ts";

/** `directory` is the descriptor of a running sandbox; it is held as long as this takes. */
export async function fillFolder(
  directory: number,
  folder: string,
  { isWhole = false, removed = [], files = [] }: FolderChange,
  unique: string,
): Promise<void> {
  const held = openSync(
    `/proc/self/fd/${directory}`,
    constants.O_RDONLY | constants.O_DIRECTORY,
  );
  const all = `/proc/self/fd/${held}`;
  const root = join(all, storedName(folder));
  try {
    if (isWhole)
      for (const name of await readdir(root))
        await rm(join(root, name), { recursive: true, force: true });
    for (const path of removed) await remove(root, path);
    for (const file of files) await put(root, file, join(all, `.new-${unique}`));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    throw new SandboxError(`The sandbox has no room for what ${folder} is to hold.`);
  } finally {
    closeSync(held);
  }
}

/** Written where no agent sees it, and moved to its place when it is whole. */
async function put(
  root: string,
  { path, content, isExecutable = false }: FolderFile,
  unfinished: string,
): Promise<void> {
  try {
    const handle = await open(unfinished, "w", 0o600);
    try {
      await handle.writeFile(content);
    } finally {
      await handle.close();
    }
    await chmod(unfinished, isExecutable ? 0o755 : 0o644);
    await makeParents(root, path);
    const place = join(root, path);
    await rename(unfinished, place).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== "EISDIR") throw error;
      await rm(place, { recursive: true });
      await rename(unfinished, place);
    });
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** A file that stands where a folder has to be goes. */
async function makeParents(root: string, path: string): Promise<void> {
  const steps = path.split("/").slice(0, -1);
  for (const index of steps.keys()) {
    const place = join(root, ...steps.slice(0, index + 1));
    try {
      await mkdir(place);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if ((await stat(place)).isDirectory()) continue;
      await rm(place);
      await mkdir(place);
    }
    await chmod(place, 0o755);
  }
}

/** With the folders that are empty then. */
async function remove(root: string, path: string): Promise<void> {
  await rm(join(root, path), { recursive: true, force: true });
  for (let above = dirname(path); above !== "."; above = dirname(above))
    try {
      await rmdir(join(root, above));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOTEMPTY") return;
      if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
    }
}
