// A command of the CLI in this process, which is ten times as quick as one of its own: as when both its streams go
// into pipes and its standard input is empty.
import { mock } from "node:test";
import { main } from "../../bin.ts";
import { systemClock } from "../../kernel/base/clock.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { processTerminal } from "../../cli/process-terminal.ts";
import { testTimeoutMs } from "../test-timeout.ts";
import type { Result } from "./plinth.ts";

export async function runInProcess(
  args: readonly string[],
  env: Record<string, string>,
): Promise<Result> {
  const output: Buffer[] = [];
  let stderr = "";
  const { PATH = "", HOME = "" } = process.env;
  const code = await main(args, {
    ...processTerminal({ PATH, HOME, ...env }, systemClock, systemRandom),
    write: (text) => void output.push(Buffer.from(text)),
    writeBytes: async (bytes) => void output.push(Buffer.from(bytes)),
    note: (text) => void (stderr += text),
    dim: (text) => text,
    color: (_name, text) => text,
    isPerson: { input: false, output: false, notes: false },
    columns: () => 0,
    screenColumns: () => 0,
    readInput: async () => "",
    input: () => ReadableStream.from<Uint8Array>([]),
    readLine: async () => "",
  });
  return { code, stdout: Buffer.concat(output).toString(), stderr };
}

/**
 * A command of the server that is refused for its settings, in this process: those it reads from the process' own
 * environment and directory, so no two at once.
 */
export async function runRefused(
  args: readonly string[],
  { env = {}, cwd }: { env?: Record<string, string>; cwd: string },
): Promise<Result> {
  const before = { env: process.env, cwd: process.cwd() };
  const over = new AbortController();
  const printed: string[] = [];
  const write = process.stdout.write.bind(process.stdout);
  // Bytes are what `node --test` tells of its tests: they are no command's, and get through.
  const stdout = mock.method(process.stdout, "write", (printing: string | Uint8Array) =>
    typeof printing === "string" ? printed.push(printing) > 0 : write(printing),
  );
  try {
    const { PATH = "", HOME = cwd } = before.env;
    process.env = { PATH, HOME, ...env };
    process.chdir(cwd);
    const result = await Promise.race([runInProcess(args, env), late(over.signal)]);
    return { ...result, stdout: printed.join("") + result.stdout };
  } finally {
    over.abort();
    stdout.mock.restore();
    process.env = before.env;
    process.chdir(before.cwd);
  }
}

/** One that is not refused serves until it is told to stop. */
async function late(over: AbortSignal): Promise<never> {
  await systemClock.sleep(testTimeoutMs, over);
  throw new Error("The command was not refused.");
}
