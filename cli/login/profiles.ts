// The sign-ins on this machine: profiles in files, in the form that the official client reads too.
import { mkdir, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";

type Env = Terminal["env"];

/** `configs/NAME.json`. */
export interface ProfileConfig {
  version: string;
  base_url: string;
  organization_id: string;
  workspace_id?: string;
  authentication: { type: "user_oauth"; client_id: string; scope: string };
}

/** `credentials/NAME.json`, readable by its owner alone. */
export interface Credentials {
  version: string;
  type: "oauth_token";
  access_token: string;
  /** In seconds since 1970. */
  expires_at: number;
  refresh_token: string;
}

export interface Profile {
  name: string;
  config: ProfileConfig;
}

const namePattern = /^(?!\.\.?$)[A-Za-z0-9_.-]{1,100}$/;

export function expectProfileName(name: string): string {
  if (namePattern.test(name)) return name;
  throw new CliError(
    `${JSON.stringify(name)} is no name of a profile: letters, digits, _, . and - only.`,
    exitCodes.usage,
  );
}

/** Undefined without a home directory. */
function directoryOf(env: Env): string | undefined {
  const configured = env["PLINTH_CONFIG_DIR"];
  if (configured) return configured;
  const home = env["XDG_CONFIG_HOME"] || (env["HOME"] && join(env["HOME"], ".config"));
  return home ? join(home, "plinth") : undefined;
}

function configDirectory(env: Env): string {
  const directory = directoryOf(env);
  if (directory === undefined)
    throw new CliError("Set PLINTH_CONFIG_DIR: there is no HOME to keep the sign-in in.");
  return directory;
}

const configPath = (env: Env, name: string) =>
  join(configDirectory(env), "configs", `${name}.json`);
export const credentialsPath = (env: Env, name: string) =>
  join(configDirectory(env), "credentials", `${name}.json`);
const activePath = (env: Env) => join(configDirectory(env), "active_config");

/** The requested profile, or the active one; undefined without a sign-in. */
export async function readProfile(env: Env, requested?: string): Promise<Profile | undefined> {
  if (directoryOf(env) === undefined) return undefined;
  const name = requested ?? env["PLINTH_PROFILE"] ?? (await textOf(activePath(env)))?.trim();
  const chosen = expectProfileName(name === undefined || name === "" ? "default" : name);
  const config = await jsonOf<ProfileConfig>(configPath(env, chosen));
  return config === undefined ? undefined : { name: chosen, config };
}

export async function readCredentials(env: Env, name: string): Promise<Credentials | undefined> {
  const path = credentialsPath(env, name);
  const credentials = await jsonOf<Credentials>(path);
  if (credentials !== undefined && ((await stat(path)).mode & 0o077) !== 0)
    throw new CliError(`${path} can be read by others: chmod 600 ${path}, then sign in again.`);
  return credentials;
}

export async function writeProfile(
  env: Env,
  { name, config }: Profile,
  credentials: Credentials,
): Promise<void> {
  await writeWhole(credentialsPath(env, name), credentials);
  await writeWhole(configPath(env, name), config);
  await writeWhole(activePath(env), `${name}\n`);
}

export const writeCredentials = (env: Env, name: string, credentials: Credentials) =>
  writeWhole(credentialsPath(env, name), credentials);

export async function removeProfile(env: Env, name: string): Promise<void> {
  await rm(credentialsPath(env, name), { force: true });
  await rm(configPath(env, name), { force: true });
  if ((await textOf(activePath(env)))?.trim() === name) await rm(activePath(env), { force: true });
}

/** No reader sees half a file: written beside it, then renamed. */
async function writeWhole(path: string, content: object | string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const beside = `${path}.${process.pid}.tmp`;
  const text = typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`;
  try {
    const file = await open(beside, "wx", 0o600);
    try {
      await writeFile(file, text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new CliError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

async function jsonOf<T>(path: string): Promise<T | undefined> {
  const text = await textOf(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new CliError(`${path} is not valid JSON: run plinth login again.`);
  }
}
