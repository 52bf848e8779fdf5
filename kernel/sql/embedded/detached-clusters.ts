// Databases that lie outside of their data directory: which one each belongs to, and which have lost it.
import { existsSync, lstatSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { ExitError } from "../../base/failure.ts";
import { tryLock } from "./lock.ts";
import {
  detachedClustersRoot,
  owningDirectoriesOf,
  type OwningDirectory,
} from "./owning-directories.ts";
import { runningPid } from "./postmaster.ts";

const homeName = /^[0-9a-f]{16}$/;

export interface DetachedCluster {
  path: string;
  bytes: number;
  /** Empty where the version that made it recorded none. */
  owners: string[];
  /** `orphan` alone may be removed. */
  state: "used" | "running" | "unknown" | "orphan";
}

export function listDetachedClusters(root: string = detachedClustersRoot): DetachedCluster[] {
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .filter((name) => homeName.test(name))
    .toSorted()
    .map((name) => look(join(root, name)));
}

function look(path: string): DetachedCluster {
  const owners = owningDirectoriesOf(path);
  const known = { path, bytes: bytesIn(path), owners: owners.map((owner) => owner.path) };
  if (runningPid(join(path, "postgres")) !== undefined) return { ...known, state: "running" };
  if (owners.length === 0) return { ...known, state: "unknown" };
  if (owners.some((owner) => existsSync(owner.path))) return { ...known, state: "used" };
  return { ...known, state: owners.every(isGone) ? "orphan" : "unknown" };
}

/** Gone for certain: the rest of its path is on the file system that it was on. */
function isGone({ path, device }: OwningDirectory): boolean {
  let above = dirname(path);
  while (!existsSync(above)) above = dirname(above);
  return statSync(above).dev === device;
}

/** Removes what has lost its data directory, and nothing else. */
export function removeOrphanedClusters(root: string = detachedClustersRoot): DetachedCluster[] {
  return listDetachedClusters(root).filter(({ state, path }) => state === "orphan" && remove(path));
}

/** False when a start is under way in it, or it is no orphan any more. */
function remove(path: string): boolean {
  const lock = join(path, "postgres.lock");
  let release: (() => void) | undefined;
  try {
    release = existsSync(lock) ? tryLock(lock) : () => {};
    if (release === undefined) return false;
    if (look(path).state !== "orphan") return false;
    rmSync(path, { recursive: true, maxRetries: 5, retryDelay: 50 });
    return true;
  } catch (error) {
    throw new ExitError(
      `${path} cannot be removed (${(error as Error).message}): run this as root.`,
      1,
      error,
    );
  } finally {
    release?.();
  }
}

/** What its files take on the disk; links are not followed, and what may not be looked at counts nothing. */
function bytesIn(path: string): number {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry === undefined) return 0;
  if (!entry.isDirectory()) return entry.blocks * 512;
  try {
    return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0);
  } catch {
    return 0;
  }
}
