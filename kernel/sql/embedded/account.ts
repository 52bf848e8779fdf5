// Under which user Postgres runs: that of this process, or an unprivileged one under root, which it refuses.
import { lstatSync, readFileSync, statSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { ExitError } from "../../base/failure.ts";

export interface Account {
  uid: number;
  gid: number;
  /** Whether this process is root and gives that up for Postgres. */
  drops: boolean;
  /** For spawn: empty when nothing changes. Node clears the supplementary groups when it sets these. */
  ids: { uid?: number; gid?: number };
}

/** The owner of an existing cluster runs it; a new one belongs to `postgres`, else to `nobody`. */
export function chooseAccount(data: string): Account {
  const uid = process.getuid?.() ?? -1;
  const gid = process.getgid?.() ?? -1;
  const owner = statSync(data, { throwIfNoEntry: false });
  if (uid !== 0) {
    if (owner && owner.uid !== uid)
      throw new ExitError(
        `The database in ${data} belongs to user ${owner.uid}, and this process is user ${uid}: start it as that user or as root, or choose another --data-dir.`,
      );
    return { uid, gid, drops: false, ids: {} };
  }
  const chosen = owner && owner.uid !== 0 ? owner : (passwd("postgres") ?? passwd("nobody"));
  if (!chosen)
    throw new ExitError(
      "PostgreSQL does not run as root, and this system has neither a user postgres nor nobody: start as an ordinary user, or set DATABASE_URL.",
    );
  const ids = { uid: chosen.uid, gid: chosen.gid };
  return { ...ids, drops: true, ids };
}

function passwd(name: string): { uid: number; gid: number } | undefined {
  const fields = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .find((line) => line[0] === name);
  return fields && { uid: Number(fields[2]), gid: Number(fields[3]) };
}

/** Asks the system by going there as that user: modes alone do not tell of ACLs and mounts. */
export function canEnter(directory: string, account: Account): boolean {
  if (!account.drops) return true;
  const ran = spawnSync("/bin/sh", ["-c", 'cd "$1"', "sh", directory], {
    ...account.ids,
    cwd: "/",
    env: {},
    stdio: "ignore",
  });
  if (ran.error && "code" in ran.error && ran.error.code === "EPERM")
    throw new ExitError(
      "PostgreSQL does not run as root, and this process may not change its user: start as an ordinary user, or set DATABASE_URL.",
      1,
      ran.error,
    );
  return ran.status === 0;
}

/** A directory, no link, that only `uid` and root can change: for names that others could have taken. */
export function isSafeDirectory(path: string, uid = process.getuid?.() ?? 0): boolean {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  return entry !== undefined && entry.isDirectory() && entry.uid === uid && !(entry.mode & 0o022);
}
