// Bytes that a command reads: a file that can be read again, or a pipe that cannot.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { fileError } from "./file-error.ts";
import { CliError, exitCodes, type Terminal } from "./terminal.ts";

export interface Source {
  /** The name for sentences. */
  name: string;
  /** Undefined where the size is known only at the end; then it can be read once. */
  bytes: number | undefined;
  read(): AsyncIterable<Uint8Array>;
}

const chunkBytes = 256 * 1024;

export async function openSource(terminal: Terminal, file: string): Promise<Source> {
  if (file === "-")
    return { name: "standard input", bytes: undefined, read: () => terminal.input() };
  const facts = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw fileError(error, file);
  });
  if (facts.isDirectory()) throw new CliError(`${file} is a folder.`, exitCodes.usage);
  return {
    name: file,
    bytes: facts.isFile() ? facts.size : undefined,
    read: () => readFile(file),
  };
}

async function* readFile(file: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: chunkBytes }))
      yield chunk as Buffer;
  } catch (error) {
    throw fileError(error as NodeJS.ErrnoException, file);
  }
}
