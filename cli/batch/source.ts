// Where requests come from: a file that can be read again, or a pipe that cannot; and which form they have.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { fileTrouble } from "../files.ts";

export interface Source {
  /** As it is called in sentences. */
  name: string;
  /** Undefined where only the end will tell; then it can be read once. */
  bytes: number | undefined;
  read(): AsyncIterable<Uint8Array>;
}

const chunkBytes = 256 * 1024;

export async function openSource(terminal: Terminal, file: string): Promise<Source> {
  if (file === "-")
    return { name: "standard input", bytes: undefined, read: () => terminal.input() };
  const facts = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw fileTrouble(error, file);
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
    throw fileTrouble(error as NodeJS.ErrnoException, file);
  }
}

export interface Opened {
  /** `lines`: one request on each. `body`: what the API takes. */
  form: "lines" | "body";
  /** From the start, without a byte order mark. */
  chunks: AsyncIterable<Buffer>;
  /** How long that mark was. */
  markBytes: number;
}

/** Enough to see which form it is. */
const headCharacters = 256;

export async function open({ name, read }: Source): Promise<Opened> {
  const chunks = read()[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  let isAll = false;
  while (!isAll && head.toString("latin1").trimStart().length < headCharacters) {
    const { done, value } = await chunks.next();
    if (done === true) isAll = true;
    else head = Buffer.concat([head, value]);
  }
  const hasMark = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf;
  const markBytes = hasMark ? 3 : 0;
  head = head.subarray(markBytes);
  const start = head.toString("latin1").trimStart();
  expectRequests(start, name);
  async function* all(): AsyncGenerator<Buffer> {
    yield head;
    for (;;) {
      const { done, value } = await chunks.next();
      if (done === true) return;
      yield Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
  }
  const form = /^\{\s*"requests"\s*:/.test(start) ? "body" : "lines";
  return { form, chunks: all(), markBytes };
}

function expectRequests(start: string, name: string): void {
  const refuse = (sentence: string) => new CliError(`${name} ${sentence}`);
  if (start === "") throw refuse("is empty: it has no requests.");
  if (start.startsWith("\u001f\u008b"))
    throw refuse(`is compressed: gunzip -c ${name} | plinth batch submit -`);
  if (start.startsWith("["))
    throw refuse(
      'is one array: put each request on its own line, or it all into {"requests": […]}.',
    );
}
