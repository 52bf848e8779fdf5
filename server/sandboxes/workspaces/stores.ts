// What one process of a server has of the disk for its sandboxes: workspaces, layers, and a directory of its own.
import { copyFileSync, existsSync, mkdirSync, readdirSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Random } from "../../../kernel/base/random.ts";
import { programs } from "../programs.ts";
import { type Images, makeImages } from "./images.ts";
import { makeLayers, type StoredLayers } from "./layers.ts";
import { unmountBelow } from "./mounts.ts";
import { isRunning } from "./processes.ts";
import { makeWorkspaces, type Workspaces } from "./workspaces.ts";

export interface Stores {
  /** Of this opening alone: also another process may have the directory open. */
  name: string;
  /** A directory that goes with this process. */
  own: string;
  isRoot: boolean;
  images: Images | undefined;
  workspaces: Workspaces;
  layers: StoredLayers;
  close(): Promise<void>;
}

/** Tools stand here also where the PATH of a service leaves them out. */
const toolDirectories = ["/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/bin"];

export function findTool(name: string): string | undefined {
  return toolDirectories.map((directory) => join(directory, name)).find((path) => existsSync(path));
}

/** In `own` lie also the directories `parts`. */
export async function openStores(
  directory: string,
  { random, parts }: { random: Random; parts: readonly string[] },
): Promise<Stores> {
  const name = `process-${process.pid}-${random.bytes(4).toString("hex")}`;
  const own = await makeOwnDirectory(directory, name, parts);
  const makeFileSystem = findTool("mkfs.ext4");
  const isRoot = process.getuid?.() === 0;
  const images =
    isRoot && makeFileSystem !== undefined
      ? makeImages(join(own, "spares"), makeFileSystem)
      : undefined;
  const workspaces = makeWorkspaces(directory, { isRoot, images, random });
  const newSandboxId = () => `${name}${random.bytes(4).toString("hex")}-layer`;
  for (const sessionId of await workspaces.listPassing())
    if (!isRunning(Number(sessionId.split("-")[1]))) await workspaces.remove(sessionId);
  return {
    name,
    own,
    isRoot,
    images,
    workspaces,
    layers: makeLayers(directory, workspaces, newSandboxId),
    async close() {
      await images?.close();
      await removeOwn(own);
    },
  };
}

/** What this process needs while it lives; what servers left that were killed goes now. */
async function makeOwnDirectory(
  directory: string,
  name: string,
  parts: readonly string[],
): Promise<string> {
  for (const part of ["sessions", "owners", "layers"])
    mkdirSync(join(directory, part), { recursive: true, mode: 0o700 });
  for (const other of readdirSync(directory)) {
    const pid = /^process-(\d+)-/.exec(other)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) await removeOwn(join(directory, other));
  }
  const own = join(directory, name);
  for (const part of ["", "spares", ...parts]) mkdirSync(join(own, part), { mode: 0o700 });
  return own;
}

async function removeOwn(own: string): Promise<void> {
  if (!existsSync(own)) return;
  await unmountBelow(realpathSync(own));
  await rm(own, { recursive: true, force: true });
}

/** The programs that the server brings, which every sandbox may read. */
export function placePrograms(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o755 });
  for (const [inside, path] of Object.entries(programs))
    copyFileSync(path, join(directory, inside));
}
