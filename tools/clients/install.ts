// Where the clients live: a scratch directory with a folder for each, into which npm installs it once.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { progress, runProgram } from "../run.ts";
import type { Client } from "./client-list.ts";

const programs = join(import.meta.dirname, "programs");
const installSecondsMax = 900;

export const folderOf = (directory: string, { id, folder = id }: Client) =>
  join(directory, "clients", folder);

/** What stands in its package.json; the same text again means that there is nothing to install. */
function manifestOf({ packages, scripts = [] }: Client): string {
  const allowScripts = Object.fromEntries(scripts.map((name) => [name, true]));
  const manifest = { private: true, type: "module", dependencies: packages, allowScripts };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

const marker = (directory: string, client: Client) =>
  join(folderOf(directory, client), "installed.json");

export function isInstalled(directory: string, client: Client): boolean {
  const file = marker(directory, client);
  return existsSync(file) && readFileSync(file, "utf8") === manifestOf(client);
}

/** True where it lies there now; what npm says goes to the terminal. */
export async function install(directory: string, client: Client): Promise<boolean> {
  if (isInstalled(directory, client)) return true;
  const folder = folderOf(directory, client);
  const manifest = manifestOf(client);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), manifest);
  const flags = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
  const args = ["install", "--prefix", folder, ...flags];
  const { ok, output, seconds } = await runProgram("npm", args, { secondsMax: installSecondsMax });
  progress(ok, `npm installs ${client.id}`, seconds);
  if (ok) writeFileSync(marker(directory, client), manifest);
  else process.stdout.write(`${output.trim()}\n`);
  return ok;
}

/** A program resolves what it imports from where it lies, so it lies beside the packages. */
export function putPrograms(directory: string, client: Client): string {
  const folder = folderOf(directory, client);
  for (const name of ["flows.mjs", client.program, client.upstream?.program])
    if (name !== undefined) cpSync(join(programs, name), join(folder, name));
  return folder;
}
