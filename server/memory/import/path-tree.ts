// The paths that memories hold at a moment: no two share one, and none stands where another has its folder.
import { ancestorsOf } from "../memories/paths.ts";

export interface PathTree {
  add(path: string, memoryId: string): void;
  remove(path: string): void;
  at(path: string): string | undefined;
  /** The path of a memory that is in the way; for one below, that of its folder. */
  inTheWay(path: string): string | undefined;
}

export function makePathTree(): PathTree {
  const memories = new Map<string, string>();
  /** How many memories stand below each folder. */
  const folders = new Map<string, number>();
  const count = (path: string, step: 1 | -1) => {
    for (const folder of ancestorsOf(path)) {
      const left = (folders.get(folder) ?? 0) + step;
      if (left === 0) folders.delete(folder);
      else folders.set(folder, left);
    }
  };
  return {
    add: (path, memoryId) => {
      memories.set(path, memoryId);
      count(path, 1);
    },
    remove: (path) => {
      if (memories.delete(path)) count(path, -1);
    },
    at: (path) => memories.get(path),
    inTheWay: (path) =>
      memories.has(path) || folders.has(path)
        ? path
        : ancestorsOf(path).find((folder) => memories.has(folder)),
  };
}
