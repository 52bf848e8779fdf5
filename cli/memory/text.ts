// Files as texts of memories: a file that is no text is refused before anything is sent.
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { fileError } from "../file-error.ts";
import { CliError, type Terminal } from "../terminal.ts";
import { formatCount } from "../../client/text/words.ts";

/** The API's limit. */
const contentBytesMax = 102_400;
/** So much is read to tell that it is no text, where it is too long as well. */
const readBytesMax = 16 * 1024 * 1024;

export interface MemoryText {
  text: string;
  sha256: string;
}

export async function readText(terminal: Terminal, file: string): Promise<MemoryText> {
  if (file === "-") return decodeText(await readInput(terminal), "standard input");
  try {
    const { size } = await stat(file);
    if (size > readBytesMax) throw tooLong(file, formatCount(size));
    return decodeText(await readFile(file), file);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw fileError(error as NodeJS.ErrnoException, file);
  }
}

/** A file longer than a memory need not be read to its end. */
async function readInput(terminal: Terminal): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of terminal.input()) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > contentBytesMax) throw tooLong("standard input", "more");
  }
  return Buffer.concat(chunks);
}

export function decodeText(bytes: Buffer, name: string): MemoryText {
  if (!isUtf8(bytes))
    throw new CliError(`${name} is not text in UTF-8, and a memory holds nothing else.`);
  if (bytes.includes(0))
    throw new CliError(
      `${name} holds a NUL byte: it is not text, and a memory holds nothing else.`,
    );
  if (bytes.length > contentBytesMax) throw tooLong(name, formatCount(bytes.length));
  // A byte order mark stays: the memory has the bytes of the file.
  return { text: bytes.toString("utf8"), sha256: createHash("sha256").update(bytes).digest("hex") };
}

const tooLong = (name: string, bytes: string) =>
  new CliError(
    `${name} is too long: a memory holds ${formatCount(contentBytesMax)} bytes, and it has ${bytes}. Split it.`,
  );
