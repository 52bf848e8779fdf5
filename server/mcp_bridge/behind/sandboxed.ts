// A command that speaks MCP over its standard streams, in a sandbox of its own, which goes as the session ends.
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { serializeMessage } from "@modelcontextprotocol/server";
import type { Transport } from "@modelcontextprotocol/client";
import type { Clock } from "../../../kernel/base/clock.ts";
import {
  type FolderFile,
  SandboxError,
  type SandboxLimits,
  type SandboxNetwork,
  type SandboxProvider,
  shellWord,
} from "../../sandboxes/module.ts";
import { limits } from "../limits.ts";
import { type CommandLine, readLines } from "./lines.ts";

/** How the sandboxes of a bridge are made. */
export interface SandboxMaker {
  provider(): Promise<SandboxProvider>;
  limits: SandboxLimits;
  /** For one sandbox. */
  network(): SandboxNetwork;
  /** Of this machine: a session has what they hold as it begins, each below `/mnt` by its own name. */
  folders: readonly string[];
  /** What commands write to standard error. */
  onErrors(bytes: Buffer): void;
  /** How long a command may leave a message untaken; a minute where it is not said. */
  takeMs?: number;
}

/** A message goes to the command by a pipe that a second shell of the sandbox writes to. */
const pipe = "/tmp/mcp-input";

export function sandboxedTransport(
  { command, args, env }: CommandLine,
  maker: SandboxMaker,
  clock: Clock,
): Transport {
  let inside: Inside | undefined;
  const ended = new AbortController();
  const transport: Transport = {
    async start() {
      const { run, tell, destroy } = (inside = await begin(maker, env));
      const words = [command, ...args].map(shellWord).join(" ");
      const onOutput = readLines(transport, () => void destroy());
      void run(`(builtin exec -- ${words}) <${pipe}`, onOutput)
        .catch((error: unknown) => transport.onerror?.(error as Error))
        .finally(() => {
          ended.abort();
          transport.onclose?.();
        });
      // It opens when the command's side does, and stays open after this call.
      await tell(`exec 8>${pipe}`);
    },
    async send(message) {
      if (inside === undefined || ended.signal.aborted) throw new Error("The command has ended.");
      const { tell, destroy } = inside;
      try {
        await tell("cat >&8", Buffer.from(serializeMessage(message)));
      } catch (error) {
        // A part of it may stand in the pipe, and what came behind it could not be read.
        await destroy();
        throw error;
      }
    },
    async close() {
      if (inside === undefined) return;
      // Its input ends, and it may end by itself.
      await inside.tell("exec 8>&-").catch(() => {});
      await clock.sleep(limits.farewellMs, ended.signal);
      await inside.destroy();
    },
  };
  return transport;
}

type Inside = Awaited<ReturnType<typeof begin>>;

/** A sandbox with the folders and the pipe. */
async function begin(maker: SandboxMaker, env: CommandLine["env"]) {
  const provider = await maker.provider();
  const id = provider.layers.newSandboxId();
  const destroy = () => provider.destroy(id);
  const folders = maker.folders.map((folder) => ({ from: folder, path: placeOf(folder) }));
  try {
    await provider.ensure({
      sessionId: id,
      limits: maker.limits,
      env,
      network: maker.network(),
      folders: folders.map(({ path }) => ({ path, kind: "read_only" })),
      hasSecondShell: true,
    });
    for (const { from, path } of folders)
      await provider.fill(id, path, { files: await filesIn(from) });
    const made = { command: ["mkfifo", pipe], timeoutMs: limits.startMs, bytesMax: 1_024 };
    const { code, output } = await provider.exec(id, made);
    if (code !== 0) throw new SandboxError(`A sandbox here has no pipes: ${output.toString()}`);
  } catch (error) {
    await destroy();
    throw error;
  }
  return {
    destroy,
    /** Until the command ends, or the sandbox does. */
    run: (line: string, onOutput: (bytes: Buffer) => void) =>
      provider.exec(id, {
        command: line,
        timeoutMs: foreverMs,
        bytesMax: 0,
        isErrorApart: true,
        onOutput,
        onErrors: maker.onErrors,
      }),
    /** The second shell, beside the command. */
    async tell(line: string, stdin?: Uint8Array): Promise<void> {
      const told = {
        command: line,
        timeoutMs: maker.takeMs ?? limits.takeMs,
        bytesMax: 1_024,
        isBeside: true,
      };
      const { code } = await provider.exec(id, { ...told, ...(stdin && { stdin }) });
      if (code !== 0) throw new Error("The command takes no more, or has ended.");
    },
  };
}

const foreverMs = 2 ** 31 - 1;

export const placeOf = (folder: string): string => `/mnt/${basename(folder)}`;

/** Links to files are the files; links to directories, and what is no file, are left out. */
async function filesIn(folder: string): Promise<FolderFile[]> {
  const files: FolderFile[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const file = join(entry.parentPath, entry.name);
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile() !== true) continue;
    const isExecutable = (found.mode & 0o111) !== 0;
    files.push({ path: relative(folder, file), content: contentOf(file), isExecutable });
  }
  return files;
}

/** Opened as it is read: there may be many. */
async function* contentOf(file: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(file);
}
