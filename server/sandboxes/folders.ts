// Which folders a sandbox may have, and which files they may be filled with: checked before anything is made.
import { sandboxLimits } from "./limits.ts";
import { type FolderChange, SandboxError, type SandboxFolder } from "./provider.ts";

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
