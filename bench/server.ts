// The server that a benchmark measures: `plinth start` with default settings, on a directory of its own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface Server extends AsyncDisposable {
  url: string;
  headers: Record<string, string>;
  pid: number;
  /** On the same disk, gone with the server. */
  directory: string;
}

export interface ServerOptions {
  /** Undefined: the server's own choice. */
  workers: string | undefined;
  /** Writes CPU profiles to build/. */
  isProfiled: boolean;
  /** Of its settings file; none unless given. */
  settings?: object;
}

const root = join(import.meta.dirname, "..");
const startSecondsMax = 60;

export async function openServer({
  workers,
  isProfiled,
  settings,
}: ServerOptions): Promise<Server> {
  await using opening = new AsyncDisposableStack();
  const directory = mkdtempSync(join(tmpdir(), "plinth-bench-"));
  // The database of root's server runs under another user, who must get through.
  chmodSync(directory, 0o755);
  opening.defer(() => rmSync(directory, { recursive: true, force: true }));
  const data = join(directory, "data");
  const log = join(directory, "log");
  const output = openSync(log, "w");
  if (settings !== undefined)
    writeFileSync(join(directory, "plinth.config.json"), JSON.stringify(settings));
  const choice = workers === undefined ? [] : ["--workers", workers];
  const args = ["start", "--port", "0", "--data-dir", data, ...choice];
  const child = spawn(join(root, "plinth"), args, {
    cwd: directory,
    stdio: ["ignore", output, output],
    env: environment(isProfiled),
  });
  closeSync(output);
  // Also when this process is told to end: no other process would stop that server.
  const end = () => void child.kill("SIGTERM");
  process.once("exit", end);
  process.once("SIGTERM", () => process.exit(1));
  opening.defer(() => void process.off("exit", end));
  const exited = once(child, "exit");
  opening.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null)
      console.error(`The server has ended by itself:\n${readFileSync(log, "utf8").slice(-2_000)}`);
    child.kill("SIGTERM");
    await exited;
  });
  const url = await listening(log, exited);
  const key = readFileSync(join(data, "first-key"), "utf8").trim();
  const closing = opening.move();
  return {
    url,
    pid: child.pid ?? 0,
    directory,
    headers: { authorization: `Bearer ${key}`, "anthropic-version": "2026-10-21" },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** Nothing of what this shell has set for another server. */
function environment(isProfiled: boolean): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith("PLINTH_") && name !== "DATABASE_URL" && name !== "NODE_OPTIONS",
  );
  const profile = `--cpu-prof --cpu-prof-dir=${join(root, "build")}`;
  return { ...Object.fromEntries(kept), ...(isProfiled && { NODE_OPTIONS: profile }) };
}

async function listening(log: string, exited: Promise<unknown>): Promise<string> {
  const ended = exited.then(() => true);
  for (let tries = 0; tries < startSecondsMax * 20; tries++) {
    const printed = readFileSync(log, "utf8");
    const url = /^plinth listening on (http:\/\/\S+)/m.exec(printed)?.[1];
    if (url !== undefined) return url;
    if (await Promise.race([ended, sleep(50, false)])) break;
  }
  throw new Error(`The server did not start:\n${readFileSync(log, "utf8")}`);
}
