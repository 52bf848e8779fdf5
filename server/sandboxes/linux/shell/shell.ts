// The shell that lives in a sandbox from call to call. It reads what it runs from a pipe, line by line, as if someone
// typed: so `break`, `declare` and `cd` mean what they mean there. Where it is asked for, it starts a second one.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, writeFileSync } from "node:fs";
import type { Server, Socket } from "node:net";
import type { Clock } from "../../../../kernel/base/clock.ts";
import type { Random } from "../../../../kernel/base/random.ts";
import { sandboxLimits } from "../../limits.ts";
import {
  type ExecRequest,
  type ExecResult,
  SandboxError,
  type SandboxNetwork,
} from "../../provider.ts";
import type { Cgroup } from "../machine/cgroups.ts";
import { innerProcesses, killProcess } from "../machine/processes.ts";
import { encodeProgram, type Program, readFailure } from "../program/program.ts";
import type { Machine } from "../system_calls/numbers.ts";
import { type Connection, connectShell } from "./connection.ts";
import { type Keeper, makeKeeper } from "./frames.ts";
import { openPipes, type Pipes } from "./pipes.ts";

export interface Shell {
  exec(request: ExecRequest): Promise<Omit<ExecResult, "isRestarted">>;
  /** Ends every process of the sandbox; resolves when none is left. */
  kill(): Promise<void>;
  readonly hasEnded: boolean;
  /** The descriptor of the directory of the folders, open until the shell has ended. */
  readonly folders: number | undefined;
}

export interface ShellStart {
  clock: Clock;
  random: Random;
  machine: Machine;
  runner: string;
  program: Program;
  processesMax: number;
  hasSecondShell: boolean;
  cgroup: Cgroup;
  network?: SandboxNetwork | undefined;
}

/** What the runner says of a call that failed, or a program in its place. */
const reportBytesMax = 500;

type Ending = { code: number | null };

interface Connected {
  pipes: Pipes;
  first: Connection;
  second: Connection | undefined;
}

/** Throws a SandboxError where the sandbox could not be made. */
export async function startShell(start: ShellStart): Promise<Shell> {
  const { clock, processesMax, hasSecondShell } = start;
  const child = spawnRunner(start);
  const keeper = makeKeeper(reportBytesMax);
  const endNetwork = openNetwork(child, start.network);
  const exited = new Promise<Ending>((resolve) => {
    child.once("exit", (code) => resolve({ code }));
    child.once("error", (error) => {
      keeper.keepErrors(Buffer.from(error.message));
      resolve({ code: null });
    });
  });
  void exited.then(endNetwork);
  const limit = new AbortController();
  const isLate = clock.sleep(sandboxLimits.startMs, limit.signal).then(() => "late" as const);
  const connecting = connect(child, start, keeper.keepErrors).catch((error: Error) => {
    keeper.keepErrors(Buffer.from(error.message));
    child.kill("SIGKILL");
    return exited;
  });
  const connected = await Promise.race([connecting, exited, isLate]);
  const isConnected = connected !== "late" && "pipes" in connected;
  const ended = waitForEnd(exited, start.cgroup, isConnected ? connected : undefined);
  const greet = ({ first, second }: Connected) => {
    void second?.greet({ processesMax, startsSecond: false, keeper: makeKeeper(0) });
    return first.greet({ processesMax, startsSecond: hasSecondShell, keeper });
  };
  const greeted = isConnected ? await Promise.race([greet(connected), ended, isLate]) : connected;
  limit.abort();
  if (!isConnected || greeted !== 0) {
    await endProcesses(child, ended, clock);
    const said = keeper.result().errors;
    const words = greeted === "late" ? "it took too long" : said.toString("latin1").trim();
    throw new SandboxError(
      `The sandbox could not be made: ${readFailure(said, start.program) ?? words}.`,
    );
  }
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  const running = { start, child, connected, ended };
  return {
    exec: (request) =>
      request.isBeside === true ? execBeside(running, request) : execIn(running, request),
    kill: () => endProcesses(child, ended, clock),
    get hasEnded() {
      return hasEnded;
    },
    get folders() {
      return connected.pipes.folders;
    },
  };
}

/** Resolves once the runner has made the pipes; what it says instead is why it ends. */
async function connect(
  child: ChildProcess,
  { program, machine, random, hasSecondShell }: ShellStart,
  keep: (bytes: Buffer) => void,
): Promise<Connected> {
  const { stdin, stderr, pid } = child;
  if (stdin === null || stderr === null) throw new Error("the runner has no pipes");
  // Its end is told by the process.
  stdin.on("error", () => {});
  stdin.write(encodeProgram(program, machine));
  return await new Promise((resolve, reject) => {
    stderr.on("data", (bytes: Buffer) => {
      if (bytes.length !== 1 || pid === undefined) return keep(bytes);
      try {
        const pipes = openPipes(pid, hasSecondShell);
        stdin.end("g");
        const first = connectShell(pipes.first, { random, stdinFile: "/run/stdin" });
        const second =
          pipes.second && connectShell(pipes.second, { random, stdinFile: "/run/stdin-beside" });
        resolve({ pipes, first, second });
      } catch (error) {
        reject(error);
      }
    });
  });
}

interface Running {
  start: ShellStart;
  child: ChildProcess;
  connected: Connected;
  ended: Promise<Ending>;
}

/** What does not end in its time, or is told to end, ends with everything else in the sandbox. */
async function execIn(
  { start, child, connected, ended }: Running,
  request: ExecRequest,
): Promise<Omit<ExecResult, "isRestarted">> {
  const { clock } = start;
  const keeper = makeKeeper(request.bytesMax);
  // Nothing of it has begun.
  if (request.signal?.aborted === true)
    return { code: null, ...keeper.result(), isTimedOut: false, isAborted: true };
  const isDone = connected.first.run(request, keeper).then((code) => ({ code }));
  const limit = new AbortController();
  const stopped = Promise.withResolvers<"aborted">();
  const onAbort = () => stopped.resolve("aborted");
  request.signal?.addEventListener("abort", onAbort, { once: true });
  const first = await Promise.race([
    isDone,
    ended,
    stopped.promise,
    clock.sleep(request.timeoutMs, limit.signal).then(() => "timed out" as const),
  ]);
  limit.abort();
  request.signal?.removeEventListener("abort", onAbort);
  if (typeof first === "string") await endProcesses(child, ended, clock);
  return {
    code: typeof first === "string" ? null : first.code,
    ...keeper.result(),
    isTimedOut: first === "timed out",
    isAborted: first === "aborted",
  };
}

/** The agent's programs can end it, and nothing tells of that: it answers at once, or is gone. */
const answerMs = 2_000;

/** What does not end in its time is left to itself: the second shell is of no use any more. */
async function execBeside(
  { start: { clock }, connected, ended }: Running,
  request: ExecRequest,
): Promise<Omit<ExecResult, "isRestarted">> {
  const { second } = connected;
  const within = async (command: ExecRequest, keeper: Keeper): Promise<Ending | undefined> => {
    if (second === undefined) return undefined;
    const limit = new AbortController();
    const isDone = second.run(command, keeper).then((code) => ({ code }));
    const isLate = clock.sleep(command.timeoutMs, limit.signal).then(() => undefined);
    const first = await Promise.race([isDone, ended, isLate]);
    limit.abort();
    if (first === undefined) connected.second = undefined;
    return first;
  };
  const answer = { command: "builtin :", timeoutMs: answerMs, bytesMax: 0 };
  if ((await within(answer, makeKeeper(0))) === undefined)
    throw new SandboxError("The sandbox has no second shell.");
  const keeper = makeKeeper(request.bytesMax);
  const first = await within(request, keeper);
  return {
    code: first?.code ?? null,
    ...keeper.result(),
    isTimedOut: first === undefined,
    isAborted: false,
  };
}

function spawnRunner({ runner, cgroup, network }: ShellStart): ChildProcess {
  const child = spawn(runner, [], {
    stdio: ["pipe", network === undefined ? "ignore" : "ipc", "pipe"],
    // A session of its own: no terminal of the server's, and no Ctrl-C.
    detached: true,
    env: {},
    cwd: "/",
  });
  // Its program has not been sent yet: it has done nothing and forked nothing.
  if (child.pid === undefined) return child;
  try {
    cgroup.add(child.pid);
    // The kernel ends sandboxes before it ends the server.
    writeFileSync(`/proc/${child.pid}/oom_score_adj`, "500");
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  return child;
}

/** Takes the listener as soon as the runner has made it; the result ends it. */
function openNetwork(child: ChildProcess, network: SandboxNetwork | undefined): () => void {
  if (network === undefined) return () => {};
  let server: Server | undefined;
  let isEnded = false;
  child.once("message", (_words, handle) => {
    server = handle as Server;
    // The runner closes its end, too, and may have been first.
    if (child.connected) child.disconnect();
    if (isEnded) {
      server.close();
      return;
    }
    server.on("connection", (socket: Socket) => {
      // Who takes it listens too; an error that comes before or after that is the sandbox's own matter.
      socket.on("error", () => {});
      network.connect(socket);
    });
  });
  return () => {
    isEnded = true;
    server?.close();
    network.endAll();
  };
}

async function waitForEnd(
  exited: Promise<Ending>,
  cgroup: Cgroup,
  connected: Connected | undefined,
): Promise<Ending> {
  const all = connected === undefined ? [] : [connected.first, connected.second];
  const ending = await exited;
  await Promise.all(all.map(async (connection) => await connection?.close()));
  // Before anyone starts the sandbox again: with it open, the image of the workspace would still be mounted.
  const pipes = connected?.pipes;
  if (pipes?.folders !== undefined) closeSync(pipes.folders);
  delete pipes?.folders;
  await cgroup.remove();
  return ending;
}

/**
 * Kills the first process inside. With it the kernel ends all others of its namespace, and the process that waits for
 * it outside ends only after them: when that is gone, nothing is left.
 */
async function endProcesses(
  child: ChildProcess,
  ended: Promise<Ending>,
  clock: Clock,
): Promise<void> {
  const { pid } = child;
  if (pid !== undefined && child.exitCode === null && child.signalCode === null) {
    const inner = innerProcesses(pid);
    for (const each of inner.length > 0 ? inner : [pid]) killProcess(each);
  }
  const limit = new AbortController();
  const isLate = clock.sleep(sandboxLimits.endMs, limit.signal);
  if ((await Promise.race([ended, isLate])) === true) {
    if (pid !== undefined) killProcess(pid);
    await ended;
  }
  limit.abort();
}
