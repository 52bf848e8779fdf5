// What the tools share: the right Node, running a program, and the one closing line that says how it went.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { delimiter, join } from "node:path";

export const root = join(import.meta.dirname, "..");
export const bin = join(root, "node_modules/.bin");

const nodeMajorMin = 26;

/**
 * npm puts node_modules/.bin first on the PATH, and with it the Node that the package `node` brings. A
 * tool that is called directly with an older one starts itself again.
 */
export function expectNode(): void {
  const major = Number(process.versions.node.split(".")[0]);
  if (major >= nodeMajorMin) return;
  const node = join(bin, "node");
  if (!existsSync(node)) {
    process.stderr.write(`Node ${process.versions.node} is too old: run npm ci first.\n`);
    process.exit(1);
  }
  const { status } = spawnSync(node, process.argv.slice(1), { stdio: "inherit", env: toolEnv() });
  process.exit(status ?? 1);
}

/** Stripped and compiled once for all: `plinth` keeps its own there, too. Safe beside others and when it is gone. */
const compileCache = join(root, "node_modules/.cache/plinth");

export function toolEnv(extra: Record<string, string | undefined> = {}): NodeJS.ProcessEnv {
  const path = `${bin}${delimiter}${process.env["PATH"] ?? ""}`;
  return {
    ...process.env,
    PATH: path,
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? compileCache,
    // Set by node:test for its children: a nested run would report to the outer one.
    NODE_TEST_CONTEXT: undefined,
    ...extra,
  };
}

export interface Ran {
  ok: boolean;
  seconds: number;
  output: string;
}

interface RunOptions {
  env?: Record<string, string | undefined>;
  /** Shows the output as it comes. */
  show?: boolean;
  /** Longer than this is a failure. */
  secondsMax?: number;
}

/** Runs a program to its end, both its streams in one text. */
export function runProgram(
  program: string,
  args: readonly string[],
  { env, show = false, secondsMax = 600 }: RunOptions = {},
): Promise<Ran> {
  const started = performance.now();
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: root,
      env: toolEnv(env),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const take = (chunk: Buffer) => {
      output += chunk.toString();
      if (show) process.stdout.write(chunk);
    };
    const timer = setTimeout(() => {
      take(Buffer.from(`\n${program} is stopped: it takes longer than ${secondsMax} s.\n`));
      child.kill("SIGKILL");
    }, secondsMax * 1000);
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.on("error", (error) => take(Buffer.from(`${error.message}\n`)));
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ ok: code === 0, seconds: (performance.now() - started) / 1000, output });
    });
  });
}

export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

export const sum = (tallies: readonly Tally[]): Tally => ({
  passed: tallies.reduce((total, { passed }) => total + passed, 0),
  failed: tallies.reduce((total, { failed }) => total + failed, 0),
  skipped: tallies.reduce((total, { skipped }) => total + skipped, 0),
});

const closingLine = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/;

/** The closing line of a program, when it has one. */
export function tallyOf(output: string): Tally | undefined {
  const last = output.trimEnd().split("\n").at(-1) ?? "";
  const found = closingLine.exec(last);
  if (found === null) return undefined;
  return { passed: Number(found[1]), failed: Number(found[2]), skipped: Number(found[3] ?? 0) };
}

/** Prints the closing line, alone on its line, and ends the process by it. Nothing passed is a failure. */
export function finish({ passed, failed, skipped }: Tally): never {
  process.stdout.write(
    `\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`,
  );
  process.exit(failed > 0 || passed === 0 ? 1 : 0);
}

export const cores = Math.max(1, availableParallelism());

/** A line of progress: what, how it went, how long. */
export function progress(ok: boolean, what: string, seconds: number): void {
  process.stdout.write(
    `${ok ? "ok    " : "FAILED"} ${seconds.toFixed(1).padStart(6)} s  ${what}\n`,
  );
}
