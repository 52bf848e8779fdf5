// Results into a file: begun, or resumed where an earlier call stopped.
import { sizeOf, type ResultType } from "../../client/batches/counts.ts";
import { open, type FileHandle } from "node:fs/promises";
import type { Client } from "../../contract/client.ts";
import type { MessageBatch } from "../../contract/types.ts";
import type { ResultsFlags } from "./options.ts";
import { withServerErrors } from "../server-calls.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { download } from "./download.ts";
import { fileError } from "../file-error.ts";
import { makeByteProgress } from "../progress.ts";
import { filterResults } from "./result-lines.ts";
import { plural } from "../../client/text/words.ts";
import { formatSize } from "../format.ts";

interface Task {
  id: string;
  batch: MessageBatch;
  file: string;
  flags: ResultsFlags;
}

interface Saved {
  results: number;
  /** Bytes of the finished file. */
  bytes: number;
  /** Bytes that existed before. */
  found: number;
}

export async function saveResults(terminal: Terminal, client: Client, task: Task): Promise<void> {
  const { id, file, flags } = task;
  const stopping = new AbortController();
  const release = terminal.onInterrupt(() => stopping.abort());
  await using handle = await openFile(file);
  let saved: Saved;
  try {
    saved = await withServerErrors(client, () =>
      save(terminal, client, task, handle, stopping.signal),
    );
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    const resume = flags.type === undefined ? " The same command goes on from there." : "";
    throw new CliError(`Stopped in the middle of ${file}.${resume}`, exitCodes.interrupted);
  } finally {
    release();
  }
  if (flags.json === true)
    terminal.write(`${JSON.stringify({ id, file, results: saved.results, bytes: saved.bytes })}\n`);
  else if (flags.quiet !== true) terminal.note(`${terminal.dim(summaryOf(saved, file))}\n`);
}

const summaryOf = ({ results, bytes, found }: Saved, file: string) =>
  found === bytes && found > 0
    ? `${file} had all ${plural(results, "result")} already.`
    : `${plural(results, "result")} in ${file}, ${formatSize(bytes)}.`;

async function save(
  terminal: Terminal,
  client: Client,
  { id, batch, file, flags }: Task,
  handle: FileHandle,
  signal: AbortSignal,
): Promise<Saved> {
  const { type: types } = flags;
  const found = (await handle.stat()).size;
  if (types !== undefined && found > 0)
    throw new CliError(
      `${file} is there already. With --type, name a file that is not.`,
      exitCodes.usage,
    );
  const known = await readEnd(handle, found);
  const from = found - known.length;
  const all = await download(client, { clock: terminal.clock, id, from, signal });
  if (all === undefined) throw foreign(file, id);
  const isQuiet = flags.json === true || flags.quiet === true;
  const { bytesInAll } = all;
  const meter = makeByteProgress(terminal, {
    word: "Received",
    isQuiet,
    bytesInAll,
    bytesBefore: from,
  });
  try {
    const bytes = behind(known, metered(all.bytes, meter.add), () => foreign(file, id));
    const writer = { write: (bytes: Buffer) => write(handle, bytes, file), found };
    if (types !== undefined) return await writeOnly(types, bytes, writer);
    for await (const piece of bytes) await writer.write(piece);
    return { found, results: sizeOf(batch), bytes: bytesInAll };
  } finally {
    meter.end();
  }
}

/** So much of the file's end must equal the results at that offset: then the file is a part of them. */
const knownBytesMax = 4_096;

async function readEnd(handle: FileHandle, bytes: number): Promise<Buffer> {
  const end = Buffer.alloc(Math.min(bytes, knownBytesMax));
  await handle.read(end, 0, end.length, bytes - end.length);
  return end;
}

const foreign = (file: string, id: string) =>
  new CliError(
    `${file} holds something else than results of ${id}. Remove it, or name another file.`,
    exitCodes.usage,
  );

/** What follows the bytes that are known already. */
async function* behind(
  known: Buffer,
  chunks: AsyncIterable<Buffer>,
  refusal: () => CliError,
): AsyncGenerator<Buffer> {
  let left = known;
  for await (const chunk of chunks) {
    const length = Math.min(left.length, chunk.length);
    if (!left.subarray(0, length).equals(chunk.subarray(0, length))) throw refusal();
    left = left.subarray(length);
    if (length < chunk.length) yield chunk.subarray(length);
  }
  if (left.length > 0) throw refusal();
}

async function* metered(
  chunks: AsyncIterable<Buffer>,
  add: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    yield chunk;
    add(chunk.length);
  }
}

interface Writer {
  write(bytes: Buffer): Promise<void>;
  found: number;
}

async function writeOnly(
  types: readonly ResultType[],
  chunks: AsyncIterable<Buffer>,
  { write, found }: Writer,
): Promise<Saved> {
  const saved: Saved = { found, results: 0, bytes: 0 };
  for await (const { bytes, results } of filterResults(chunks, types)) {
    await write(bytes);
    saved.results += results;
    saved.bytes += bytes.length;
  }
  return saved;
}

const openFile = (file: string): Promise<FileHandle> =>
  open(file, "a+").catch((error: NodeJS.ErrnoException) => {
    throw fileError(error, file);
  });

const write = (handle: FileHandle, bytes: Buffer, file: string): Promise<void> =>
  handle.appendFile(bytes).catch((error: NodeJS.ErrnoException) => {
    throw fileError(error, file);
  });
