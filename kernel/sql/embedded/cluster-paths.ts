// Where the parts of the built-in database lie: inside the data directory, or as near as its account can get.
import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeDataDirectory } from "../../base/directory.ts";
import { ExitError } from "../../base/failure.ts";
import { detachedClustersRoot, recordOwningDirectory } from "./owning-directories.ts";
import { type Account, canEnter, chooseAccount, isSafeDirectory } from "./account.ts";

export interface ClusterPaths {
  account: Account;
  /** PGDATA. */
  data: string;
  /** Private to the account: the watcher's fifo and, where its path is short enough, the socket. */
  run: string;
  socketDirectory: string;
  lock: string;
  log: string;
}

/** sun_path holds 108 bytes on Linux and 104 on macOS, with the closing zero. */
const socketPathBytesMax = process.platform === "darwin" ? 103 : 107;
const socketName = ".s.PGSQL.5432";
const pointerName = "postgres.location";

/** Whether a built-in database has been made for this directory: looked up, nothing is made. */
export const hasCluster = (directory: string) =>
  existsSync(join(directory, "postgres", "PG_VERSION")) || existsSync(join(directory, pointerName));

export function findClusterPaths(directory: string): ClusterPaths {
  try {
    makeDataDirectory(directory);
    return placesIn(realpathSync(directory));
  } catch (error) {
    if (error instanceof ExitError) throw error;
    throw new ExitError(
      `The data directory ${directory} cannot be used (${(error as Error).message}): choose another --data-dir, or change its permissions.`,
      1,
      error,
    );
  }
}

function placesIn(directory: string): ClusterPaths {
  const key = createHash("sha256").update(directory).digest("hex").slice(0, 16);
  const pointer = join(directory, pointerName);
  const home = existsSync(pointer) ? pointedTo(directory, pointer) : chooseHome(directory, pointer);
  if (home !== directory) recordOwningDirectory(home, directory);
  const data = join(home, "postgres");
  const account = chooseAccount(data);
  const run = join(home, "postgres-run");
  makePrivate(run, account);
  return {
    account,
    data,
    run,
    socketDirectory: socketDirectory(run, key, account),
    lock: join(home, "postgres.lock"),
    log: join(home, "postgres.log"),
  };
}

function pointedTo(directory: string, pointer: string): string {
  const home = readFileSync(pointer, "utf8").trim();
  if (!existsSync(home))
    throw new ExitError(
      `The database of ${directory} lies in ${home} (so says ${pointer}), which is gone: restore it, or delete that file to begin with an empty database.`,
    );
  return home;
}

/** Inside the data directory when the account can get there; else in a directory of root's, with a pointer. */
function chooseHome(directory: string, pointer: string): string {
  const account = chooseAccount(join(directory, "postgres"));
  if (canEnter(directory, account)) return directory;
  mkdirSync(detachedClustersRoot, { recursive: true, mode: 0o755 });
  // A new name each time: a data directory that was deleted and made again must not find the old database.
  const home = join(detachedClustersRoot, randomBytes(8).toString("hex"));
  mkdirSync(home, { mode: 0o711 });
  if (!isSafeDirectory(home) || !canEnter(home, account))
    throw new ExitError(
      `PostgreSQL runs as user ${account.uid}, who can enter neither ${directory} nor ${home}: "chmod o+x" the directories above one of them, or set DATABASE_URL.`,
    );
  // Before the pointer: a start that is killed in between leaves nothing that is not known to be left over.
  recordOwningDirectory(home, directory);
  return claimPointer(directory, pointer, home);
}

/** Of two starters at once the first decides. */
function claimPointer(directory: string, pointer: string, home: string): string {
  try {
    writeFileSync(pointer, `${home}\n`, { mode: 0o600, flag: "wx" });
    return home;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    rmSync(home, { recursive: true });
    return pointedTo(directory, pointer);
  }
}

/** Creates the directory, or makes sure that it is the account's alone. */
export function makePrivate(path: string, account: Account): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const entry = statSync(path);
  if (account.drops && entry.uid !== account.uid) chownSync(path, account.uid, account.gid);
  if ((entry.mode & 0o777) !== 0o700) chmodSync(path, 0o700);
}

function socketDirectory(run: string, key: string, account: Account): string {
  if (Buffer.byteLength(join(run, socketName)) <= socketPathBytesMax) return run;
  const short = join(tmpdir(), `plinth-${key}`);
  if (!existsSync(short)) makePrivate(short, account);
  if (isSafeDirectory(short, account.uid)) return short;
  throw new ExitError(
    `The socket of the built-in database needs ${short}, which belongs to somebody else: choose a --data-dir with a shorter path.`,
  );
}
