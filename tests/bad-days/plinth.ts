// The real `plinth` as a child in a process group of its own: started, asked, killed, and looked for afterwards.
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { root } from "../../tools/run.ts";
import { kill, until } from "../kernel/sql-harness.ts";
import { testTimeoutMs } from "../test-timeout.ts";

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Plinth {
  child: ChildProcess;
  /** The first process. */
  pid: number;
  url: string;
  /** Everything that it printed so far, on both streams. */
  said(): string;
  ended: Promise<Ended>;
  /** SIGTERM, and how it ended. */
  stop(): Promise<Ended & { ms: number }>;
  /** SIGKILL of the first process alone. */
  killed(): Promise<void>;
}

export interface PlinthOptions {
  args?: readonly string[];
  env?: Record<string, string | undefined>;
  /** Another user, when we are root. */
  uid?: number;
  readyMsMax?: number;
}

/** Half of what a database stays for when its owner was killed: one that was told to end has ended sooner. */
const leftMsMax = 30_000;
/** Keeps the settings of the user who runs the tests out of them. */
const emptyConfig = join(import.meta.dirname, "plinth.config.json");

export interface Spawned {
  child: ChildProcess;
  out(): string;
  err(): string;
  ended: Promise<Ended>;
}

export function spawnPlinth(args: readonly string[], options: PlinthOptions = {}): Spawned {
  const own = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(PLINTH_|DATABASE_URL$|NODE_TEST_CONTEXT$)/.test(name),
    ),
  );
  const { uid } = options;
  const child = spawn(join(root, "plinth"), args, {
    ...(uid !== undefined && { uid, gid: uid }),
    cwd: "/",
    env: {
      ...own,
      PLINTH_CONFIG: emptyConfig,
      PLINTH_LAME_DUCK_SECONDS: "0",
      ...options.env,
    },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const said = { out: "", err: "" };
  child.stdout.on("data", (chunk: Buffer) => (said.out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said.err += chunk.toString()));
  const ended = new Promise<Ended>((resolve) =>
    child.once("close", (code, signal) => resolve({ code, signal })),
  );
  return { child, out: () => said.out, err: () => said.err, ended };
}

/** `plinth start` on a free port; throws with what it printed when it ends before it listens. */
export async function startPlinth(directory: string, options: PlinthOptions = {}): Promise<Plinth> {
  const port = options.args?.includes("--port") === true ? [] : ["--port", "0"];
  const args = ["start", "--data-dir", directory, ...port, ...(options.args ?? [])];
  const spawned = spawnPlinth(args, options);
  const { child, ended } = spawned;
  const said = () => spawned.out() + spawned.err();
  const url = await until(
    "plinth start listens",
    () => {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`plinth start ended with ${child.exitCode}: ${said().slice(-2000)}`);
      return /^plinth listening on (http:\/\/\S+)/m.exec(spawned.out())?.[1];
    },
    options.readyMsMax ?? testTimeoutMs,
  );
  const pid = child.pid ?? 0;
  return {
    child,
    pid,
    url,
    said,
    ended,
    stop: async () => {
      const startedAt = performance.now();
      kill(pid, "SIGTERM");
      return { ...(await inTime(ended, child, testTimeoutMs)), ms: performance.now() - startedAt };
    },
    killed: async () => {
      kill(pid);
      await ended;
    },
  };
}

export interface Ran extends Ended {
  out: string;
  err: string;
  ms: number;
}

/** A command to its end; one that takes longer than `msMax` is killed and has the signal. */
export async function runPlinth(
  args: readonly string[],
  options: PlinthOptions & { msMax?: number } = {},
): Promise<Ran> {
  const startedAt = performance.now();
  const { child, out, err, ended } = spawnPlinth(args, options);
  const end = await inTime(ended, child, options.msMax ?? testTimeoutMs);
  return { ...end, out: out(), err: err(), ms: performance.now() - startedAt };
}

async function inTime(ended: Promise<Ended>, child: ChildProcess, ms: number): Promise<Ended> {
  const timer = setTimeout(() => killGroup(child), ms);
  const end = await ended;
  clearTimeout(timer);
  return end;
}

/** Everything that was started with it and stayed in its group: not the database, which has its own. */
export function killGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) kill(-pid);
}

/**
 * The living processes of a data directory: named on the command line, standing in it (backends), or
 * children of those (the watcher's timer).
 */
export function processesAround(directory: string): number[] {
  const all = readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid);
  const found = new Set(
    all.filter((pid) => commandOf(pid).includes(directory) || standsIn(pid, directory)),
  );
  for (const pid of all) if (found.has(parentOf(pid))) found.add(pid);
  return [...found].filter((pid) => commandOf(pid) !== "");
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

function standsIn(pid: number, directory: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(directory);
  } catch {
    return false;
  }
}

export function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0;
  }
}

/** Fails when processes of the directory are still there after a moment. */
export async function nothingLeft(directory: string, msMax = leftMsMax): Promise<void> {
  await until(
    `no process of ${directory} is left`,
    () => processesAround(directory).length === 0,
    msMax,
  );
}

export function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

export interface Reply {
  /** 0 when there was no answer: refused, cut, or `hung`. */
  status: number;
  headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
  ms: number;
  hung: boolean;
}

/** One request, given up after `msMax`. */
export async function ask(
  url: string,
  method: string,
  path: string,
  { headers = {}, body, msMax = testTimeoutMs }: AskOptions = {},
): Promise<Reply> {
  const startedAt = performance.now();
  try {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(msMax),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    return {
      status: response.status,
      headers: response.headers,
      body: isJson ? JSON.parse(text) : text,
      ms: performance.now() - startedAt,
      hung: false,
    };
  } catch (error) {
    const hung = (error as Error).name === "TimeoutError";
    const ms = performance.now() - startedAt;
    return { status: 0, headers: new Headers(), body: String(error), ms, hung };
  }
}

export interface AskOptions {
  headers?: Record<string, string>;
  body?: unknown;
  msMax?: number;
}

export interface Owner {
  owner_email: string;
  owner_password: string;
  admin_api_key: string;
  api_key: string;
}

/** `plinth init --json` on the directory, before a start or beside it. */
export async function initOwner(
  directory: string,
  args: readonly string[] = [],
  options: PlinthOptions = {},
): Promise<Owner> {
  const ran = await runPlinth(
    ["init", "--json", "--data-dir", directory, "--organization", "Bad days", ...args],
    options,
  );
  if (ran.code !== 0) throw new Error(`plinth init ended with ${ran.code}: ${ran.err}`);
  return JSON.parse(ran.out) as Owner;
}

/** The headers of the signed-in owner: they hold across restarts, but the origin goes with the port. */
export async function signIn(url: string, owner: Owner): Promise<Record<string, string>> {
  const { owner_email: email, owner_password: password } = owner;
  const reply = await ask(url, "POST", "/console/api/sign_in", { body: { email, password } });
  if (reply.status !== 200)
    throw new Error(`sign-in: ${reply.status} ${JSON.stringify(reply.body)}`);
  const cookie = (reply.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
  return { cookie, origin: url };
}
