// The shell of a sandbox that is a container: programs that the daemon runs in it, beside the first one that holds it.
import type { Writable } from "node:stream";
import type { Clock } from "../../../kernel/base/clock.ts";
import type { Random } from "../../../kernel/base/random.ts";
import { sandboxLimits } from "../limits.ts";
import { SandboxError } from "../provider.ts";
import { type Connections, type Ending, makeCalls, type Shell } from "../shell/calls.ts";
import { type Connection, connectShell, shellWords } from "../shell/connection.ts";
import { makeKeeper } from "../shell/frames.ts";
import { EngineError } from "./engine/connection.ts";
import type { Engine } from "./engine/engine.ts";
import { isProcessOf } from "./listener.ts";

export interface ContainerStart {
  clock: Clock;
  random: Random;
  engine: Engine;
  name: string;
  container: object;
  hasSecondShell: boolean;
  /** Before the first line runs; the result ends it. */
  openNetwork: (id: string) => Promise<() => void>;
  /** What the container had of the machine, when it is gone. */
  release: () => Promise<void>;
  /** Of the directory of the folders; `release` closes it. */
  folders: { descriptor: number | undefined };
}

/** What a shell says that does not start. */
const reportBytesMax = 500;
/** As the kernel tells of what was killed. */
const killedCode = 137;
const statusMs = 2_000;
const lookMs = 20;

/** Throws a SandboxError where the sandbox could not be made. */
export async function startContainer(start: ContainerStart): Promise<Shell & { id: string }> {
  const { engine } = start;
  let id: string | undefined;
  let pid: number | undefined;
  let endNetwork = () => {};
  let held: Writable | undefined;
  try {
    id = await engine.create(start.name, start.container);
    const { control, output, errors } = await engine.attach(id);
    held = control;
    for (const stream of [output, errors]) stream.resume();
    await engine.start(id);
    const gone = engine.waitForRemoval(id);
    gone.catch(() => {}); // it is waited for below
    pid = await engine.pidOf(id);
    endNetwork = await start.openNetwork(id);
    const shells = await openShells(start, id);
    const ended = waitForEnd({ ...start, id, pid, gone, shells, endNetwork }).finally(() =>
      control.destroy(),
    );
    return makeShell({ ...start, id, pid, shells, ended });
  } catch (error) {
    endNetwork();
    if (id !== undefined) await end(engine, { id, pid });
    held?.destroy();
    await start.release();
    throw error;
  }
}

interface OpenedShell {
  connection: Connection;
  control: Writable;
  execId: string;
  closed: Promise<unknown>;
}

interface OpenedShells {
  first: OpenedShell;
  second: OpenedShell | undefined;
}

async function openShells(start: ContainerStart, id: string): Promise<OpenedShells> {
  const { clock, engine, random, hasSecondShell } = start;
  const open = async (stdinFile: string): Promise<OpenedShell> => {
    const { execId, streams } = await engine.run(id, ["/bin/bash", ...shellWords.slice(1)]);
    const closed = new Promise((resolve) => streams.control.once("close", resolve));
    const connection = connectShell(streams, { random, stdinFile });
    return { connection, control: streams.control, execId, closed };
  };
  const [first, second] = await Promise.all([
    open("/run/stdin"),
    hasSecondShell ? open("/run/stdin-beside") : undefined,
  ]);
  const keeper = makeKeeper(reportBytesMax);
  const greet = async (shell: OpenedShell | undefined) => await shell?.connection.greet({ keeper });
  const greetings = [greet(first), greet(second)];
  const limit = new AbortController();
  const greeted = await Promise.race([
    Promise.all(greetings).then((codes) => codes.every((code) => code === 0 || code === undefined)),
    first.closed.then(() => "ended" as const),
    clock.sleep(sandboxLimits.startMs, limit.signal).then(() => "late" as const),
  ]);
  limit.abort();
  if (greeted === true) return { first, second };
  const said = keeper.result().errors.toString("latin1").trim();
  const words = greeted === "late" ? "its shell took too long" : said || "its shell ended";
  throw new SandboxError(words);
}

interface Container {
  id: string;
  /** Of its first program, seen from the daemon's machine; undefined where it has not started. */
  pid: number | undefined;
}

interface Held extends ContainerStart, Container {
  gone: Promise<void>;
  shells: OpenedShells;
  endNetwork: () => void;
}

/** With the shell the container ends, and with it all that runs in it. */
async function waitForEnd(held: Held): Promise<Ending> {
  const { engine, clock, gone, shells, endNetwork, release } = held;
  const { first, second } = shells;
  const isGone = await Promise.race([
    first.closed.then(() => false),
    gone.then(
      () => true,
      () => false,
    ),
  ]);
  const code = isGone ? null : await readCode(engine, first.execId, clock);
  endNetwork();
  await end(engine, held);
  await closeAll([first, second], clock);
  await release();
  return { code: code ?? killedCode };
}

/** What they have sent is read; a daemon that does not end them is not waited for. */
async function closeAll(shells: (OpenedShell | undefined)[], clock: Clock): Promise<void> {
  const limit = new AbortController();
  const closed = Promise.all(shells.map(async (shell) => await shell?.connection.close()));
  await Promise.race([closed, clock.sleep(sandboxLimits.endMs, limit.signal)]);
  limit.abort();
  for (const shell of shells) shell?.control.destroy();
  await closed;
}

/** The daemon knows it a moment after the streams have ended. */
async function readCode(engine: Engine, execId: string, clock: Clock): Promise<number | null> {
  try {
    for (let waitedMs = 0; waitedMs < statusMs; waitedMs += lookMs) {
      const code = await engine.exitCodeOf(execId);
      if (code !== null) return code;
      await clock.sleep(lookMs);
    }
    return null;
  } catch (error) {
    if (error instanceof EngineError) return null;
    throw error;
  }
}

/**
 * A daemon that was killed leaves containers to run on, until it starts again. With the first program the kernel ends
 * all of one. Who starts the sandbox again looks for what is left of it first.
 */
async function end(engine: Engine, { id, pid }: Container): Promise<boolean> {
  try {
    await engine.remove(id);
    return true;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    if (pid !== undefined && isProcessOf(pid, id)) killIfMay(pid);
    return false;
  }
}

/** Only root may: else the daemon ends it, when it is there again. */
function killIfMay(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EPERM" && code !== "ESRCH") throw error;
  }
}

interface Running extends ContainerStart, Container {
  shells: OpenedShells;
  ended: Promise<Ending>;
}

function makeShell(running: Running): Shell & { id: string } {
  const { clock, engine, id, shells, ended } = running;
  const { first, second } = shells;
  const connected: Connections = { first: first.connection, second: second?.connection };
  // The agent can end it; what is asked of it then is told at once.
  void second?.closed.then(() => (connected.second = undefined));
  let hasEnded = false;
  const mark = () => (hasEnded = true);
  // Also where the machine could not let go of what it had mounted: who starts it again is told.
  void ended.then(mark, mark);
  const kill = async (): Promise<void> => {
    if (!(await end(engine, running))) first.control.destroy();
    await ended;
  };
  return {
    id,
    exec: makeCalls({ clock, connected, ended, kill }),
    kill,
    get hasEnded() {
      return hasEnded;
    },
    get folders() {
      return running.folders.descriptor;
    },
  };
}
