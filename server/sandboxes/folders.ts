// Which folders there may be, and what read-only ones hold, changed from outside: no agent writes anywhere in these.
import { chmod, mkdir, open, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sandboxLimits } from "./limits.ts";
import {
  type FolderChange,
  type FolderFile,
  SandboxError,
  type SandboxFolder,
} from "./provider.ts";

/** The directory of a folder where the session has its folders. */
export const storedName = (path: string): string => path.slice("/mnt/".length).replaceAll("/", "%");

/** `directory` is where the session has its folders. */
export async function fillFolder(
  directory: string,
  folder: string,
  { isWhole = false, removed = [], files = [] }: FolderChange,
  unique: string,
): Promise<void> {
  const root = join(directory, storedName(folder));
  try {
    if (isWhole)
      for (const name of await readdir(root))
        await rm(join(root, name), { recursive: true, force: true });
    for (const path of removed) await remove(root, path);
    for (const file of files) await put(root, file, join(directory, `.new-${unique}`));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENAMETOOLONG")
      throw new SandboxError(`A path in ${folder} has a step of more than 255 bytes.`);
    if (code !== "ENOSPC") throw error;
    throw new SandboxError(`The sandbox has no room for what ${folder} is to hold.`);
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

const folderPath = /^\/mnt(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)+$/;

export function expectFolders(folders: readonly SandboxFolder[]): void {
  const { foldersMax, folderPathBytesMax } = sandboxLimits;
  if (folders.length > foldersMax)
    throw new SandboxError(`A sandbox has at most ${foldersMax} folders.`);
  for (const { path } of folders) {
    if (path.length > folderPathBytesMax || !folderPath.test(path))
      throw new SandboxError(
        "A folder lies below /mnt, in steps of letters, digits, `.`, `_` and `-`.",
      );
    const isTwice = folders.filter((other) => other.path === path).length > 1;
    // A step to a folder that the agent may write could lead elsewhere when the sandbox starts again.
    const outer = folders.find(
      (other) => other.kind !== "in_memory" && path.startsWith(`${other.path}/`),
    );
    if (isTwice) throw new SandboxError(`The folder ${path} is named twice.`);
    if (outer !== undefined)
      throw new SandboxError(`The folder ${path} lies in ${outer.path}, which is not in memory.`);
  }
}

export function expectFillable(
  folders: readonly SandboxFolder[],
  path: string,
  { removed = [], files = [] }: FolderChange,
): void {
  if (!folders.some((folder) => folder.path === path && folder.kind === "read_only"))
    throw new SandboxError(`There is no read-only folder ${path}.`);
  for (const name of [...removed, ...files.map((file) => file.path)])
    if (name.includes("\0") || name.split("/").some((step) => ["", ".", ".."].includes(step)))
      throw new SandboxError(`${JSON.stringify(name)} is no path below a folder.`);
}
