// Bytes saved to a file.
import { createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { fileError } from "./file-error.ts";
import { CliError, exitCodes } from "./terminal.ts";

/** The file has its name only when it is whole: an older file stays there until then. */
export async function saveFile(chunks: AsyncIterable<Uint8Array>, file: string): Promise<void> {
  const there = await stat(file).catch(() => undefined);
  if (there?.isDirectory() === true)
    throw new CliError(`${file}: That is a folder.`, exitCodes.usage);
  // What is no regular file, such as a named pipe, is written to directly.
  const isFile = there === undefined || there.isFile();
  const part = isFile ? `${file}.part` : file;
  try {
    await pipeline(chunks, createWriteStream(part));
    if (isFile) await rename(part, file);
  } catch (error) {
    if (isFile) await rm(part, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof CliError || code === undefined || code === "ABORT_ERR") throw error;
    throw fileError(error as NodeJS.ErrnoException, file);
  }
}
