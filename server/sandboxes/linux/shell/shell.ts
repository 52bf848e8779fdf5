// The shell that lives in a sandbox from call to call. It reads what it runs from a pipe, line by line, as if someone
// typed: so `break`, `declare` and `cd` mean what they mean there. Where it is asked for, it starts a second one.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, constants, openSync, writeFileSync } from "node:fs";
import { type Server, Socket } from "node:net";
import type { Clock } from "../../../../kernel/base/clock.ts";
import type { Random } from "../../../../kernel/base/random.ts";
import { sandboxLimits } from "../../limits.ts";
import { SandboxError, type SandboxNetwork } from "../../provider.ts";
import { type Connections, type Ending, makeCalls, type Shell } from "../../shell/calls.ts";
import { connectShell, type ShellStreams } from "../../shell/connection.ts";
import { makeKeeper } from "../../shell/frames.ts";
import type { Cgroup } from "../machine/cgroups.ts";
import { innerProcesses, killProcess } from "../../workspaces/processes.ts";
import { pipeEnds, secondPipeEnds, startSecond } from "../program/pipes.ts";
import { encodeProgram, type Program, readFailure } from "../program/program.ts";
import { firstFree } from "../program/steps.ts";
import type { Machine } from "../system_calls/numbers.ts";

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

/** The server's ends of the pipes that a sandbox has made: see program/pipes.ts. */
interface Pipes {
  first: ShellStreams;
  second?: ShellStreams;
  /** A descriptor of the directory of the folders, as only the server may write there. */
  folders?: number;
}

function openPipes(pid: number, hasSecondShell: boolean): Pipes {
  const opened: number[] = [];
  const open = (end: number, flags: number): number => {
    const descriptor = openSync(`/proc/${pid}/fd/${end}`, flags);
    opened.push(descriptor);
    return descriptor;
  };
  const openShell = ({ control, output, errors }: typeof pipeEnds | typeof secondPipeEnds) => [
    open(control[1], constants.O_WRONLY),
    open(output[0], constants.O_RDONLY),
    open(errors[0], constants.O_RDONLY),
  ];
  try {
    const folders = open(firstFree, constants.O_RDONLY | constants.O_DIRECTORY);
    const first = openShell(pipeEnds);
    const second = hasSecondShell ? openShell(secondPipeEnds) : undefined;
    return { folders, first: socketsOf(first), ...(second && { second: socketsOf(second) }) };
  } catch (error) {
    opened.forEach((descriptor) => closeSync(descriptor));
    throw error;
  }
}

function socketsOf(descriptors: readonly number[]): ShellStreams {
  const [control, output, errors] = descriptors as [number, number, number];
  return {
    control: new Socket({ fd: control, readable: false, writable: true }),
    output: new Socket({ fd: output, readable: true, writable: false }),
    errors: new Socket({ fd: errors, readable: true, writable: false }),
  };
}

interface Connected extends Connections {
  pipes: Pipes;
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
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
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
    const limit = `ulimit -u ${processesMax};`;
    void second?.greet({ before: limit, keeper: makeKeeper(0) });
    return first.greet({ before: hasSecondShell ? `${limit} ${startSecond};` : limit, keeper });
  };
  const greeted = isConnected ? await Promise.race([greet(connected), ended, isLate]) : connected;
  limit.abort();
  if (!isConnected || greeted !== 0) {
    await endProcesses(child, ended, clock);
    // What it said last may not have been read yet.
    const enough = new AbortController();
    await Promise.race([closed, clock.sleep(sandboxLimits.endMs, enough.signal)]);
    enough.abort();
    const said = keeper.result().errors;
    const words =
      greeted === "late"
        ? "it took too long"
        : said.toString("latin1").trim() || `it ended by ${child.signalCode ?? "itself"}`;
    throw new SandboxError(
      `The sandbox could not be made: ${readFailure(said, start.program) ?? words}.`,
    );
  }
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  const kill = () => endProcesses(child, ended, clock);
  return {
    exec: makeCalls({ clock, connected, ended, kill }),
    kill,
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
