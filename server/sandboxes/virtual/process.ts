// The process that runs the shell of one sandbox: started, given calls, and killed.
import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../../kernel/base/clock.ts";
import { sandboxLimits } from "../limits.ts";
import { type ExecRequest, type ExecResult, SandboxError, type SandboxSpec } from "../provider.ts";
import { searchProgram } from "../programs.ts";
import { shellWord } from "../request.ts";
import { type EndMessage, type HostDirectory, searchName, type StartMessage } from "./messages.ts";

const mib = 1024 * 1024;
/** What Node.js and the library take, 90 MiB when they have begun, and the heap beside what lives in it. */
const nodeBytes = 192 * mib;
const house = join(import.meta.dirname, "../../..");
const main = join(import.meta.dirname, "shell/main.ts");

export interface VirtualShell {
  exec(request: ExecRequest): Promise<Omit<ExecResult, "isRestarted">>;
  /** Resolves when the process is gone. */
  kill(): Promise<void>;
  readonly hasEnded: boolean;
}

/** The folder of packages in which the library lies. */
function packagesFolder(): string {
  const path = fileURLToPath(import.meta.resolve("just-bash"));
  return path.slice(0, path.lastIndexOf("node_modules") + "node_modules".length);
}

export async function startVirtualShell(
  { limits, env, folders = [] }: SandboxSpec,
  { clock, directories }: { clock: Clock; directories: readonly HostDirectory[] },
): Promise<VirtualShell> {
  const child = startProcess(directories, limits.memoryBytes);
  const gone = new Promise<"gone">((resolve) => {
    child.once("exit", () => resolve("gone"));
    child.once("error", () => resolve("gone"));
  });
  let hasEnded = false;
  void gone.then(() => (hasEnded = true));
  const kill = async (): Promise<void> => {
    hasEnded = true;
    child.kill("SIGKILL");
    await gone;
  };

  const limit = new AbortController();
  const late = clock.sleep(sandboxLimits.startMs, limit.signal).then(() => "late" as const);
  const first = await Promise.race([heard(child, "ready"), gone, late]);
  limit.abort();
  if (typeof first === "string") {
    await kill();
    throw new SandboxError(
      `The sandbox could not be made: its process ${first === "late" ? "took too long to start" : "ended at once"}.`,
    );
  }
  const inMemory = folders.filter(({ kind }) => kind === "in_memory");
  const memoryFolders = inMemory.map(({ path }) => path);
  const start: StartMessage = {
    directories,
    memoryFolders,
    env,
    memoryFilesBytes: limits.tmpBytes,
  };
  child.send({ start });

  return {
    async exec(request) {
      const outcome = await race({ clock, child, gone }, request);
      if (outcome === "timed out" || outcome === "aborted") await kill();
      if (typeof outcome === "string")
        return {
          code: null,
          output: Buffer.alloc(0),
          errors: Buffer.alloc(0),
          isTruncated: false,
          isTimedOut: outcome === "timed out",
          isAborted: outcome === "aborted",
        };
      if (outcome.hasEnded) await kill();
      return { code: outcome.code, ...keep(outcome, request), isTimedOut: false, isAborted: false };
    },
    kill,
    get hasEnded() {
      return hasEnded;
    },
  };
}

function startProcess(directories: readonly HostDirectory[], memoryBytes: number): ChildProcess {
  const mayRead = [
    import.meta.dirname,
    packagesFolder(),
    ...["package.json", "kernel/base"].map((path) => join(house, path)),
    ...directories.map(({ directory }) => directory),
  ];
  const mayWrite = directories.filter(({ isReadOnly }) => !isReadOnly);
  const child = fork(main, [`${memoryBytes + nodeBytes}`], {
    cwd: directories[0]?.directory,
    env: {},
    execArgv: [
      "--permission",
      ...mayRead.map((path) => `--allow-fs-read=${path}`),
      ...mayWrite.map(({ directory }) => `--allow-fs-write=${directory}`),
      // Only for the thread that looks whether the server lives.
      "--allow-worker",
      "--disable-warning=ExperimentalWarning",
      "--disable-warning=SecurityWarning",
      `--max-old-space-size=${Math.max(64, Math.floor(memoryBytes / mib))}`,
    ],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    // No Ctrl-C of the server's terminal.
    detached: true,
  });
  return child;
}

/** The next message that has this part. */
function heard(child: ChildProcess, part: string): Promise<{ value: unknown }> {
  return new Promise((resolve) => {
    const look = (message: unknown) => {
      const value = (message as Record<string, unknown>)[part];
      if (value === undefined) return;
      child.off("message", look);
      resolve({ value });
    };
    child.on("message", look);
  });
}

async function race(
  { clock, child, gone }: { clock: Clock; child: ChildProcess; gone: Promise<"gone"> },
  request: ExecRequest,
): Promise<EndMessage | "gone" | "timed out" | "aborted"> {
  const { command, stdin = new Uint8Array(), timeoutMs, signal } = request;
  if (signal?.aborted === true) return "aborted";
  const line = typeof command === "string" ? command : lineOf(command);
  const end = heard(child, "end").then(({ value }) => value as EndMessage);
  // Where it is gone, its end says so.
  child.send({ call: { line, stdin } }, () => {});
  const limit = new AbortController();
  const stopped = Promise.withResolvers<"aborted">();
  const onAbort = () => stopped.resolve("aborted");
  signal?.addEventListener("abort", onAbort, { once: true });
  const late = clock.sleep(timeoutMs, limit.signal).then(() => "timed out" as const);
  try {
    return await Promise.race([end, gone, stopped.promise, late]);
  } finally {
    limit.abort();
    signal?.removeEventListener("abort", onAbort);
  }
}

const names: Readonly<Record<string, string>> = {
  [searchProgram]: searchName,
  "/bin/bash": "bash",
  "/bin/sh": "sh",
  "/usr/bin/env": "env",
};

/** A program at a path is a script for the library, and gets nine words at most: those of the server have names. */
function lineOf(words: readonly string[]): string {
  const named = words.map((word) => names[word] ?? word);
  return `(command ${named.map(shellWord).join(" ")})`;
}

/** Errors come after output: the library does not tell in which order they were written. */
function keep({ output, errors }: EndMessage, { bytesMax, isErrorApart }: ExecRequest) {
  const isTruncated = output.length + errors.length > bytesMax;
  const shown = Buffer.from(output).subarray(0, bytesMax);
  const complained = Buffer.from(errors).subarray(0, bytesMax - shown.length);
  return isErrorApart === true
    ? { output: shown, errors: complained, isTruncated }
    : { output: Buffer.concat([shown, complained]), errors: Buffer.alloc(0), isTruncated };
}
