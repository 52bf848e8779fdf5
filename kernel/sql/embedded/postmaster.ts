// One postmaster: making its cluster, starting it, telling whether it runs and answers.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import pg from "pg";
import type { Clock } from "../../base/clock.ts";
import { ExitError } from "../../base/failure.ts";
import { systemRandom } from "../../base/random.ts";
import type { Binaries } from "./binaries.ts";
import { type ClusterPaths, makePrivate } from "./cluster-paths.ts";

export const databaseUser = "plinth";
export const databaseName = "plinth";
const readyMsMax = 120_000; // recovery after a crash replays up to max_wal_size of log
const pollMs = 10;
const logBytesMax = 10 * 1024 * 1024;
const environment = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

// Idle, together with Node, below 200 MB: no I/O workers, no replication, one autovacuum worker fewer.
// After a crash it ends and is started anew by its owner: where the disk is full, its own recovery may hang for ever,
// with no process left that recovers it.
const settings = {
  restart_after_crash: "off",
  listen_addresses: "",
  unix_socket_permissions: "0700",
  max_connections: "100",
  shared_buffers: "64MB",
  work_mem: "4MB",
  maintenance_work_mem: "32MB",
  effective_cache_size: "512MB",
  max_wal_size: "512MB",
  min_wal_size: "32MB",
  autovacuum: "on",
  autovacuum_max_workers: "2",
  fsync: "on",
  synchronous_commit: "on",
  jit: "off",
  io_method: "sync",
  max_wal_senders: "0",
  max_replication_slots: "0",
  max_logical_replication_workers: "0",
  max_parallel_workers_per_gather: "0",
  timezone: "UTC",
  log_timezone: "UTC",
  log_min_messages: "warning",
  log_checkpoints: "off",
};

/** For tests alone: faster, at the price of losses when the machine crashes, and shared by many of their processes. */
const notDurable = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "300",
};

/** Makes the cluster when there is none. It gets its name by a rename: complete or absent. */
export function ensureCluster(paths: ClusterPaths, binaries: Binaries, durable: boolean): void {
  const { data, account } = paths;
  removeUnfinished(data);
  if (existsSync(join(data, "PG_VERSION"))) {
    const found = readFileSync(join(data, "PG_VERSION"), "utf8").trim();
    const ours = binaries.version.split(".")[0];
    if (found === ours) return;
    throw new ExitError(
      `The database in ${data} was made by PostgreSQL ${found}, and this version brings ${ours}: start the version of Plinth that made it, or move its tables to a Postgres of your own and set DATABASE_URL.`,
    );
  }
  if (existsSync(data) && readdirSync(data).length > 0)
    throw new ExitError(
      `${data} is not empty and holds no database: move it away, or choose another --data-dir.`,
    );
  // A name of its own: the initdb of a start that was killed may still be writing into its directory.
  const unfinished = `${data}.${systemRandom.bytes(4).toString("hex")}.new`;
  makePrivate(unfinished, account);
  const args = ["-D", unfinished, "-U", databaseUser, "--auth=trust", "--encoding=UTF8"];
  args.push("--locale=C", "--no-instructions", ...(durable ? [] : ["--no-sync"]));
  const ran = spawnSync(join(binaries.native, "bin/initdb"), args, {
    ...account.ids,
    cwd: "/",
    env: environment,
    encoding: "utf8",
  });
  if (ran.status !== 0) {
    rmSync(unfinished, { recursive: true, force: true });
    throw startError(`${ran.error?.message ?? ""}${ran.stderr ?? ""}`, paths);
  }
  rmSync(data, { recursive: true, force: true });
  renameSync(unfinished, data);
}

/** What killed starts left over. Call it under the lock. */
function removeUnfinished(data: string): void {
  const mine = new RegExp(`^${basename(data)}(\\.[0-9a-f]{8})?\\.new$`);
  for (const name of readdirSync(dirname(data)).filter((each) => mine.test(each)))
    try {
      rmSync(join(dirname(data), name), { recursive: true, force: true });
    } catch {
      // Its initdb writes on for a moment: the next start takes the rest away.
    }
}

/** The pid of this cluster's live postmaster. A pid alone says nothing: it may have been given away. */
export function runningPid(data: string): number | undefined {
  const pid = Number(readLines(join(data, "postmaster.pid"))[0]);
  return Number.isInteger(pid) && pid > 1 && isPostmaster(pid, data) ? pid : undefined;
}

function isPostmaster(pid: number, data: string): boolean {
  if (existsSync("/proc/self/cmdline")) {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(data);
    } catch {
      return false;
    }
  }
  const ran = spawnSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" });
  return ran.status === 0 && ran.stdout.includes(data);
}

/** Where a running postmaster listens: by its own file, not by what this version would choose. */
export function socketDirectoryOf(data: string): string {
  return readLines(join(data, "postmaster.pid"))[4] ?? "";
}

export function startPostmaster(paths: ClusterPaths, binaries: Binaries, durable: boolean) {
  removeMisleadingPid(paths);
  if ((statSync(paths.log, { throwIfNoEntry: false })?.size ?? 0) > logBytesMax)
    truncateSync(paths.log);
  const chosen = { ...settings, ...(durable ? {} : notDurable) };
  const args = ["-D", paths.data, "-c", `unix_socket_directories="${paths.socketDirectory}"`];
  for (const [name, value] of Object.entries(chosen)) args.push("-c", `${name}=${value}`);
  const log = openSync(paths.log, "a", 0o600);
  try {
    // A session of its own: Ctrl-C in a terminal reaches only the server, which drains first.
    const child = spawn(join(binaries.native, "bin/postgres"), args, {
      ...paths.account.ids,
      cwd: "/",
      env: environment,
      detached: true,
      stdio: ["ignore", log, log],
    });
    child.on("error", () => {}); // shows as a child without a pid
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/**
 * Postgres removes the pid files of a dead postmaster itself, but refuses when another program of the same
 * user has been given that pid, as happens in containers, where pids are small. Under the lock, and only then.
 */
function removeMisleadingPid({ data, socketDirectory }: ClusterPaths): void {
  for (const path of [join(data, "postmaster.pid"), join(socketDirectory, ".s.PGSQL.5432.lock")]) {
    const pid = Number(readLines(path)[0]);
    if (pid > 1 && isAlive(pid) && !isPostmaster(pid, data)) rmSync(path, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

export interface RunningPostmaster {
  pid: number;
  socketDirectory: string;
  connectionsMax: number;
}

/**
 * Waits until the postmaster answers; undefined when there is none, or when it is gone before that (it
 * was being stopped). `child` is the one just started, if any: its end says that nothing will answer.
 */
export async function waitForPostmaster(
  paths: ClusterPaths,
  clock: Clock,
  child?: ChildProcess,
): Promise<RunningPostmaster | undefined> {
  const deadlineMs = clock.monotonicMs() + readyMsMax;
  while (clock.monotonicMs() < deadlineMs) {
    const pid = runningPid(paths.data);
    const status = readLines(join(paths.data, "postmaster.pid"))[7]?.trim();
    if (pid === undefined && !startingUp(child)) return undefined;
    if (pid !== undefined && status === "ready") {
      const answer = await ask(paths, pid).catch(() => undefined);
      if (answer) return answer;
    }
    await clock.sleep(pollMs);
  }
  throw new ExitError(
    `The database in ${paths.data} runs but has not answered for ${readyMsMax / 1000} s: see ${paths.log}.`,
  );
}

function startingUp(child: ChildProcess | undefined): boolean {
  return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

async function ask(paths: ClusterPaths, pid: number): Promise<RunningPostmaster> {
  const socketDirectory = socketDirectoryOf(paths.data);
  const client = new pg.Client({
    host: socketDirectory,
    user: databaseUser,
    database: "postgres",
    connectionTimeoutMillis: 5_000,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ max: string; here: boolean }>(
      `select current_setting('max_connections') as max,
        exists (select from pg_database where datname = $1) as here`,
      [databaseName],
    );
    const row = rows[0];
    if (!row?.here) await client.query(`create database ${databaseName}`);
    return { pid, socketDirectory, connectionsMax: Number(row?.max) };
  } finally {
    await client.end().catch(() => {});
  }
}

/** The meaning of the log's last lines, as one sentence with advice. */
export function startError(output: string, { data, log }: ClusterPaths): ExitError {
  const otherDirectory = "or choose another --data-dir";
  if (/No space left on device|Disk quota exceeded|ENOSPC/.test(output))
    return new ExitError(`The disk that holds ${data} is full: make room, ${otherDirectory}.`);
  if (/Permission denied|wrong ownership|EACCES|EPERM|Read-only file system/.test(output))
    return new ExitError(
      `PostgreSQL may not write to ${data}: give it back to the user it belongs to, ${otherDirectory}.`,
    );
  if (
    /checkpoint record|pg_control|files are incompatible|incorrect checksum|PANIC|invalid page|could not read/.test(
      output,
    )
  )
    return new ExitError(
      `The database in ${data} is damaged (${lastError(output)}): restore a backup into another --data-dir, and keep this one.`,
    );
  return new ExitError(`PostgreSQL did not start: ${lastError(output)}; see ${log}.`);
}

function lastError(output: string): string {
  const lines = output.trim().split("\n");
  const line = lines.findLast((line) => /FATAL|PANIC|ERROR|error/.test(line)) ?? lines.at(-1);
  return line?.replace(/^.*?(FATAL|PANIC|ERROR):\s*/, "").trim() || "it left no message";
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch {
    return [];
  }
}
