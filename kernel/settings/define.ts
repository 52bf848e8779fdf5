// What a setting is: its name in the file, in the environment and on the command line, and what it
// may hold.
import type { Static, TSchema } from "typebox";

export type Source = "file" | "environment" | "flag";

/** What a value may need to know to be read. */
export interface ReadContext {
  /** Relative paths start here: the file's directory, or the working directory. */
  directory: string;
}

export interface Setting<T> {
  describe: string;
  /** What it must be, as the end of "it must be …". */
  must: string;
  /**
   * The value of a text from a flag or the environment, or of what the file holds; undefined when
   * it may not be.
   */
  read(value: unknown, context: ReadContext): T | undefined;
  /** What holds where nothing is set. */
  fallback(machine: Machine): T;
  /** The fallback in words, for the documentation: the same on every machine. */
  fallbackText: string;
  /** Never shown, not even in an error about it. */
  secret: boolean;
  sources: readonly Source[];
  /** Environment names beside PLINTH_<NAME>. */
  alsoEnv: readonly string[];
}

/** What fallbacks are made of. */
export interface Machine {
  cpus: number;
  terminal: boolean;
  /** Where the program is installed. */
  home: string;
}

export type SettingsTable = Record<string, Setting<unknown>>;
export type SettingsOf<Table extends SettingsTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<infer T> ? T : never;
};

/** Keys are written as in the code (`dataDir`); the outside names follow from them. */
export function defineSettings<const Table extends SettingsTable>(table: Table): Table {
  return table;
}

export const fileNameOf = (key: string) =>
  key.replace(/[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
export const envNameOf = (key: string) => `PLINTH_${fileNameOf(key).toUpperCase()}`;
export const flagNameOf = (key: string) => `--${fileNameOf(key).replaceAll("_", "-")}`;

interface Common {
  describe: string;
  secret?: boolean;
  sources?: readonly Source[];
  alsoEnv?: readonly string[];
}

const everywhere: readonly Source[] = ["file", "environment", "flag"];

function setting<T>(
  { describe, secret = false, sources = everywhere, alsoEnv = [] }: Common,
  rest: Pick<Setting<T>, "must" | "read" | "fallback" | "fallbackText">,
): Setting<T> {
  return { describe, secret, sources, alsoEnv, ...rest };
}

export function integer(
  options: Common & {
    min: number;
    max: number;
    fallback: number | ((machine: Machine) => number);
    fallbackText?: string;
  },
): Setting<number> {
  const { min, max, fallback } = options;
  return setting<number>(options, {
    must: `a whole number from ${min} to ${max}`,
    read: (value) => {
      const number =
        typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
      return typeof number === "number" &&
        Number.isInteger(number) &&
        number >= min &&
        number <= max
        ? number
        : undefined;
    },
    fallback: typeof fallback === "function" ? fallback : () => fallback,
    fallbackText: options.fallbackText ?? String(fallback),
  });
}

export function choice<const T extends string>(
  options: Common & {
    of: readonly T[];
    fallback: T | ((machine: Machine) => T);
    fallbackText?: string;
  },
): Setting<T> {
  const { of, fallback } = options;
  return setting<T>(options, {
    must: `one of ${of.join(", ")}`,
    read: (value) => of.find((each) => each === value),
    fallback: typeof fallback === "function" ? fallback : () => fallback,
    fallbackText: options.fallbackText ?? String(fallback),
  });
}

export interface TextOptions extends Common {
  must: string;
  /** The text as it is kept, or undefined when it may not be. */
  read(text: string, context: ReadContext): string | undefined;
}

export function text(
  options: TextOptions & { fallback: (machine: Machine) => string; fallbackText: string },
): Setting<string> {
  const { must, fallback, fallbackText } = options;
  return setting<string>(options, { must, fallback, fallbackText, read: readText(options) });
}

export function optionalText(options: TextOptions): Setting<string | undefined> {
  return setting<string | undefined>(options, {
    must: options.must,
    read: readText(options),
    fallback: () => undefined,
    fallbackText: "not set",
  });
}

/** An array in the file, elsewhere with commas between. */
export function list(
  options: Common & { must: string; read(each: string): string | undefined; max: number },
): Setting<readonly string[]> {
  return setting<readonly string[]>(options, {
    must: `${options.must}, ${options.max} at most`,
    read: (value) => {
      const given: unknown = typeof value === "string" ? value.split(",") : value;
      if (!Array.isArray(given) || given.length > options.max) return undefined;
      const read = given.map((each: unknown) =>
        typeof each === "string" ? options.read(each.trim()) : undefined,
      );
      return read.every((each) => each !== undefined) ? read : undefined;
    },
    fallback: () => [],
    fallbackText: "none",
  });
}

const readText = (options: TextOptions) => (value: unknown, context: ReadContext) =>
  typeof value === "string" ? options.read(value, context) : undefined;

/**
 * A part of the file that belongs to a noun: a name at its top level, and the shape of what stands
 * there.
 */
export interface Section<Schema extends TSchema = TSchema> {
  name: string;
  describe: string;
  schema: Schema;
  fallback: Static<Schema>;
}

export function defineSection<Schema extends TSchema>(section: Section<Schema>): Section<Schema> {
  return section;
}
