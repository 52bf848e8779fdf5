// What every program of this folder is written with: flows by name, one line of JSON for each on standard output.
import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

/** The address of the server, its key, and a directory that the flows may fill. */
export const url = process.env.ANTHROPIC_BASE_URL ?? "";
export const key = process.env.ANTHROPIC_API_KEY ?? "";
/** The program of the server, for flows of its commands. */
export const plinth = process.env.CLIENTS_PLINTH ?? "";
export const scratch = process.env.CLIENTS_SCRATCH ?? ".";

/** Flows run one after the other; one that fails does not keep the next from running. */
export async function flow(name, run) {
  const started = performance.now();
  const tell = (outcome) => {
    const seconds = Math.round(performance.now() - started) / 1000;
    process.stdout.write(`${JSON.stringify({ flow: name, seconds, ...outcome })}\n`);
  };
  try {
    await run();
    tell({ ok: true });
  } catch (error) {
    tell({ ok: false, error: String(error instanceof Error ? error.stack : error) });
  }
}

let folders = 0;

/** An empty directory for one flow, named the same in each run: the name may stand in what a client sends. */
export function folder(name) {
  folders++;
  const made = join(scratch, `${name}-${folders}`);
  mkdirSync(made, { recursive: true });
  return made;
}

/** Runs a command line program to its end, with this text on its standard input. */
export function command(
  program,
  args,
  { cwd = scratch, env = {}, input = "", seconds = 120 } = {},
) {
  return new Promise((resolve) => {
    const options = {
      cwd,
      env: { ...process.env, ...env },
      timeout: seconds * 1000,
      maxBuffer: 64 * 1024 * 1024,
    };
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (error.code ?? 1), stdout, stderr });
    });
    child.stdin?.end(input);
  });
}
