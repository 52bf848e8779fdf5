// Reads the settings: the file, over it the environment, over it the flags; an unknown name or
// value is refused.
import assert from "node:assert/strict";
import { parseShallow, TooDeep } from "../base/json.ts";
import { lstatSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Static, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";
import { ExitError } from "../base/failure.ts";
import {
  envNameOf,
  fileNameOf,
  flagNameOf,
  type Machine,
  type Section,
  type Setting,
  type SettingsOf,
  type SettingsTable,
} from "./define.ts";
import { nearest } from "../base/nearest.ts";
import { wordsOf } from "../base/patterns.ts";
import { settingsTable } from "./settings.ts";

export interface LoadOptions {
  /**
   * A file that must exist. Without one: PLINTH_CONFIG, else plinth.config.json in the working
   * directory, if it is there.
   */
  file?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /**
   * As commander gives them (`dataDir`), or as they are typed (`data-dir`). Undefined means not
   * given.
   */
  flags: Readonly<Record<string, unknown>>;
  sections?: readonly Section[];
  workingDirectory?: string;
  machine?: Partial<Machine>;
}

export interface Loaded<Values> {
  settings: Values;
  /** What the file says in that section, or the section's fallback. */
  section<Schema extends TSchema>(section: Section<Schema>): Static<Schema>;
  /** The file that was read, if any. */
  file: string | undefined;
}

export const usageExitCode = 2;
const defaultFile = "plinth.config.json";
const fileVariable = "PLINTH_CONFIG";

/**
 * Names that belong to the command-line client, to tests and to tools: the server passes them by.
 */
const reservedVariable =
  /^PLINTH_(TEST_.*|CONFIG|API_KEY|ADMIN_KEY|AUTH_TOKEN|BASE_URL|ENVIRONMENT_KEY|PROFILE|WORKSPACE_ID)$/;
/**
 * What Kubernetes sets in every pod for a service that is called plinth, PLINTH_PORT=tcp://… among
 * them.
 */
const clusterVariable = /^PLINTH_(SERVICE_HOST|SERVICE_PORT.*|PORT_\d+_(TCP|UDP).*)$/;

export function loadSettings(options: LoadOptions): Loaded<SettingsOf<typeof settingsTable>> {
  return loadTable(settingsTable, options);
}

/** One value that was set, and where. */
interface Given {
  value: unknown;
  /** As a sentence names it: `PLINTH_PORT`, `--port`, `port in plinth.config.json`. */
  where: string;
  directory: string;
}

export function loadTable<Table extends SettingsTable>(
  table: Table,
  options: LoadOptions,
): Loaded<SettingsOf<Table>> {
  const { sections = [], workingDirectory = process.cwd() } = options;
  const machine: Machine = {
    cpus: availableParallelism(),
    terminal: process.stderr.isTTY,
    home: resolve(import.meta.dirname, "../.."),
    ...options.machine,
  };
  const file = findFile(options, workingDirectory, machine.home);
  const content = file === undefined ? {} : readFile(file);
  refuseUnknownInFile(table, sections, content, file ?? "");
  refuseUnknownVariables(table, options.env);
  const flags = nameFlags(table, options.flags);

  const values = Object.entries(table).map(([key, setting]) => {
    const given = [
      flags.get(key),
      fromEnvironment(key, setting, options.env, workingDirectory),
      fromFile(key, setting, content, file),
    ].filter((each) => each !== undefined);
    // All of them are read, also those that another one overrides.
    const all = given.map((each) => read(setting, fileNameOf(key), each, workingDirectory));
    return [key, given.length > 0 ? all[0] : setting.fallback(machine)];
  });
  const found = new Map<Section, unknown>();
  for (const section of sections)
    found.set(section, readSection(section, content[section.name], file ?? ""));
  return {
    settings: Object.fromEntries(values) as SettingsOf<Table>,
    section: (section) => {
      assert(found.has(section), `The section ${section.name} was not loaded.`);
      return found.get(section) as Static<typeof section.schema>;
    },
    file,
  };
}

function findFile(
  { file, env }: LoadOptions,
  workingDirectory: string,
  home: string,
): string | undefined {
  const named = file ?? (env[fileVariable] === "" ? undefined : env[fileVariable]);
  const path = resolve(workingDirectory, named ?? defaultFile);
  if (isThere(path)) return path;
  const beside = resolve(home, defaultFile);
  if (named === undefined) return isThere(beside) ? beside : undefined;
  throw new ExitError(`There is no settings file ${path}.`, usageExitCode);
}

/** A dangling link counts as there: the operator meant it to be read. */
const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const why = {
      EISDIR: "it is a directory",
      EACCES: "this user may not",
      ENOENT: "it is a link to nothing",
      ELOOP: "it is a link to itself",
    }[code];
    throw new ExitError(
      `The settings file ${path} cannot be read: ${why ?? String(error)}.`,
      usageExitCode,
    );
  }
}

function readFile(path: string): Record<string, unknown> {
  let content: unknown;
  const text = readText(path);
  try {
    content = parseShallow(text);
  } catch (error) {
    if (error instanceof TooDeep)
      throw new ExitError(`${path} is ${error.message}; no setting is.`, usageExitCode);
    throw new ExitError(`${path} is not JSON: ${whereJsonBreaks(text, error)}.`, usageExitCode);
  }
  if (typeof content !== "object" || content === null || Array.isArray(content))
    throw new ExitError(`${path} must hold one JSON object.`, usageExitCode);
  return content as Record<string, unknown>;
}

/** Line and column without the parser's quotation of the text, which may be a password. */
function whereJsonBreaks(text: string, error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  const position = Number(/at position (\d+)/.exec(message)?.[1] ?? text.length);
  const before = text.slice(0, position).split("\n");
  const reason = position >= text.length ? "it ends too early" : "it breaks";
  return `${reason} at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

function refuseUnknownInFile(
  table: SettingsTable,
  sections: readonly Section[],
  content: Record<string, unknown>,
  file: string,
): void {
  const settings = Object.keys(table).map(fileNameOf);
  const known = [...settings, ...sections.map(({ name }) => name)];
  for (const name of Object.keys(content))
    if (!known.includes(name) && name !== "$schema") throw unknown(name, file, known);
}

function refuseUnknownVariables(table: SettingsTable, env: LoadOptions["env"]): void {
  const known = Object.entries(table).flatMap(([key, setting]) =>
    setting.sources.includes("environment") ? [envNameOf(key)] : [],
  );
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith("PLINTH_") || value === undefined || known.includes(name)) continue;
    if (!reservedVariable.test(name) && !clusterVariable.test(name))
      throw unknown(name, "the environment", known);
  }
}

/** The flags by key; `dataDir`, `data-dir` and `data_dir` are the same. */
function nameFlags(table: SettingsTable, flags: LoadOptions["flags"]): Map<string, Given> {
  const keys = Object.keys(table).filter((key) => table[key]?.sources.includes("flag"));
  const named = new Map<string, Given>();
  for (const [name, value] of Object.entries(flags)) {
    if (value === undefined) continue;
    const flat = flagNameOf(name.replace(/^--/, "").replaceAll("-", "_"));
    const key = keys.find((each) => flagNameOf(each) === flat);
    if (key === undefined) throw unknown(flat, "the command line", keys.map(flagNameOf));
    named.set(key, { value, where: flat, directory: "" });
  }
  return named;
}

function fromEnvironment(
  key: string,
  setting: Setting<unknown>,
  env: LoadOptions["env"],
  directory: string,
): Given | undefined {
  // An empty variable is how compose files and shells say "not set".
  const names = [envNameOf(key), ...setting.alsoEnv].filter(
    (name) => (env[name] ?? "") !== "" && !isClusterAddress(name, env[name] ?? ""),
  );
  const [name, other] = names;
  if (name === undefined || !setting.sources.includes("environment")) return undefined;
  if (other !== undefined && env[name] !== env[other])
    throw new ExitError(`${name} and ${other} are both set and differ: set one.`, usageExitCode);
  return { value: env[name], where: name, directory };
}

const isClusterAddress = (name: string, value: string) =>
  name === "PLINTH_PORT" && /^(tcp|udp):\/\//.test(value);

function fromFile(
  key: string,
  setting: Setting<unknown>,
  content: Record<string, unknown>,
  file: string | undefined,
): Given | undefined {
  const name = fileNameOf(key);
  if (file === undefined || !(name in content)) return undefined;
  if (!setting.sources.includes("file"))
    throw new ExitError(
      `${name} does not belong into ${file}, which others may read: set ${envNameOf(key)}.`,
      usageExitCode,
    );
  return { value: content[name], where: `${name} in ${file}`, directory: dirname(join(file)) };
}

function read(
  setting: Setting<unknown>,
  name: string,
  { value, where, directory }: Given,
  workingDirectory: string,
): unknown {
  const result = setting.read(value, { directory: directory || workingDirectory });
  if (result !== undefined) return result;
  const text = JSON.stringify(value) ?? "";
  const shown = setting.secret || mayHoldSecret(text) ? "" : ` is ${text.slice(0, 80)} and`;
  const subject = where.startsWith(name) ? where : `${name} (${where})`;
  throw new ExitError(`${subject}${shown} must be ${setting.must}.`, usageExitCode);
}

/** A password stands before the @ of an address, a key behind its ? or #. */
const mayHoldSecret = (text: string) => /[@?#]/.test(text);

function readSection(section: Section, value: unknown, file: string): unknown {
  if (value === undefined) return section.fallback;
  const validator = Compile(section.schema);
  if (validator.Check(value)) return value;
  const [error] = validator.Errors(value).sort((a, b) => depthOf(b) - depthOf(a));
  const path = (error?.instancePath ?? "").replace(/\/(\d+)(?=\/|$)/g, "[$1]").replaceAll("/", ".");
  throw new ExitError(`${section.name}${path} in ${file} ${problemOf(error)}.`, usageExitCode);
}

function problemOf(error: TLocalizedValidationError | undefined): string {
  // An unknown name inside a section arrives as a schema that allows nothing.
  if (error?.keyword === "boolean") return "is not a name that is known there";
  if (error?.keyword === "enum") return `must be one of ${error.params.allowedValues.join(", ")}`;
  const words = error?.keyword === "pattern" ? wordsOf(String(error.params.pattern)) : undefined;
  return words ?? error?.message ?? "is wrong";
}

const depthOf = (error: { instancePath: string }) => error.instancePath.split("/").length;

function unknown(name: string, source: string, known: readonly string[]): ExitError {
  const guess = nearest(name, known);
  const help = guess === undefined ? `known are ${known.join(", ")}` : `did you mean ${guess}?`;
  return new ExitError(
    `There is no setting ${name} (in ${source}): ${help}${guess === undefined ? "." : ""}`,
    usageExitCode,
  );
}
