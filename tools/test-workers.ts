// Test workers of a run: processes that take one file after the other, and the result of each file.
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { endOfFile, type WorkerMessage, type WorkerCommand } from "./test-worker-report.ts";
import { root, toolEnv } from "./run.ts";
import { watchSlowness, type Slowness } from "../tests/slowness.ts";

/** The result of one file. */
export interface FileResult {
  tests: number;
  skipped: number;
  failures: string[];
  printed: string;
  seconds: number;
  cpuSeconds: number;
}

export interface TestWorkerOptions {
  pattern: RegExp | undefined;
  updatesGolden: boolean;
  /** How long no test may begin or end, on an idle machine. */
  stallSecondsMax?: number;
}

/** A file that takes longer hangs: far more than the slowest takes beside seven other programs. */
const fileSecondsMax = 1_800;
/** Five waits in vain, one after the other, end in it with their own words. */
const stallSecondsDefault = 600;
const slownessEveryMs = 5_000;
/** A process that has done its tests but holds something open never ends. */
const endSecondsMax = 120;
/** Then a test worker goes on in a fresh process: tests leave things in memory. */
const filesOfProcessMax = 40;
const memoryMiBMax = 900;

/** All started processes, which end with this one. */
const running = new Set<ChildProcess>();

export function stopTestWorkers(): void {
  for (const child of running) child.kill("SIGTERM");
}

export interface TestWorker {
  take(file: string): Promise<FileResult>;
  /** Returns what went wrong at the end. */
  end(): Promise<string[]>;
}

export function openTestWorker(options: TestWorkerOptions): TestWorker {
  let current: WorkerProcess | undefined;
  const end = async () => {
    const ended = await current?.end();
    current = undefined;
    return ended ?? [];
  };
  return {
    end,
    take: async (file) => {
      current ??= startProcess(options);
      const { seen, isLast } = await current.take(file);
      if (isLast) seen.failures.push(...(await end()));
      return seen;
    },
  };
}

interface WorkerProcess {
  take(file: string): Promise<{ seen: FileResult; isLast: boolean }>;
  end(): Promise<string[]>;
}

function startProcess(options: TestWorkerOptions): WorkerProcess {
  const child = fork(join(root, "tools/test-worker.ts"), {
    cwd: root,
    env: toolEnv(),
    execArgv: flagsOf(options),
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  running.add(child);
  const closed = once(child, "close").then(() => void running.delete(child));
  const files: string[] = [];
  let hasFailed = false;
  let seen = nothingSeen();
  const print = (chunk: Buffer) => (seen.printed += chunk.toString());
  child.stdout?.on("data", print);
  child.stderr?.on("data", print);
  const state = { cpuSeconds: 0, memoryMiB: 0 };
  const send = (order: WorkerCommand) => child.send(order, () => undefined);

  const fileEnded = async () => {
    const reported = Promise.withResolvers<"ended">();
    using progress = watchProgress(options, (why) => {
      seen.failures.push(`  ✖ ${why}`);
      child.kill("SIGKILL");
    });
    const listen = (message: WorkerMessage) => {
      progress.heard(message);
      if (message.type === "ended") {
        seen.cpuSeconds = message.cpuSeconds - state.cpuSeconds;
        Object.assign(state, message);
        reported.resolve("ended");
      } else note(seen, message);
    };
    child.on("message", listen);
    const how = await Promise.race([reported.promise, closed]);
    child.off("message", listen);
    return how === "ended";
  };

  return {
    take: async (file) => {
      const started = performance.now();
      seen = nothingSeen();
      files.push(file);
      send({ type: "take", file: join(root, file) });
      const isAlive = await fileEnded();
      if (!isAlive) seen.failures.push(`  ✖ ${howEnded(child)} in the middle of it`);
      if (seen.failures.length > 0) hasFailed = true;
      seen.seconds = (performance.now() - started) / 1000;
      return {
        seen,
        isLast: files.length >= filesOfProcessMax || state.memoryMiB > memoryMiBMax || !isAlive,
      };
    },
    end: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return [];
      seen = nothingSeen();
      send({ type: "end" });
      const timer = setTimeout(() => child.kill("SIGKILL"), endSecondsMax * 1000);
      await closed;
      clearTimeout(timer);
      // node:test ends by 1 when a test has failed, which was reported.
      if (child.exitCode === 0 || (hasFailed && child.exitCode === 1)) return [];
      return [`  ✖ after ${files.join(", ")}: ${howEnded(child)}\n${seen.printed.slice(-4000)}`];
    },
  };
}

/** One for all files: each would cost as much again. */
let slownessWatched: Slowness | undefined;
const slownessOfRun = () => (slownessWatched ??= watchSlowness(slownessEveryMs));

/** Says once that a file takes too long, or that nothing has begun or ended in it for too long. */
function watchProgress(
  { stallSecondsMax = stallSecondsDefault }: TestWorkerOptions,
  hangs: (why: string) => void,
) {
  const slowness = slownessOfRun();
  const startedMs = performance.now();
  let sinceMs = startedMs;
  let where = "";
  const timer = setInterval(() => {
    const nowMs = performance.now();
    const stillSeconds = (nowMs - sinceMs) / 1000;
    const isLong = nowMs - startedMs > fileSecondsMax * 1000;
    if (!isLong && stillSeconds < stallSecondsMax * slowness.factor()) return;
    clearInterval(timer);
    const why = isLong
      ? `did not end within ${fileSecondsMax} s`
      : `went on no further for ${Math.round(stillSeconds)} s`;
    hangs(why + where);
  }, 1_000);
  return {
    heard: (message: WorkerMessage) => {
      sinceMs = performance.now();
      if (message.type === "begun") where = `, in the test "${message.name}"`;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

const howEnded = ({ exitCode, signalCode }: ChildProcess) =>
  signalCode === "SIGKILL"
    ? "the process was killed: something is left open"
    : `the process ended with ${exitCode ?? signalCode}`;

function flagsOf({ pattern, updatesGolden }: TestWorkerOptions): string[] {
  return [
    `--test-reporter=${join(root, "tools/test-worker-report.ts")}`,
    ...(updatesGolden ? ["--test-update-snapshots"] : []),
    ...(pattern === undefined
      ? []
      : [`--test-name-pattern=${pattern.source}`, `--test-name-pattern=^${endOfFile}$`]),
  ];
}

function note(seen: FileResult, message: WorkerMessage): void {
  if (message.type === "passed") seen.tests++;
  else if (message.type === "skipped") seen.skipped++;
  else if (message.type === "failed") seen.failures.push(`  ✖ ${indented(message.text)}`);
}

/** All lines but the first. */
const indented = (text: string) => text.trimEnd().replaceAll("\n", "\n    ");

const nothingSeen = (): FileResult => ({
  tests: 0,
  skipped: 0,
  failures: [],
  printed: "",
  seconds: 0,
  cpuSeconds: 0,
});
