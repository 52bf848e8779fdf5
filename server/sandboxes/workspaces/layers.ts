// Where layers lie on the host: workspaces of sandboxes that have ended, which others show read-only.
import { lstat, mkdir, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { SandboxError, type SandboxLayers } from "../provider.ts";
import type { Stored, Workspaces } from "./workspaces.ts";

export interface StoredLayers extends SandboxLayers {
  find(name: string): Promise<Stored | undefined>;
}

export function makeLayers(
  directory: string,
  workspaces: Workspaces,
  newSandboxId: () => string,
): StoredLayers {
  const all = join(directory, "layers");
  const placeOf = (name: string): string => {
    if (!/^[A-Za-z0-9_-]{1,128}$/.test(name))
      throw new SandboxError("The name of a layer has 1 to 128 letters, digits, _ and -.");
    return join(all, name);
  };
  return {
    newSandboxId,
    find: (name) => workspaces.at(placeOf(name)),
    async keep(sessionId, name) {
      await mkdir(all, { recursive: true, mode: 0o700 });
      const isKept = await workspaces.moveTo(sessionId, placeOf(name));
      if (!isKept) await workspaces.remove(sessionId);
    },
    async sizeOf(name) {
      const stored = await workspaces.at(placeOf(name));
      return stored === undefined ? undefined : await bytesBelow(stored.directory);
    },
    async remove(name) {
      const place = placeOf(name);
      const gone = join(all, `.${name}`);
      // Of a server that was killed while it removed it.
      await workspaces.removeAt(gone);
      try {
        await rename(place, gone);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
        throw error;
      }
      await workspaces.removeAt(gone);
    },
    list: async () => (await readdir(all)).filter((name) => !name.startsWith(".")),
  };
}

/** Nothing runs in it any more, so what is a directory stays one; no link is followed. */
async function bytesBelow(directory: string): Promise<number> {
  const blockBytes = 512;
  let bytes = 0;
  const open = [directory];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const entry of await entriesOf(next)) {
      const path = join(next, entry.name);
      if (entry.isDirectory()) open.push(path);
      else bytes += (await lstat(path)).blocks * blockBytes;
    }
  return bytes;
}

/** A folder that its owner cannot enter holds nothing that counts. */
async function entriesOf(directory: string) {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EACCES") return [];
    throw error;
  }
}
