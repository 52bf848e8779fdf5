// Which data directories a database belongs to that lies outside of them.
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseExactly } from "../../base/exact-json.ts";

/** Where databases lie when Postgres' account cannot enter the data directory. */
export const detachedClustersRoot = "/var/lib/plinth";

/** Beside the database: the data directories that were started on it. */
const ownersName = "data-directories.json";

export interface OwningDirectory {
  path: string;
  /** The file system it was on: where another one is mounted there, or none, nothing is known of it. */
  device: number;
}

/** Called at each start: a data directory that was moved is recorded with its new path. */
export function recordOwningDirectory(home: string, directory: string): void {
  const owners = owningDirectoriesOf(home).filter(({ path }) => path !== directory);
  const all = [...owners, { path: directory, device: statSync(directory).dev }];
  const text = `${JSON.stringify(all)}\n`;
  const file = join(home, ownersName);
  if (existsSync(file) && readFileSync(file, "utf8") === text) return;
  try {
    writeFileSync(`${file}.${process.pid}`, text, { mode: 0o644 });
    renameSync(`${file}.${process.pid}`, file);
  } catch (error) {
    // Not root, who owns the directory. A database without a record is never removed.
    if (!["EACCES", "EPERM", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? ""))
      throw error;
  }
}

export function owningDirectoriesOf(home: string): OwningDirectory[] {
  try {
    return parseExactly(readFileSync(join(home, ownersName), "utf8")) as OwningDirectory[];
  } catch {
    return [];
  }
}
