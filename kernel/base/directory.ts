// Makes a directory and those above it, one by one.
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Node's own `recursive` never ends where the kernel says that a parent is missing which is there: below /proc. */
export function makeDirectory(path: string, mode: number): void {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    const found = statSync(at, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) break;
    missing.unshift(at);
    // mkdir itself reports a path that is no directory, with its own error code.
    if (found !== undefined || at === dirname(at)) break;
  }
  for (const each of missing) makeOne(each, mode);
}

/** Another process may have been faster. */
function makeOne(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

/**
 * For all that a server keeps. Root's database runs under another account, which must be able to pass through: also
 * where the directory is as `mktemp -d` makes it, as long as nothing is in it.
 */
export function makeDataDirectory(path: string): void {
  const isRoot = process.getuid?.() === 0;
  makeDirectory(path, isRoot ? 0o711 : 0o700);
  const { uid, mode } = statSync(path);
  if (isRoot && uid === 0 && (mode & 0o777) === 0o700 && readdirSync(path).length === 0)
    chmodSync(path, 0o711);
}
