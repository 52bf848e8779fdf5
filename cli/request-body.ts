// The body of a request, out of a file of JSON: as it is sent, or as `show --json` printed it.
import { readFile } from "node:fs/promises";
import { InvalidArgumentError, type Command } from "commander";
import { fileError } from "./file-error.ts";
import { CliError, exitCodes, type Terminal } from "./terminal.ts";

export type Fields = Record<string, unknown>;

/** What the server says of a thing, and takes from nobody. */
const toldByServer: ReadonlySet<string> = new Set([
  "id",
  "type",
  "created_at",
  "updated_at",
  "archived_at",
]);

/** What may be sent of it. An update of one thing with what was read of another is a mistake. */
export async function readFields(
  terminal: Terminal,
  file: string | undefined,
  id?: string,
): Promise<Fields> {
  if (file === undefined) return {};
  const name = file === "-" ? "standard input" : file;
  const text = file === "-" ? await terminal.readInput() : await read(file);
  const found = parseFields(text, name);
  if (id !== undefined && typeof found["id"] === "string" && found["id"] !== id)
    throw new CliError(
      `${name} holds ${found["id"]}, not ${id}. Take its id out to change ${id} with it.`,
      exitCodes.usage,
    );
  return Object.fromEntries(Object.entries(found).filter(([field]) => !toldByServer.has(field)));
}

const read = (file: string) =>
  readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw fileError(error, file);
  });

export function parseFields(text: string, name: string): Fields {
  let found: unknown;
  try {
    found = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    throw new CliError(`${name} is not JSON: ${(error as Error).message}.`, exitCodes.usage);
  }
  if (typeof found === "object" && found !== null && !Array.isArray(found)) return found as Fields;
  throw new CliError(`${name} must hold one JSON object, in braces.`, exitCodes.usage);
}

export const fileOption = [
  "--file <file>",
  "all fields, as JSON; - is standard input; flags go over it",
] as const;

export const withMetadata = (command: Command): Command =>
  command.option("--metadata <key=value>", "a pair of its metadata; once for each", keyAndValue);

function keyAndValue(text: string, before: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("It must be key=value, such as team=search.");
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

/** Over those of the file; in an update, a key without a value goes. */
export function metadataOf(
  fields: Fields,
  metadata: Record<string, string> | undefined,
  isUpdate: boolean,
): Fields {
  if (metadata === undefined) return {};
  const pairs = Object.entries(metadata).map(([key, value]) => [
    key,
    isUpdate && value === "" ? null : value,
  ]);
  return { metadata: { ...asFields(fields["metadata"]), ...Object.fromEntries(pairs) } };
}

export const asFields = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};
