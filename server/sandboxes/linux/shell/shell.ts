// The shell that lives in a sandbox from call to call. It reads what it runs from a pipe, line by line, as if someone
// typed: so `break`, `declare` and `cd` mean what they mean there.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, writeFileSync } from "node:fs";
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
import { openNetwork } from "./network.ts";
import { openPipes, type Pipes } from "./pipes.ts";
import { type Frames, makeFrames, makeKeeper, markText } from "./frames.ts";

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
  cgroup: Cgroup;
  network?: SandboxNetwork | undefined;
}

/** What the runner says of a call that failed, or a program in its place. */
const reportBytesMax = 500;

type Ending = { code: number | null };

/** Throws a SandboxError where the sandbox could not be made. */
export async function startShell(start: ShellStart): Promise<Shell> {
  const { clock } = start;
  const child = spawnRunner(start);
  const frames = { output: makeFrames(), errors: makeFrames() };
  const report = makeKeeper(reportBytesMax);
  void frames.errors.expect(newMark(start), report.keepErrors);
  const endNetwork = openNetwork(child, start.network);
  const exited = new Promise<Ending>((resolve) => {
    child.once("exit", (code) => resolve({ code }));
    child.once("error", (error) => {
      report.keepErrors(Buffer.from(error.message));
      resolve({ code: null });
    });
  });
  void exited.then(endNetwork);
  const limit = new AbortController();
  const isLate = clock.sleep(sandboxLimits.startMs, limit.signal).then(() => "late" as const);
  const connected = connect(child, start, report.keepErrors).catch((error: Error) => {
    report.keepErrors(Buffer.from(error.message));
    child.kill("SIGKILL");
    return exited;
  });
  const pipes = await Promise.race([connected, exited, isLate]);
  const isConnected = pipes !== "late" && "control" in pipes;
  const ended = waitForEnd(exited, start.cgroup, isConnected ? pipes : undefined, frames);
  const first = isConnected
    ? await Promise.race([greet(pipes, start, frames), ended, isLate])
    : pipes;
  limit.abort();
  if (!isConnected || first !== 0) {
    await endProcesses(child, ended, clock);
    const said = report.result().errors;
    const words = first === "late" ? "it took too long" : said.toString("latin1").trim();
    throw new SandboxError(
      `The sandbox could not be made: ${readFailure(said, start.program) ?? words}.`,
    );
  }
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  return {
    exec: (request) => execIn({ start, child, pipes, frames, ended }, request),
    kill: () => endProcesses(child, ended, clock),
    get hasEnded() {
      return hasEnded;
    },
    get folders() {
      return pipes.folders;
    },
  };
}

/** Resolves once the runner has made the pipes; what it says instead is why it ends. */
async function connect(
  child: ChildProcess,
  { program, machine }: ShellStart,
  keep: (bytes: Buffer) => void,
): Promise<Pipes> {
  const { stdin, stderr, pid } = child;
  if (stdin === null || stderr === null) throw new Error("the runner has no pipes");
  // Its end is told by the process.
  stdin.on("error", () => {});
  stdin.write(encodeProgram(program, machine));
  return await new Promise((resolve, reject) => {
    stderr.on("data", (bytes: Buffer) => {
      if (bytes.length !== 1 || pid === undefined) return keep(bytes);
      try {
        const pipes = openPipes(pid);
        stdin.end("g");
        resolve(pipes);
      } catch (error) {
        reject(error);
      }
    });
  });
}

type FramesOfBoth = { output: Frames; errors: Frames };

/** Its answer is 0, and says that the shell is there. */
function greet(pipes: Pipes, start: ShellStart, frames: FramesOfBoth): Promise<number> {
  const mark = newMark(start);
  const isReady = frames.output.expect(mark, () => {});
  pipes.output.on("data", frames.output.take);
  pipes.errors.on("data", frames.errors.take);
  pipes.control.write(
    // Copies that no program gets: what a call does to its own output is undone when it ends.
    `exec 3>&1 4>&2; ulimit -u ${start.processesMax}; builtin printf '${printable(mark)}0\\000' >&3\n`,
  );
  return isReady;
}

interface Running {
  start: ShellStart;
  child: ChildProcess;
  pipes: Pipes;
  frames: FramesOfBoth;
  ended: Promise<Ending>;
}

async function execIn(
  { start, child, pipes, frames, ended }: Running,
  request: ExecRequest,
): Promise<Omit<ExecResult, "isRestarted">> {
  const { clock } = start;
  const isApart = request.isErrorApart === true;
  const keeper = makeKeeper(request.bytesMax);
  // Nothing of it has begun.
  if (request.signal?.aborted === true)
    return { code: null, ...keeper.result(), isTimedOut: false, isAborted: true };
  const mark = newMark(start);
  const outputEnds = frames.output.expect(mark, (bytes) => {
    keeper.keepOutput(bytes);
    request.onOutput?.(bytes);
  });
  const errorsEnd = isApart ? frames.errors.expect(mark, keeper.keepErrors) : Promise.resolve(0);
  const isDone = Promise.all([outputEnds, errorsEnd]).then(([code]) => ({ code }));
  const limit = new AbortController();
  const stopped = Promise.withResolvers<"aborted">();
  const onAbort = () => stopped.resolve("aborted");
  request.signal?.addEventListener("abort", onAbort, { once: true });
  for (const piece of scriptOf(request, mark)) pipes.control.write(piece);
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

/** 128 bits: what a program writes by chance or on purpose is not this. */
const newMark = ({ random }: ShellStart) => random.bytes(16).toString("hex");

const printable = (mark: string) => markText(mark).replace("\0", "\\000");

function scriptOf(
  { command, stdin, isErrorApart }: ExecRequest,
  mark: string,
): (string | Uint8Array)[] {
  const line =
    typeof command === "string" ? command : `(builtin exec -- ${command.map(quoted).join(" ")})`;
  const errors = isErrorApart === true ? 4 : 3;
  const input = stdin === undefined ? "/dev/null" : "/run/stdin";
  const ending = `builtin printf '${printable(mark)}%s\\000' "$?"`;
  return [
    ...(stdin === undefined || stdin.length === 0
      ? []
      : [
          `/usr/bin/head -c ${stdin.length} >/run/stdin 2>&3 3>&- 4>&- || builtin exit 125\n`,
          stdin,
        ]),
    ...(stdin?.length === 0 ? ["builtin : >/run/stdin\n"] : []),
    `{ builtin eval ${quoted(line)}\n} <${input} >&3 2>&${errors} 3>&- 4>&-\n`,
    // This line is read when the call has ended: until then no program of it can know the mark.
    `${ending} >&3${errors === 4 ? ` && builtin printf '${printable(mark)}0\\000' >&4` : ""}\n`,
  ];
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** A sentence where the request asks for what cannot be given. */
export function findFault({ command, stdin }: ExecRequest): string | undefined {
  const words = typeof command === "string" ? [command] : command;
  const { commandBytesMax, stdinBytesMax } = sandboxLimits;
  if (words.length === 0) return "A command names a program.";
  if (words.some((word) => word.includes("\0"))) return "A command has no NUL byte in it.";
  if (words.reduce((sum, word) => sum + Buffer.byteLength(word), 0) > commandBytesMax)
    return `A command has at most ${commandBytesMax} bytes.`;
  if (stdin !== undefined && stdin.length > stdinBytesMax)
    return `Standard input has at most ${stdinBytesMax} bytes.`;
  return undefined;
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

async function waitForEnd(
  exited: Promise<Ending>,
  cgroup: Cgroup,
  pipes: Pipes | undefined,
  frames: FramesOfBoth,
): Promise<Ending> {
  // The server's writes may meet a dead reader: the end of the process says so already.
  pipes?.control.on("error", () => {});
  const streams = pipes === undefined ? [] : [pipes.output, pipes.errors];
  const closed = streams.map((stream) => new Promise((resolve) => stream.once("close", resolve)));
  const ending = await exited;
  // What is still in the pipes is read to its end: nothing else has them open any more.
  streams.forEach((stream) => stream.resume());
  await Promise.all(closed);
  frames.output.end();
  frames.errors.end();
  pipes?.control.destroy();
  // Before anyone starts the sandbox again: with it open, the image of the workspace would still be mounted.
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
