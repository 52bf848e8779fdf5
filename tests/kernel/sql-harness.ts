// What the tests of the built-in database share: directories, owners in other processes, lists of processes.
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ConnectionSettings } from "../../kernel/sql/connection.ts";
import { testTimeoutMs } from "../test-timeout.ts";

export const isRoot = process.getuid?.() === 0;

/** A directory that all users may pass through; with it go the processes that still name it. */
export function scratch(parent = tmpdir(), mode = 0o711): Disposable & { path: string } {
  mkdirSync(parent, { recursive: true });
  const path = mkdtempSync(join(parent, "plinth-sql-"));
  chmodSync(path, mode);
  return {
    path,
    [Symbol.dispose]: () => {
      for (const pid of processesOf(path)) if (pid !== process.pid) kill(pid);
      rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

/** The living processes whose command line names the text. A zombie has none. */
export function processesOf(text: string, alsoNames = ""): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
    .filter((pid) => {
      const command = commandOf(pid);
      return command.includes(text) && command.includes(alsoNames);
    });
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

export function kill(pid: number, signal: NodeJS.Signals = "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Waits on a level: asks until the answer is neither false nor undefined. */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  msMax = testTimeoutMs,
): Promise<Exclude<T, false | undefined>> {
  const deadline = performance.now() + msMax;
  for (;;) {
    const answer = await ask();
    if (answer !== false && answer !== undefined) return answer as Exclude<T, false | undefined>;
    if (performance.now() > deadline) throw new Error(`It did not come to this: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export interface OwnerProcess {
  child: ChildProcess;
  postmaster: number;
  connection: ConnectionSettings;
  events: Record<string, unknown>[];
  release(): Promise<void>;
  killed(): Promise<void>;
}

export interface OwnerOptions {
  graceMs?: number;
  /** Another user, when we are root. */
  uid?: number;
  script?: string;
}

/** Starts an owner of the built-in database in another process; throws what it was refused. */
export async function startOwnerProcess(
  directory: string,
  options: OwnerOptions = {},
): Promise<OwnerProcess> {
  const script = options.script ?? join(import.meta.dirname, "sql-owner.ts");
  const child = spawn(process.execPath, [script, directory, String(options.graceMs ?? 60_000)], {
    ...(options.uid !== undefined && { uid: options.uid, gid: options.uid }),
    cwd: "/",
    stdio: ["pipe", "pipe", "inherit"],
  });
  const events: Record<string, unknown>[] = [];
  createInterface({ input: child.stdout }).on("line", (line) =>
    events.push(JSON.parse(line) as Record<string, unknown>),
  );
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const first = await until("an owner is ready or refused", () => {
    if (child.exitCode !== null && events.length === 0) throw new Error("the owner died");
    return events[0];
  });
  if (typeof first["refused"] === "string") throw new Error(first["refused"]);
  const ready = first["ready"] as { postmaster: number; connection: ConnectionSettings };
  return {
    child,
    ...ready,
    events,
    release: async () => {
      child.stdin.write("release\n");
      await ended;
    },
    killed: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
