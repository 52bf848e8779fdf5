// The shell of one sandbox: one script of the library that runs for as long as the shell lives and takes its lines from
// the server, so that the directory, variables, functions and options of a call are there at the next one.
import {
  Bash,
  defineCommand,
  type ExecResult,
  type IFileSystem,
  InMemoryFs,
  MountableFs,
  ReadWriteFs,
} from "just-bash";
import type { CallMessage, EndMessage, HostDirectory, StartMessage } from "../messages.ts";
import { commands } from "./commands.ts";
import { readFunction } from "./read.ts";

const [input, output, errors] = ["/run/stdin", "/run/stdout", "/run/stderr"];
const lineVariable = "PLINTH_LINE";

/**
 * `break` and `continue` of a line leave no more than the loops here, which come back for the next one. What a line
 * does to the descriptors with `exec` is undone after it.
 */
const script = `${readFunction}while :; do while :; do while plinth-next; do
{ eval "$${lineVariable}"; } <${input} >${output} 2>${errors}
plinth-done $?
exec 0<&- >/dev/stdout 2>/dev/stderr
done; done; done`;

/** The library counts over the life of the shell; time, memory and processes are held from outside. */
const endless = Number.MAX_SAFE_INTEGER;
const limits = {
  maxCommandCount: endless,
  maxLoopIterations: endless,
  maxAwkIterations: endless,
  maxSedIterations: endless,
  maxJqIterations: endless,
  maxWorkUnits: endless,
  maxTraversalWork: endless,
  maxTraversalEntries: endless,
  maxGlobOperations: endless,
  maxInputBytes: endless,
  maxLiveBytes: endless,
  maxOutputSize: endless,
  maxExecutionTimeMs: 2 ** 31 - 1,
};

/** A longer file is not opened, because it would be read whole. */
const fileReadBytesMax = 128 * 1024 ** 2;

export interface ShellEnds {
  /** Resolves with the next call. */
  next: () => Promise<CallMessage>;
  ended: (end: EndMessage) => void;
}

/** Resolves when the shell has ended, with what the last call left. */
export async function runShell(start: StartMessage, { next, ended }: ShellEnds): Promise<void> {
  const memory = makeMemory(start.memoryFilesBytes);
  for (const path of start.memoryFolders) await memory.mkdir(path, { recursive: true });
  let isRunning = false;

  const finish = async (code: number, hasEnded: boolean, rest?: ExecResult): Promise<void> => {
    isRunning = false;
    const [written, complained] = await Promise.all([take(memory, output), take(memory, errors)]);
    ended({
      code,
      output: Buffer.concat([written, Buffer.from(rest?.stdout ?? "")]),
      errors: Buffer.concat([complained, Buffer.from(rest?.stderr ?? "")]),
      hasEnded,
    });
  };

  const nextCall = defineCommand("plinth-next", async (_args, context) => {
    // The line before ended with `break` or `continue`.
    if (isRunning) await finish(0, false);
    const { line, stdin } = await next();
    isRunning = true;
    await memory.writeFile(input, stdin);
    await context.assignShellVariable?.(lineVariable, line);
    return { stdout: "", stderr: "", exitCode: 0 };
  });
  const callDone = defineCommand("plinth-done", async ([code = "0"]) => {
    await finish(Number(code), false);
    return { stdout: "", stderr: "", exitCode: 0 };
  });

  const customCommands = [...commands, nextCall, callDone];
  // The library puts the name of each program and its devices into a file system that is memory alone.
  void new Bash({ fs: memory, cwd: "/", customCommands });
  const shell = new Bash({
    fs: makeFiles(memory, start.directories),
    cwd: "/workspace",
    env: { HOME: "/tmp", TMPDIR: "/tmp", ...start.env },
    customCommands,
    executionLimits: limits,
  });
  const result = await shell.exec(script, { rawScript: true });
  await finish(result.exitCode, true, result);
}

function makeMemory(bytesMax: number): InMemoryFs {
  return new InMemoryFs({ [input]: "", "/tmp/.keep": "" }, { maxTotalBytes: bytesMax });
}

/** Directories of the host, without links; all else is memory. */
function makeFiles(memory: InMemoryFs, directories: readonly HostDirectory[]): MountableFs {
  const files = new MountableFs({ base: memory });
  for (const { path, directory, isReadOnly } of directories) {
    const inside = new ReadWriteFs({ root: directory, maxFileReadSize: fileReadBytesMax });
    files.mount(path, isReadOnly ? Object.assign(inside, refusals(path)) : inside);
  }
  return files;
}

/** Node.js refuses it too: this says so in the words of a shell. */
function refusals(folder: string): Partial<IFileSystem> {
  const refuse = (path: string) =>
    Promise.reject(new Error(`EROFS: read-only file system, '${folder}${path}'`));
  return {
    writeFile: refuse,
    appendFile: refuse,
    mkdir: refuse,
    rm: refuse,
    mv: refuse,
    cp: refuse,
    chmod: refuse,
    symlink: refuse,
    link: refuse,
    utimes: refuse,
  };
}

async function take(memory: InMemoryFs, path: string): Promise<Uint8Array> {
  if (!(await memory.exists(path))) return new Uint8Array();
  const bytes = await memory.readFileBuffer(path);
  await memory.writeFile(path, "");
  return bytes;
}
